// put, get and the operations that combine elements.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/element_update.hpp"
#include "lib/core/windows/window.hpp"
#include "lib/foundation/base/copy.hpp"
#include "lib/foundation/datatype/runs.hpp"
#include "lib/foundation/datatype/transfer.hpp"

namespace tutti::detail {

namespace {

// Memory of either side, for a copy.
struct Memory {
    std::byte* base;
    std::size_t count;
    const datatype::Typemap* type;

    std::size_t size_bytes() const noexcept { return type == nullptr ? count : count * type->size_bytes(); }
};

void copy(const Memory& to, const Memory& from)
{
    const std::size_t bytes = std::min(to.size_bytes(), from.size_bytes());
    if (to.type == nullptr && from.type == nullptr)
        return base::copy_bytes(to.base, from.base, bytes);
    if (to.type == nullptr)
        return datatype::pack(*from.type, from.count, from.base, 0, {to.base, bytes});
    if (from.type == nullptr)
        return datatype::unpack(*to.type, to.count, to.base, 0, {from.base, bytes});
    std::array<std::byte, 4096> piece;
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t part = std::min(piece.size(), bytes - done);
        datatype::pack(*from.type, from.count, from.base, done, {piece.data(), part});
        datatype::unpack(*to.type, to.count, to.base, done, {piece.data(), part});
        done += part;
    }
}

Memory memory_of(const OriginBlock& block) noexcept
{
    return {block.base, block.count, block.type};
}

// The bytes of a block in a row: themselves, or a copy.
class Packed {
public:
    explicit Packed(const Memory& block) : bytes_(block.base)
    {
        if (block.type == nullptr)
            return;
        copy_.resize(block.size_bytes());
        datatype::pack(*block.type, block.count, block.base, 0, copy_);
        bytes_ = copy_.data();
    }
    const std::byte* data() const noexcept { return bytes_; }

private:
    const std::byte* bytes_;
    std::vector<std::byte> copy_;
};

std::ptrdiff_t lowest(const TargetBlock& block)
{
    return block.type == nullptr || block.count == 0
               ? 0
               : block.type->description().data.repeated(block.count, block.type->extent_bytes()).low;
}

std::size_t bytes_of(const TargetBlock& block) noexcept
{
    return block.type == nullptr ? block.count : block.count * block.type->size_bytes();
}

std::ptrdiff_t highest(const TargetBlock& block)
{
    return block.type == nullptr ? static_cast<std::ptrdiff_t>(block.count)
           : block.count == 0
               ? 0
               : block.type->description().data.repeated(block.count, block.type->extent_bytes()).high;
}

}  // namespace

// The first access to a rank takes the lock that lock_all() has left to it; then `there` is what reach()
// says.
Window::Failure Window::lock_late(int rank, std::ptrdiff_t displacement, std::size_t bytes, std::byte*& there)
{
    if (!is_rank(rank) || target(rank).cover != WindowCover::not_locked)
        return nullptr;
    Engine::Lock held = process_.engine().lock();
    if (Failure failed = acquire(held, WindowLock::shared, rank))
        return failed;
    hold(rank, WindowLock::shared);
    there = reach(rank, displacement, bytes);
    return nullptr;
}

// An operation that reach() does not serve: which epoch and which bytes it is for.
Window::Failure Window::admit(std::string_view operation, const TargetBlock& block, Place& place)
{
    if (!is_rank(block.rank))
        return not_a_rank(operation, block.rank);
    const WindowTarget& there = target(block.rank);
    if (there.cover == WindowCover::none)
        return outside(operation, block.rank);
    std::ptrdiff_t offset = 0;
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
    try {
        low = lowest(block);
        high = highest(block);
    } catch (const Error&) {
        return std::current_exception();
    }
    if (low == high)
        return nullptr;
    place.has_bytes = true;
    const bool overflows =
        __builtin_mul_overflow(block.displacement, static_cast<std::ptrdiff_t>(there.unit_bytes), &offset) ||
        __builtin_add_overflow(low, offset, &low) || __builtin_add_overflow(high, offset, &high);
    place.offset = offset;
    place.aim = {.target = block.rank, .bytes = bytes_of(block), .begin = low, .end = high};
    if (flavor_ == WindowFlavor::dynamic && !overflows && low >= 0) {
        const auto address = static_cast<std::uintptr_t>(low);
        const auto bytes = static_cast<std::size_t>(high - low);
        std::byte* const lowest_byte = attached_at(block.rank, address, bytes);
        if (lowest_byte == nullptr && block.rank == communicator_->rank())
            return not_attached(operation, block.rank, address, bytes);
        place.is_remote = lowest_byte == nullptr;
        if (!place.is_remote)
            place.base = lowest_byte + (offset - low);
        return nullptr;
    }
    if (overflows || low < 0 || static_cast<std::size_t>(high) > there.size_bytes)
        return wrong(
            WindowFault::range, operation, block.rank,
            fmt::format("bytes {} to {} are outside its memory of {} bytes (displacement {} in units of {} "
                        "bytes, in the epoch {})",
                        overflows ? "too far" : fmt::to_string(low),
                        overflows ? "describe" : fmt::to_string(high), there.size_bytes, block.displacement,
                        there.unit_bytes, epoch_in_words()));
    if (there.memory == nullptr)
        place.is_remote = true;
    else
        place.base = there.memory + offset;
    return nullptr;
}

