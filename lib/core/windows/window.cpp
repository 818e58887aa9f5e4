// How windows are made and freed, and how a rank finds the others' memory.
#include "lib/core/windows/window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/check/options.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/communicators/creation.hpp"
#include "lib/core/job/allocate.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/attached_memory.hpp"
#include "lib/core/windows/window_control.hpp"
#include "lib/core/windows/window_service.hpp"
#include "transports/shm/memory_file.hpp"
#include "tutti/allocate.hpp"

namespace tutti::detail {

namespace {

// Distinguishes this process from all others.
std::uint64_t process_nonce()
{
    static const std::uint64_t nonce = transport::shm::new_nonce();
    return nonce;
}

std::vector<WindowPlace> all_places(const StatePointer& state, const WindowPlace& own)
{
    std::vector<WindowPlace> all(static_cast<std::size_t>(state->size()));
    call_allgather(state, Form::blocking,
                   {.in = {reinterpret_cast<const std::byte*>(&own), sizeof own, 1},
                    .out = {reinterpret_cast<std::byte*>(all.data()), all.size() * sizeof own, 1},
                    .in_place = false},
                   {});
    return all;
}

std::uint64_t address_of(const void* memory) noexcept
{
    return reinterpret_cast<std::uintptr_t>(memory);
}

std::byte* pointer_to(std::uint64_t address) noexcept
{
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

// nullptr when there is no memory: the other ranks have to be told.
void* allocate_or_nothing(std::size_t bytes, std::size_t alignment = 1) noexcept
{
    try {
        return allocate_aligned(bytes, alignment);
    } catch (...) {
        return nullptr;
    }
}

}  // namespace

std::shared_ptr<Window> Window::make(const StatePointer& communicator, WindowFlavor flavor,
                                     const WindowMemory& memory)
{
    if (memory.unit_bytes == 0)
        throw Error(ErrorCode::invalid_argument, "window", "a displacement unit has at least one byte");
    if (flavor == WindowFlavor::create && memory.base == nullptr && memory.size_bytes != 0)
        throw Error(ErrorCode::invalid_argument, "window",
                    fmt::format("the memory is a null pointer to {} bytes; pass memory that holds them",
                                memory.size_bytes));
    const bool one_node = std::ranges::all_of(*communicator->members(), [&](int member) {
        return member == communicator->process().rank() || communicator->process().is_local(member);
    });
    if (flavor == WindowFlavor::shared && !one_node)
        throw Error(ErrorCode::not_supported, "window",
                    "the ranks of a shared window must be of one node; split the communicator by node first");
    StatePointer own;
    static_cast<void>(dup(communicator, Form::blocking, own));
    const std::shared_ptr<Window> made(new Window(std::move(own), flavor));
    made->make_memory(memory);
    return made;
}

Window::Window(StatePointer communicator, WindowFlavor flavor)
    : communicator_(std::move(communicator)),
      process_(communicator_->process()),
      flavor_(flavor),
      targets_(static_cast<std::size_t>(communicator_->size())),
      accesses_(check::options().windows ? targets_.size() : 0),
      look_after_([this](std::size_t slot) { look_after_updater(slot); }),
      copies_(targets_.size())
{
    const std::span<const int> local = process_.bootstrap().local_peers();
    slot_ = static_cast<std::size_t>(std::ranges::lower_bound(local, process_.rank()) - local.begin());
    const auto lock = process_.engine().lock();
    name_ = fmt::format("window {}", process_.windows().next_number());
    communicator_->set_name(name_);
    process_.windows().add(*this);
}

void Window::set_name(std::string_view name)
{
    constexpr std::size_t kMostShown = 20;  // what fits the status page, with its quotes
    name_ = name;
    communicator_->set_name(fmt::format("window \"{}\"", name.substr(0, kMostShown)));
}

Window::~Window()
{
    if (freed_)
        return;
    const auto lock = process_.engine().lock();
    process_.windows().remove(*this);
    forget_locks();
    revoke_memory();
    copies_.abandon();
}

void Window::make_memory(const WindowMemory& memory)
{
    const std::size_t slots = std::max<std::size_t>(process_.bootstrap().local_peers().size(), 1);
    const std::size_t control_bytes = control_and_attached_bytes(slots);
    const int own = communicator_->rank();
    WindowPlace place{};
    place.process = process_nonce();
    place.size_bytes = flavor_ == WindowFlavor::dynamic ? 0 : memory.size_bytes;
    place.unit_bytes = flavor_ == WindowFlavor::dynamic ? 1 : memory.unit_bytes;
    place.owner = own;
    place.is_contiguous = flavor_ == WindowFlavor::shared && memory.contiguous;

    std::size_t wanted_bytes = flavor_ == WindowFlavor::create ? 0 : place.size_bytes;
    // Apart only where all allow it: whoever has not said so may count on a row.
    if (flavor_ == WindowFlavor::shared)
        places_ = all_places(communicator_, place);
    const bool in_a_row = std::ranges::any_of(places_, &WindowPlace::is_contiguous);
    if (in_a_row) {
        place.owner = 0;
        wanted_bytes = 0;
        for (const WindowPlace& each : places_)
            wanted_bytes += own == 0 ? each.size_bytes : 0;
    }
    if (wanted_bytes != 0) {
        allocated_ = allocate_or_nothing(wanted_bytes, memory.alignment);
        place.failed = allocated_ == nullptr;
    }
    control_memory_ = allocate_or_nothing(control_bytes);
    place.failed |= control_memory_ == nullptr;
    base_ = flavor_ == WindowFlavor::create ? memory.base : static_cast<std::byte*>(allocated_);
    if (place.failed == 0) {
        WindowControl::make(control_memory_, slots);
        if (flavor_ == WindowFlavor::dynamic)
            AttachedMemory::make(static_cast<std::byte*>(control_memory_) + WindowControl::size_bytes(slots));
        const auto lock = process_.engine().lock();
        place.memory_address = address_of(base_);
        place.control_address = address_of(control_memory_);
        place.memory = process_.expose({base_, in_a_row ? wanted_bytes : place.size_bytes});
        place.control = process_.expose({static_cast<const std::byte*>(control_memory_), control_bytes});
        grant_memory(place);
    }
    places_ = all_places(communicator_, place);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        WindowPlace& each = places_[i];
        if (each.failed != 0)
            throw Error(
                ErrorCode::out_of_memory, "window",
                fmt::format("rank {} has not the memory for its part of {} bytes", i, each.size_bytes),
                static_cast<int>(i));
        if (in_a_row) {
            each.memory = {places_[0].memory.address + before, places_[0].memory.key};
            each.memory_address = places_[0].memory_address + before;
            before += each.size_bytes;
        }
        targets_[i].size_bytes = each.size_bytes;
        targets_[i].unit_bytes = each.unit_bytes;
    }
    std::size_t unmapped = 0;
    {
        const auto lock = process_.engine().lock();
        look_for(own);
        for (int rank = 0; flavor_ == WindowFlavor::shared && rank < communicator_->size(); ++rank) {
            look_for(rank);
            unmapped += target(rank).memory == nullptr && target(rank).size_bytes != 0;
        }
        if (in_a_row)
            place_the_empty();
        base_ = flavor_ == WindowFlavor::create ? memory.base : target(own).memory;
    }
    if (flavor_ == WindowFlavor::shared) {
        place.failed = unmapped != 0;
        for (const WindowPlace& each : all_places(communicator_, place))
            if (each.failed != 0)
                throw Error(ErrorCode::not_supported, "window",
                            "the ranks of the node cannot map each other's memory, so they cannot share a "
                            "window; tuttirun --doctor shows why");
    }
    if (const Failure failed = barrier("window"))
        std::rethrow_exception(failed);
}

// In a row, what has no bytes begins where the last part ends, or else where the first one begins.
void Window::place_the_empty() noexcept
{
    std::byte* end = nullptr;
    for (WindowTarget& each : targets_)
        if (each.size_bytes != 0) {
            end = each.memory;
            break;
        }
    for (WindowTarget& each : targets_) {
        if (each.memory == nullptr)
            each.memory = end;
        end = each.memory + each.size_bytes;
    }
}

// Behind the control of a dynamic window is what is attached to it.
std::size_t Window::control_and_attached_bytes(std::size_t slots) const noexcept
{
    return WindowControl::size_bytes(slots) + (flavor_ == WindowFlavor::dynamic ? sizeof(AttachedMemory) : 0);
}

// Under the lock.
void Window::look_for(int rank)
{
    WindowTarget& found = target(rank);
    if (std::exchange(found.looked_for, true))
        return;
    const WindowPlace& place = places_[static_cast<std::size_t>(rank)];
    const WindowPlace& owner = places_[static_cast<std::size_t>(place.owner)];
    const std::size_t slots = std::max<std::size_t>(process_.bootstrap().local_peers().size(), 1);
    const auto mapped = [&](int member, const transport::RemoteRegion& region,
                            std::size_t bytes) -> std::byte* {
        try {
            return process_.map(communicator_->world_rank(member), region, bytes).data();
        } catch (const Error&) {
            return nullptr;  // the operation goes by frames, and reports what is wrong
        }
    };
    const auto is_local = [&](int member) { return process_.is_local(communicator_->world_rank(member)); };
    if (is_in_this_process(rank))
        found.control = reinterpret_cast<WindowControl*>(pointer_to(place.control_address));
    else if (is_local(rank))
        found.control =
            reinterpret_cast<WindowControl*>(mapped(rank, place.control, control_and_attached_bytes(slots)));
    if (found.control != nullptr && flavor_ == WindowFlavor::dynamic)
        found.attached = reinterpret_cast<AttachedMemory*>(reinterpret_cast<std::byte*>(found.control) +
                                                           WindowControl::size_bytes(slots));
    if (found.control == nullptr || place.size_bytes == 0)
        return;
    if (owner.process == process_nonce())
        found.memory = pointer_to(place.memory_address);
    else if (is_local(place.owner))
        found.memory = mapped(place.owner, place.memory, place.size_bytes);
}

// As a thread.
bool Window::is_in_this_process(int rank) const noexcept
{
    return places_[static_cast<std::size_t>(rank)].process == process_nonce();
}

std::byte* Window::direct(int rank)
{
    const auto lock = process_.engine().lock();
    look_for(rank);
    return target(rank).memory;
}

Window::Failure Window::free()
{
    if (freed_)
        return wrong(WindowFault::epoch, "free", Error::kNoPeer, "it has been freed before");
    if (epoch_ != Epoch::none && epoch_ != Epoch::fence)
        return wrong(WindowFault::epoch, "free", Error::kNoPeer,
                     fmt::format("this rank is in an epoch {}; end it first", epoch_in_words()));
    if (is_exposed_)
        return wrong(WindowFault::epoch, "free", Error::kNoPeer,
                     "its memory is exposed by post(); wait() for the end of that epoch first");
    Failure incomplete;
    {
        Engine::Lock lock = process_.engine().lock();
        settle();
        incomplete = complete_copies(lock, "free", kAnyRank);
    }
    if (Failure failed = barrier("free"))
        return failed;
    {
        const auto lock = process_.engine().lock();
        process_.windows().remove(*this);
        forget_locks();
        revoke_memory();
        for (WindowTarget& each : targets_)
            each = {.size_bytes = each.size_bytes, .unit_bytes = each.unit_bytes};
        epoch_ = Epoch::none;
        freed_ = true;
    }
    deallocate(allocated_);
    deallocate(control_memory_);
    base_ = nullptr;
    return incomplete;
}

Window::Failure Window::wrong(WindowFault fault, std::string_view operation, int rank,
                              std::string_view detail) const
{
    const std::string where = rank == Error::kNoPeer ? name_ : fmt::format("{}, rank {}", name_, rank);
    return std::make_exception_ptr(WindowError(fault, operation, fmt::format("{}: {}", where, detail), rank));
}

Window::Failure Window::not_a_rank(std::string_view operation, int rank) const
{
    return std::make_exception_ptr(
        Error(ErrorCode::invalid_rank, operation,
              fmt::format("{}: there is no rank {}; its ranks are 0 to {}", name_, rank, targets_.size() - 1),
              rank));
}

std::string_view Window::epoch_in_words() const noexcept
{
    switch (epoch_) {
        case Epoch::none:
            break;
        case Epoch::fence:
            return "of fence()";
        case Epoch::started:
            return "of start()";
        case Epoch::locks:
            return "of lock()";
        case Epoch::all_locked:
            return "of lock_all()";
    }
    return "of no kind";
}

}  // namespace tutti::detail
