#include "lib/core/windows/window_targets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/aligned_memory.hpp"
#include "lib/core/process/exposed_memory.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/windows/attached_memory.hpp"
#include "lib/core/windows/element_update.hpp"
#include "lib/core/windows/window_control.hpp"
#include "tutti/allocate.hpp"

namespace tutti::detail {

namespace {

std::uint64_t address_of(const void* memory) noexcept
{
    return reinterpret_cast<std::uintptr_t>(memory);
}

// nullptr when there is no memory: the other ranks wait for an answer.
void* allocate_or_nothing(std::size_t bytes, std::size_t alignment = 1) noexcept
{
    try {
        return allocate_aligned(bytes, alignment);
    } catch (...) {
        return nullptr;
    }
}

}  // namespace

WindowTargets::WindowTargets(const WindowIdentity& window)
    : window_(window),
      targets_(static_cast<std::size_t>(window.size())),
      places_(targets_.size()),
      look_after_([this](std::size_t slot) { look_after(slot); })
{
    const std::span<const int> local = window.process().bootstrap().local_peers();
    slots_ = std::max<std::size_t>(local.size(), 1);
    slot_ =
        static_cast<std::size_t>(std::ranges::lower_bound(local, window.process().rank()) - local.begin());
}

void WindowTargets::allocate(const WindowMemory& memory)
{
    const WindowFlavor flavor = window_.flavor();
    WindowPlace& own = own_place();
    own.process = process_nonce();
    own.size_bytes = flavor == WindowFlavor::dynamic ? 0 : memory.size_bytes;
    own.unit_bytes = flavor == WindowFlavor::dynamic ? 1 : memory.unit_bytes;
    own.owner = window_.rank();
    own.is_contiguous = flavor == WindowFlavor::shared && memory.contiguous;

    std::size_t bytes = own.size_bytes;
    if (flavor == WindowFlavor::shared)
        exchange_places();
    if (is_in_a_row()) {
        own.owner = 0;
        bytes = 0;
        for (const WindowPlace& each : places_)
            bytes += window_.rank() == 0 ? each.size_bytes : 0;
    }
    if (flavor == WindowFlavor::create) {
        base_ = memory.base;
    } else if (bytes != 0) {
        allocated_ = allocate_or_nothing(bytes, memory.alignment);
        base_ = static_cast<std::byte*>(allocated_);
        own.failed = allocated_ == nullptr;
    }
    control_memory_ = allocate_or_nothing(control_bytes());
    own.failed |= control_memory_ == nullptr;
    if (own.failed == 0)
        expose_own(bytes);
}

// `bytes` at base_.
void WindowTargets::expose_own(std::size_t bytes)
{
    WindowControl::make(control_memory_, slots_);
    if (window_.flavor() == WindowFlavor::dynamic)
        AttachedMemory::make(static_cast<std::byte*>(control_memory_) + WindowControl::size_bytes(slots_));
    Process& process = window_.process();
    const auto lock = process.engine().lock();
    WindowPlace& own = own_place();
    own.memory_address = address_of(base_);
    own.control_address = address_of(control_memory_);
    own.memory = process.expose({base_, bytes});
    own.control = process.expose({static_cast<const std::byte*>(control_memory_), control_bytes()});
}

void WindowTargets::find(const WindowMemory& memory)
{
    exchange_places();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].failed != 0)
            throw Error(
                ErrorCode::out_of_memory, "window",
                fmt::format("rank {} has not the memory for its part of {} bytes", i, places_[i].size_bytes),
                static_cast<int>(i));
        targets_[i].size_bytes = places_[i].size_bytes;
        targets_[i].unit_bytes = places_[i].unit_bytes;
    }
    if (is_in_a_row())
        lay_in_a_row();
    if (window_.flavor() == WindowFlavor::shared)
        map_all();
    const auto lock = window_.process().engine().lock();
    look_for(window_.rank());
    base_ = window_.flavor() == WindowFlavor::create ? memory.base : own().memory;
}

// Collective.
void WindowTargets::exchange_places()
{
    const WindowPlace own = own_place();
    call_allgather(window_.communicator(), Form::blocking,
                   {.in = {reinterpret_cast<const std::byte*>(&own), sizeof own, 1},
                    .out = {reinterpret_cast<std::byte*>(places_.data()), places_.size() * sizeof own, 1},
                    .in_place = false},
                   {});
}