Window::Failure Window::outside(std::string_view operation, int rank) const
{
    if (epoch_ == Epoch::none)
        return wrong(WindowFault::epoch, operation, rank,
                     "this rank is in no epoch; lock(), lock_all(), fence() or start() begins one");
    return wrong(WindowFault::epoch, operation, rank,
                 fmt::format("the epoch {} does not cover that rank", epoch_in_words()));
}

Window::Failure Window::move(const OriginBlock& here, const TargetBlock& there, bool puts, bool waits)
{
    const std::string_view operation = puts ? "put" : "get";
    const WindowUse use = puts ? WindowUse::put : WindowUse::get;
    Place place;
    if (Failure failed = admit(operation, there, place))
        return failed;
    if (Failure failed = look_for_conflict(operation, use, there, place.offset))
        return failed;
    if (place.is_remote) {
        if (Failure failed = move_remote(here, there, place, puts, waits))
            return failed;
    } else {
        const Memory target{place.base, place.has_bytes ? there.count : 0, there.type};
        copy(puts ? target : memory_of(here), puts ? memory_of(here) : target);
    }
    if (puts || !waits)
        note_use(use, there, place.offset);
    return nullptr;
}

Window::Failure Window::put(const OriginBlock& from, const TargetBlock& to, RequestState** request)
{
    if (request != nullptr)
        *request = nullptr;
    std::byte* there = reach(to.rank, to.displacement, to.count);
    if (there == nullptr) [[unlikely]]
        if (Failure failed = lock_late(to.rank, to.displacement, to.count, there))
            return failed;
    if (there == nullptr || from.type != nullptr || to.type != nullptr) [[unlikely]]
        return move(from, to, true, request != nullptr);
    base::copy_bytes(there, from.base, to.count);
    return nullptr;
}

Window::Failure Window::get(const OriginBlock& to, const TargetBlock& from, RequestState** request)
{
    if (request != nullptr)
        *request = nullptr;
    std::byte* there = reach(from.rank, from.displacement, from.count);
    if (there == nullptr) [[unlikely]]
        if (Failure failed = lock_late(from.rank, from.displacement, from.count, there))
            return failed;
    if (there == nullptr || from.type != nullptr || to.type != nullptr) [[unlikely]]
        return move(to, from, false, request != nullptr);
    // Acquire: a rank that has seen a flag here sees also what was put before it.
    base::copy_bytes(to.base, there, from.count);
    std::atomic_thread_fence(std::memory_order_acquire);
    return nullptr;
}

// A buffer holds the bytes of a layout in a row.
Window::Failure Window::move_remote(const OriginBlock& here, const TargetBlock& there, const Place& place,
                                    bool puts, bool waits)
{
    const Memory own = memory_of(here);
    std::vector<std::byte> row(own.type == nullptr ? 0 : own.size_bytes());
    const Memory in_a_row{row.data(), row.size(), nullptr};
    if (puts && own.type != nullptr)
        copy(in_a_row, own);
    std::byte* const bytes = own.type == nullptr ? own.base : row.data();
    Engine::Lock held = process_.engine().lock();
    Failure failed;
    if (there.type != nullptr ||
        !move_by_network(held, place, {bytes, there.count}, puts, waits || own.type != nullptr, failed))
        failed = transfer(held, puts ? "put" : "get", there, place, puts ? bytes : nullptr,
                          puts ? nullptr : bytes, nullptr);
    if (failed)
        return failed;
    if (!puts && own.type != nullptr)
        copy(own, in_a_row);
    return nullptr;
}

Window::Failure Window::combine(std::string_view operation, const OriginBlock& from,
                                const OriginBlock* before, const TargetBlock& to, const Update& update,
                                bool notes)
{
    Place place;
    if (Failure failed = admit(operation, to, place))
        return failed;
    if (Failure failed = look_for_conflict(operation, WindowUse::update, to, place.offset))
        return failed;
    if (!place.has_bytes)
        return nullptr;
    const bool reads = update.kind != Update::Kind::no_op;
    const Packed operands(reads ? memory_of(from) : Memory{nullptr, 0, nullptr});
    Failure failed;
    Engine::Lock held = process_.engine().lock();
    const Memory target_memory{place.base, to.count, to.type};
    std::vector<std::byte> kept(before != nullptr && before->type != nullptr ? target_memory.size_bytes()
                                                                             : 0);
    std::byte* const was = before == nullptr ? nullptr : before->type != nullptr ? kept.data() : before->base;
    if (place.is_remote) {
        failed = transfer(held, operation, to, place, reads ? operands.data() : nullptr, was, &update);
    } else {
        const ElementUpdate element(update);
        std::size_t done = 0;
        const auto run = [&](std::ptrdiff_t offset, std::size_t bytes) {
            element.apply(updater(target(to.rank)), place.base + offset,
                          reads ? operands.data() + done : nullptr, was == nullptr ? nullptr : was + done,
                          bytes / element.element_bytes());
            done += bytes;
        };
        try {
            if (to.type == nullptr)
                run(0, to.count);
            else
                datatype::for_each_run(*to.type, to.count, run);
        } catch (const Error&) {
            failed = std::current_exception();
        }
    }
    if (!failed && !kept.empty())
        datatype::unpack(*before->type, before->count, before->base, 0, kept);
    held.unlock();
    if (!failed && notes)
        note_use(WindowUse::update, to, place.offset);
    return failed;
}

