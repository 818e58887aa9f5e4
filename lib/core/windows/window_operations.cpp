// put, get and updates. Bytes in a row that an epoch covers and this process maps are accessed at once; all
// else is admitted first: its epoch, its range, and conflicts of checked jobs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "lib/core/process/process.hpp"
#include "lib/core/windows/element_update.hpp"
#include "lib/core/windows/rank_window.hpp"
#include "lib/foundation/base/copy.hpp"
#include "lib/foundation/datatype/runs.hpp"
#include "lib/foundation/datatype/transfer.hpp"

namespace tutti::detail {

namespace {

template <class Block>
std::size_t bytes_in(const Block& block) noexcept
{
    return block.type == nullptr ? block.count : block.count * block.type->size_bytes();
}

// Both are memory of this process.
void copy(const OriginBlock& to, const OriginBlock& from)
{
    const std::size_t bytes = std::min(bytes_in(to), bytes_in(from));
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

// To a caller that wants the state of its request.
void give(RequestState** begun, RequestState* state) noexcept
{
    if (begun != nullptr)
        *begun = state;
}

// From the lowest to the highest byte of a block, relative to its displacement.
std::pair<std::ptrdiff_t, std::ptrdiff_t> bounds_of(const TargetBlock& block)
{
    if (block.type == nullptr)
        return {0, static_cast<std::ptrdiff_t>(block.count)};
    if (block.count == 0)
        return {0, 0};
    const auto data = block.type->description().data.repeated(block.count, block.type->extent_bytes());
    return {data.low, data.high};
}

}  // namespace

// Of an operation on a target: its epoch, its bytes, and whether it conflicts with an earlier one.
void Window::admit(std::string_view operation, WindowUse use, const TargetBlock& block, TargetBytes& place)
{
    admit_rank(operation, block.rank);
    find(operation, block, place);
    conflicts_.look_for(operation, use, block, place.offset);
}

void Window::admit_rank(std::string_view operation, int rank)
{
    identity_.check_rank(operation, rank);
    const std::atomic<WindowCover>& cover = targets_[rank].cover;
    if (cover.load(std::memory_order_acquire) == WindowCover::not_locked)
        lock_late(rank);
    if (cover.load(std::memory_order_acquire) == WindowCover::none)
        refuse_outside_epoch(operation, rank);
}

// The first access to a target takes the lock that lock_all() has left to it. Threads may come at once.
void Window::lock_late(int rank)
{
    EngineLock held = locked();
    WindowTarget& target = targets_[rank];
    waits_.await(held, "lock", rank, {.target = rank, .lock = WindowLock::shared},
                 [&] { return !target.is_being_locked; });
    if (target.cover != WindowCover::not_locked)
        return;
    target.is_being_locked = true;
    const std::exception_ptr failed = caught([&] { locks_.acquire(held, WindowLock::shared, rank); });
    target.is_being_locked = false;
    if (failed)
        std::rethrow_exception(failed);
    cover(rank, WindowCover::shared);
    identity_.process().engine().started();
}

void Window::refuse_outside_epoch(std::string_view operation, int rank) const
{
    if (identity_.epoch() == WindowEpoch::none)
        identity_.refuse(WindowFault::epoch, operation, rank,
                         "this rank is in no epoch; lock(), lock_all(), fence() or start() begins one");
    identity_.refuse(WindowFault::epoch, operation, rank,
                     fmt::format("the epoch {} does not cover that rank", identity_.epoch_in_words()));
}

// Which bytes of the target a block has.
void Window::find(std::string_view operation, const TargetBlock& block, TargetBytes& place)
{
    const WindowTarget& target = targets_[block.rank];
    auto [low, high] = bounds_of(block);
    if (low == high)
        return;
    place.has_bytes = true;
    const bool overflows =
        __builtin_mul_overflow(block.displacement, static_cast<std::ptrdiff_t>(target.unit_bytes),
                               &place.offset) ||
        __builtin_add_overflow(low, place.offset, &low) || __builtin_add_overflow(high, place.offset, &high);
    place.aim = {.target = block.rank, .bytes = bytes_in(block), .begin = low, .end = high};
    if (identity_.flavor() == WindowFlavor::dynamic && !overflows && low >= 0)
        return find_attached(operation, place);
    if (overflows || low < 0 || static_cast<std::size_t>(high) > target.size_bytes)
        identity_.refuse(
            WindowFault::range, operation, block.rank,
            fmt::format("bytes {} to {} are outside its memory of {} bytes (displacement {} in units of {} "
                        "bytes, in the epoch {})",
                        overflows ? "too far" : fmt::to_string(low),
                        overflows ? "describe" : fmt::to_string(high), target.size_bytes, block.displacement,
                        target.unit_bytes, identity_.epoch_in_words()));
    place.is_remote = target.memory == nullptr;
    place.base = place.is_remote ? nullptr : target.memory + place.offset;
}

void Window::find_attached(std::string_view operation, TargetBytes& place)
{
    const int rank = place.aim.target;
    const auto address = static_cast<std::uintptr_t>(place.aim.begin);
    const auto bytes = static_cast<std::size_t>(place.aim.end - place.aim.begin);
    const EngineLock held = locked();
    std::byte* const lowest_byte = attachments_.find(rank, address, bytes);
    if (lowest_byte == nullptr && rank == identity_.rank())
        attachments_.refuse(operation, rank, address, bytes);
    place.is_remote = lowest_byte == nullptr;
    place.base = place.is_remote ? nullptr : lowest_byte + (place.offset - place.aim.begin);
}

void Window::put(const OriginBlock& from, const TargetBlock& to, RequestState** begun)
{
    std::byte* const there = targets_.reach(to);
    if (there == nullptr || from.type != nullptr) [[unlikely]]
        return move(from, to, true, begun);
    base::copy_bytes(there, from.base, to.count);
}

void Window::get(const OriginBlock& to, const TargetBlock& from, RequestState** begun)
{
    const std::byte* const there = targets_.reach(from);
    if (there == nullptr || to.type != nullptr) [[unlikely]]
        return move(to, from, false, begun);
    base::copy_bytes(to.base, there, from.count);
    // Acquire: a rank that gets a flag here gets also what was put before the flag.
    std::atomic_thread_fence(std::memory_order_acquire);
}

void Window::move(const OriginBlock& here, const TargetBlock& there, bool puts, RequestState** begun)
{
    const WindowUse use = puts ? WindowUse::put : WindowUse::get;
    TargetBytes place;
    admit(puts ? "put" : "get", use, there, place);
    if (place.is_remote) {
        move_remote(here, there, place, puts, begun);
    } else {
        const OriginBlock target{place.base, place.has_bytes ? there.count : 0, there.type};
        copy(puts ? target : here, puts ? here : target);
        std::atomic_thread_fence(std::memory_order_acquire);  // as in get()
    }
    if (puts || begun == nullptr)
        conflicts_.note(use, there, place.offset);
    loans_.note(puts ? "put" : "get", there.rank, {&here, puts ? 1u : 0u}, puts ? OriginBlock() : here,
                begun);
}

// Networks move bytes in a row: those of a layout here go through a buffer.
void Window::move_remote(const OriginBlock& here, const TargetBlock& there, const TargetBytes& place,
                         bool puts, RequestState** begun)
{
    EngineLock held = locked();
    if (there.type == nullptr && network_.reaches(place.aim.target)) {
        std::vector<std::byte> row(here.type == nullptr ? 0 : bytes_in(here));
        const OriginBlock in_a_row{row.data(), row.size(), nullptr};
        if (puts && here.type != nullptr)
            copy(in_a_row, here);
        std::byte* const bytes = here.type == nullptr ? here.base : row.data();
        WindowNetwork::Move move{place, {bytes, there.count}, puts};
        move.waits = here.type != nullptr;
        move.has_request = begun != nullptr;
        if (network_.move(held, move)) {
            if (!puts && here.type != nullptr)
                copy(here, in_a_row);
            return give(begun, move.request);
        }
    }
    using Kind = WindowOperation::Kind;
    const DescribedOperation described{puts ? "put" : "get", puts ? Kind::put : Kind::get,
                                       puts ? here : OriginBlock(), puts ? OriginBlock() : here};
    give(begun, queued_.queue(held, described, there, place, begun != nullptr));
}

// `before`: nullptr, or what gets the target's elements.
[[gnu::always_inline]] inline void Window::combine(std::string_view operation, const OriginBlock& from,
                                                   const OriginBlock* before, const TargetBlock& to,
                                                   const Update& update, RequestState** begun)
{
    std::byte* const there = targets_.reach(to);
    if (there == nullptr || from.type != nullptr || (before != nullptr && before->type != nullptr))
        [[unlikely]]
        return combine_admitted(operation, from, before, to, update, begun);
    const EngineLock held = locked();
    const ElementUpdate element(update);
    element.apply(targets_.updater(to.rank), there, from.base, before == nullptr ? nullptr : before->base,
                  to.count / element.element_bytes());
}

void Window::accumulate(const OriginBlock& from, const TargetBlock& to, const Update& update,
                        RequestState** begun)
{
    return combine("accumulate", from, nullptr, to, update, begun);
}

void Window::get_accumulate(const OriginBlock& from, const OriginBlock& before, const TargetBlock& to,
                            const Update& update, RequestState** begun)
{
    return combine("get_accumulate", from, &before, to, update, begun);
}

void Window::fetch_and_op(const std::byte* from, std::byte* before, int rank, std::ptrdiff_t displacement,
                          const Update& update, RequestState** begun)
{
    const std::size_t bytes = tutti::size_bytes(update.element);
    const OriginBlock result{before, bytes, nullptr};
    return combine("fetch_and_op", {const_cast<std::byte*>(from), bytes, nullptr}, &result,
                   {rank, displacement, bytes, nullptr}, update, begun);
}

void Window::combine_admitted(std::string_view operation, const OriginBlock& from, const OriginBlock* before,
                              const TargetBlock& to, const Update& update, RequestState** begun)
{
    TargetBytes place;
    admit(operation, WindowUse::update, to, place);
    if (!place.has_bytes)
        return;
    {
        EngineLock held = locked();
        if (place.is_remote)
            give(begun, queued_.queue(held,
                                      {operation, WindowOperation::Kind::update, from,
                                       before != nullptr ? *before : OriginBlock(), update},
                                      to, place, begun != nullptr));
        else
            update_mapped(to, place.base, from, before, update);
    }
    // A request that fetches says that the operation is complete at the target.
    if (before == nullptr || begun == nullptr)
        conflicts_.note(WindowUse::update, to, place.offset);
    loans_.note(operation, to.rank, {&from, update.kind == Update::Kind::no_op ? 0u : 1u},
                before != nullptr ? *before : OriginBlock(), begun);
}

// Data of layouts goes through pieces that stay in the CPU's caches.
void Window::update_mapped(const TargetBlock& to, std::byte* base, const OriginBlock& from,
                           const OriginBlock* before, const Update& update)
{
    const ElementUpdate element(update);
    const Updater by = targets_.updater(to.rank);
    const bool has_operands = update.kind != Update::Kind::no_op;
    const bool packs = has_operands && from.type != nullptr;
    const bool unpacks = before != nullptr && before->type != nullptr;
    std::array<std::byte, 16u << 10> operands, was;
    const std::size_t piece = operands.size() / element.element_bytes() * element.element_bytes();
    std::size_t done = 0;
    const auto apply = [&](std::byte* there, std::size_t bytes) {
        if (packs)
            datatype::pack(*from.type, from.count, from.base, done, {operands.data(), bytes});
        element.apply(by, there,
                      !has_operands ? nullptr
                      : packs       ? operands.data()
                                    : from.base + done,
                      before == nullptr ? nullptr
                      : unpacks         ? was.data()
                                        : before->base + done,
                      bytes / element.element_bytes());
        if (unpacks)
            datatype::unpack(*before->type, before->count, before->base, done, {was.data(), bytes});
        done += bytes;
    };
    const auto run = [&](std::ptrdiff_t offset, std::size_t bytes) {
        const std::size_t most = packs || unpacks ? piece : bytes;
        for (std::size_t begin = 0; begin < bytes; begin += most)
            apply(base + offset + begin, std::min(most, bytes - begin));
    };
    if (to.type == nullptr)
        run(0, to.count);
    else
        datatype::for_each_run(*to.type, to.count, run);
}

void Window::set_rule(RowRule rule)
{
    const EngineLock held = locked();
    row_updates_.set_rule(std::move(rule));
}

void Window::update_rows(int rank, std::span<const WindowRow> rows, const Update& update,
                         RequestState** begun)
{
    const std::string_view operation = update.kind == Update::Kind::no_op ? "pull" : "push";
    if (rows.empty())
        return;
    admit_rank(operation, rank);
    const WindowTarget& target = targets_[rank];
    for (const WindowRow& row : rows) {
        if (row.there > target.size_bytes || row.bytes > target.size_bytes - row.there) [[unlikely]]
            identity_.refuse(
                WindowFault::range, operation, rank,
                fmt::format("a row of {} bytes from byte {} on is outside its memory of {} bytes", row.bytes,
                            row.there, target.size_bytes));
        if (conflicts_.are_checked()) {
            const TargetBlock block{.rank = rank, .count = row.bytes};
            conflicts_.look_for(operation, WindowUse::update, block, static_cast<std::ptrdiff_t>(row.there));
            conflicts_.note(WindowUse::update, block, static_cast<std::ptrdiff_t>(row.there));
        }
    }
    EngineLock held = locked();
    // Another thread may come while this one waits.
    std::vector<MappedRow> mapped = std::exchange(rows_, {});
    mapped.clear();
    for (const WindowRow& row : rows)
        if (row.bytes != 0)
            mapped.push_back({row.here, row.there, row.bytes,
                              target.memory == nullptr ? nullptr : target.memory + row.there});
    apply_rows(held, rank, mapped, update, begun);
    rows_ = std::move(mapped);
}

void Window::apply_rows(EngineLock& held, int rank, std::span<const MappedRow> rows, const Update& update,
                        RequestState** begun)
{
    const auto is_mapped = [](const MappedRow& row) { return row.memory != nullptr; };
    if (std::ranges::all_of(rows, is_mapped))
        return row_updates_.apply(rank, rows, update);
    if (std::ranges::any_of(rows, is_mapped)) {
        // A row always goes the same way, so that operations on it keep their order.
        std::vector<MappedRow> sorted(rows.begin(), rows.end());
        const auto others = std::ranges::stable_partition(sorted, is_mapped);
        row_updates_.apply(rank, {sorted.begin(), others.begin()}, update);
        return apply_rows(held, rank, others, update, begun);
    }
    TargetBytes place{.aim = {.target = rank, .begin = PTRDIFF_MAX}};
    for (const MappedRow& row : rows) {
        const auto there = static_cast<std::ptrdiff_t>(row.there);
        place.aim.bytes += row.bytes;
        place.aim.begin = std::min(place.aim.begin, there);
        place.aim.end = std::max(place.aim.end, there + static_cast<std::ptrdiff_t>(row.bytes));
    }
    const DescribedOperation described{
        .name = update.kind == Update::Kind::no_op ? std::string_view("pull") : std::string_view("push"),
        .kind = WindowOperation::Kind::rows,
        .update = update,
        .rows = rows};
    give(begun, queued_.queue(held, described, {.rank = rank}, place, begun != nullptr));
}

void Window::set_keys(KeyedRows rows)
{
    const EngineLock held = locked();
    keys_.set(std::move(rows));
}

void Window::update_keys(std::span<const KeyedRow> rows, const Update& update,
                         std::vector<RequestState*>* begun)
{
    const std::string_view operation = update.kind == Update::Kind::no_op ? "pull" : "push";
    for (const int owner : keys_.owners())
        admit_rank(operation, owner);
    EngineLock held = locked();
    const std::vector<KeyPlace> places = keys_.places(held, operation, rows, false);
    std::vector<std::vector<MappedRow>> of_owners(static_cast<std::size_t>(identity_.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
        of_owners[static_cast<std::size_t>(places[i].owner)].push_back(
            {rows[i].here, places[i].address, rows[i].bytes, places[i].memory});
    for (std::size_t owner = 0; owner < of_owners.size(); ++owner) {
        if (of_owners[owner].empty())
            continue;
        RequestState* one = nullptr;
        apply_rows(held, static_cast<int>(owner), of_owners[owner], update,
                   begun == nullptr ? nullptr : &one);
        if (one != nullptr)
            begun->push_back(one);
    }
}

std::vector<std::uint64_t> Window::bytes_of_keys(std::span<const std::uint64_t> keys)
{
    for (const int owner : keys_.owners())
        admit_rank("lengths", owner);
    std::vector<KeyedRow> rows;
    for (const std::uint64_t key : keys)
        rows.push_back({key, nullptr, 0});
    EngineLock held = locked();
    std::vector<std::uint64_t> bytes;
    for (const KeyPlace& place : keys_.places(held, "lengths", rows, true))
        bytes.push_back(place.bytes);
    return bytes;
}

std::vector<KeyedRow> Window::own_keys()
{
    const EngineLock held = locked();
    return keys_.own_rows();
}

void Window::compare_and_swap(const std::byte* desired, const std::byte* expected, std::byte* before,
                              std::size_t element_bytes, int rank, std::ptrdiff_t displacement,
                              RequestState** begun)
{
    const TargetBlock block{rank, displacement, element_bytes, nullptr};
    std::byte* const there = targets_.reach(block);
    if (there == nullptr) [[unlikely]]
        return swap_admitted(desired, expected, {before, element_bytes, nullptr}, block, begun);
    const EngineLock held = locked();
    detail::compare_and_swap(targets_.updater(rank), there, desired, expected, before, element_bytes);
}

void Window::swap_admitted(const std::byte* desired, const std::byte* expected, const OriginBlock& before,
                           const TargetBlock& to, RequestState** begun)
{
    TargetBytes place;
    admit("compare_and_swap", WindowUse::update, to, place);
    if (begun == nullptr)
        conflicts_.note(WindowUse::update, to, place.offset);
    if (place.is_remote) {
        swap_remote(desired, expected, before, to, place, begun);
    } else {
        const EngineLock held = locked();
        detail::compare_and_swap(targets_.updater(to.rank), place.base, desired, expected, before.base,
                                 before.count);
    }
    const std::array<OriginBlock, 2> origins{{{const_cast<std::byte*>(desired), before.count, nullptr},
                                              {const_cast<std::byte*>(expected), before.count, nullptr}}};
    loans_.note("compare_and_swap", to.rank, origins, before, begun);
}

void Window::swap_remote(const std::byte* desired, const std::byte* expected, const OriginBlock& before,
                         const TargetBlock& to, const TargetBytes& place, RequestState** begun)
{
    std::array<std::byte, 2 * WindowOperation::kMostSwappedBytes> both;
    std::memcpy(both.data(), desired, before.count);
    std::memcpy(both.data() + before.count, expected, before.count);
    EngineLock held = locked();
    const DescribedOperation described{
        "compare_and_swap", WindowOperation::Kind::swap, {both.data(), 2 * before.count, nullptr}, before};
    give(begun, queued_.queue(held, described, to, place, begun != nullptr));
}

}  // namespace tutti::detail