// Whether the parts of a shared window follow each other, in memory of rank 0. Each rank may count on that
// unless it has said that they may lie apart, so one that has not is enough.
bool WindowTargets::is_in_a_row() const noexcept
{
    return std::ranges::any_of(places_, &WindowPlace::is_contiguous);
}

void WindowTargets::lay_in_a_row() noexcept
{
    std::uint64_t before = 0;
    for (WindowPlace& each : places_) {
        each.memory = {places_[0].memory.address + before, places_[0].memory.key};
        each.memory_address = places_[0].memory_address + before;
        before += each.size_bytes;
    }
}

// Collective, of a shared window: throws on all ranks where one cannot map all parts.
void WindowTargets::map_all()
{
    {
        const auto lock = window_.process().engine().lock();
        for (int rank = 0; rank < window_.size(); ++rank) {
            look_for(rank);
            own_place().failed |= (*this)[rank].memory == nullptr && (*this)[rank].size_bytes != 0;
        }
        if (is_in_a_row())
            place_the_empty();
    }
    exchange_places();
    if (std::ranges::any_of(places_, [](const WindowPlace& each) { return each.failed != 0; }))
        throw Error(ErrorCode::not_supported, "window",
                    "the ranks of the node cannot map each other's memory, so they cannot share a window; "
                    "tuttirun --doctor shows why");
}

// In a row, what has no bytes begins where the last part ends, or else where the first one begins.
void WindowTargets::place_the_empty() noexcept
{
    const auto first = std::ranges::find_if(targets_, [](const auto& each) { return each.size_bytes != 0; });
    std::byte* end = first == targets_.end() ? nullptr : first->memory;
    for (WindowTarget& each : targets_) {
        if (each.memory == nullptr)
            each.memory = end;
        end = each.memory + each.size_bytes;
    }
}

// All but its size.
void WindowTarget::forget() noexcept
{
    reach = nullptr;
    memory = nullptr;
    control = nullptr;
    attached = nullptr;
    held = nullptr;
    looked_for = is_being_locked = false;
    cover = WindowCover::none;
}

void WindowTargets::free()
{
    {
        const auto lock = window_.process().engine().lock();
        for (WindowTarget& each : targets_)
            each.forget();
    }
    deallocate(allocated_);
    deallocate(control_memory_);
    base_ = nullptr;
}

// Behind the control of a dynamic window is what is attached to it.
std::size_t WindowTargets::control_bytes() const noexcept
{
    return WindowControl::size_bytes(slots_) +
           (window_.flavor() == WindowFlavor::dynamic ? sizeof(AttachedMemory) : 0);
}

void WindowTargets::map(int rank)
{
    WindowTarget& found = (*this)[rank];
    found.looked_for = true;
    const WindowPlace& there = place(rank);
    std::byte* const control = mapped(rank, there.control_address, there.control, control_bytes());
    if (control == nullptr)
        return;
    found.control = reinterpret_cast<WindowControl*>(control);
    if (window_.flavor() == WindowFlavor::dynamic)
        found.attached = reinterpret_cast<AttachedMemory*>(control + WindowControl::size_bytes(slots_));
    if (there.size_bytes != 0)
        found.memory = mapped(there.owner, there.memory_address, there.memory, there.size_bytes);
}

std::byte* WindowTargets::mapped(int rank, std::uint64_t address, const transport::RemoteRegion& region,
                                 std::size_t bytes) const
{
    // Where it is not mapped, operations go by frames.
    return detail::mapped(window_.process(), window_.world_rank(rank),
                          {place(rank).process, address, bytes, region});
}

Updater WindowTargets::updater(int rank) noexcept
{
    return {*(*this)[rank].control, slot_, look_after_};
}

int WindowTargets::rank_of_slot(std::size_t slot) const
{
    const std::vector<int>& members = *window_.communicator()->members();
    const int peer = window_.process().bootstrap().local_peers()[slot];
    return static_cast<int>(std::ranges::find(members, peer) - members.begin());
}

// Within an update, which waits for that of another rank; also in a pass of progress.
void WindowTargets::look_after(std::size_t slot) const
{
    const int rank = rank_of_slot(slot);
    if (window_.process().diagnosis().look_after(window_.world_rank(rank)) != transport::Presence::gone)
        return;
    throw Error(
        ErrorCode::peer_lost, "accumulate",
        fmt::format(
            "{}: rank {} was lost while it was changing elements of it{}; nobody can change them any more",
            window_.name(), rank, window_.in_epoch()),
        rank);
}

}  // namespace tutti::detail