// Elements that are all that is to know.
Window::Failure Window::combine_in_a_row(int rank, std::byte* there, const std::byte* from, std::byte* before,
                                         std::size_t bytes, const Update& update)
{
    const Engine::Lock held = process_.engine().lock();
    try {
        const ElementUpdate element(update);
        element.apply(updater(target(rank)), there, from, before, bytes / element.element_bytes());
    } catch (const Error&) {
        return std::current_exception();
    }
    return nullptr;
}

Window::Failure Window::accumulate(const OriginBlock& from, const TargetBlock& to, const Update& update,
                                   RequestState** request)
{
    if (request != nullptr)
        *request = nullptr;
    std::byte* there = reach(to.rank, to.displacement, to.count);
    if (there == nullptr) [[unlikely]]
        if (Failure failed = lock_late(to.rank, to.displacement, to.count, there))
            return failed;
    if (there == nullptr || from.type != nullptr || to.type != nullptr) [[unlikely]]
        return combine("accumulate", from, nullptr, to, update, true);
    return combine_in_a_row(to.rank, there, from.base, nullptr, to.count, update);
}

Window::Failure Window::get_accumulate(const OriginBlock& from, const OriginBlock& before,
                                       const TargetBlock& to, const Update& update, RequestState** request)
{
    if (request != nullptr)
        *request = nullptr;
    std::byte* there = reach(to.rank, to.displacement, to.count);
    if (there == nullptr) [[unlikely]]
        if (Failure failed = lock_late(to.rank, to.displacement, to.count, there))
            return failed;
    if (there == nullptr || from.type != nullptr || before.type != nullptr || to.type != nullptr) [[unlikely]]
        return combine("get_accumulate", from, &before, to, update, request == nullptr);
    return combine_in_a_row(to.rank, there, from.base, before.base, to.count, update);
}

Window::Failure Window::fetch_and_op(const std::byte* from, std::byte* before, int rank,
                                     std::ptrdiff_t displacement, const Update& update,
                                     RequestState** request)
{
    if (request != nullptr)
        *request = nullptr;
    const std::size_t bytes = tutti::size_bytes(update.element);
    std::byte* there = reach(rank, displacement, bytes);
    if (there == nullptr) [[unlikely]]
        if (Failure failed = lock_late(rank, displacement, bytes, there))
            return failed;
    if (there == nullptr) [[unlikely]] {
        const OriginBlock result{before, bytes, nullptr};
        return combine("fetch_and_op", {const_cast<std::byte*>(from), bytes, nullptr}, &result,
                       {rank, displacement, bytes, nullptr}, update, request == nullptr);
    }
    return combine_in_a_row(rank, there, from, before, bytes, update);
}

Window::Failure Window::compare_and_swap(const std::byte* desired, const std::byte* expected,
                                         std::byte* before, std::size_t element_bytes, int rank,
                                         std::ptrdiff_t displacement, RequestState** request)
{
    if (request != nullptr)
        *request = nullptr;
    std::byte* there = reach(rank, displacement, element_bytes);
    if (there == nullptr) [[unlikely]]
        if (Failure failed = lock_late(rank, displacement, element_bytes, there))
            return failed;
    if (there == nullptr) [[unlikely]] {
        Place place;
        const TargetBlock block{rank, displacement, element_bytes, nullptr};
        if (Failure failed = admit("compare_and_swap", block, place))
            return failed;
        if (Failure failed = look_for_conflict("compare_and_swap", WindowUse::update, block, place.offset))
            return failed;
        there = place.base;
        if (place.is_remote) {
            std::vector<std::byte> both(desired, desired + element_bytes);
            both.insert(both.end(), expected, expected + element_bytes);
            Engine::Lock lock = process_.engine().lock();
            if (Failure failed = ask(lock, "compare_and_swap", place.aim, WindowHeader::What::swap,
                                     static_cast<std::size_t>(place.offset), both, {before, element_bytes}))
                return failed;
        }
        if (request == nullptr)
            note_use(WindowUse::update, block, place.offset);
        if (place.is_remote)
            return nullptr;
    }
    const Engine::Lock held = process_.engine().lock();
    try {
        detail::compare_and_swap(updater(target(rank)), there, desired, expected, before, element_bytes);
    } catch (const Error&) {
        return std::current_exception();
    }
    return nullptr;
}

}  // namespace tutti::detail
