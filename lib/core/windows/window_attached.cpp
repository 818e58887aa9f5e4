// The memory of dynamic windows. Its rank knows what it has attached, and checks each access by frames; ranks
// of its node find what they map (attached_memory.hpp).
#include <fmt/format.h>

#include <algorithm>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/attached_memory.hpp"
#include "lib/core/windows/window.hpp"

namespace tutti::detail {

// Within pieces of memory that were attached, one behind the other without a gap.
bool Window::is_attached(std::uintptr_t address, std::size_t bytes) const noexcept
{
    auto next = attached_.upper_bound(address);
    if (next == attached_.begin())
        return false;
    const auto first = std::prev(next);
    const std::size_t before = address - first->first;
    if (before > first->second)
        return false;
    std::size_t there = first->second - before;
    for (; there < bytes && next != attached_.end() && next->first == address + there; ++next)
        there += next->second;
    return bytes <= there;
}

// Attached memory of a rank where this process maps it; nullptr: it does not, or nothing is attached there.
std::byte* Window::attached_at(int rank, std::uintptr_t address, std::size_t bytes)
{
    const auto own = [&] { return reinterpret_cast<std::byte*>(address); };
    const auto held = process_.engine().lock();
    if (rank == communicator_->rank())
        return is_attached(address, bytes) ? own() : nullptr;
    const AttachedMemory* const attached = target(rank).attached;
    const auto region = attached == nullptr ? std::nullopt : attached->find(address, bytes);
    if (!region)
        return nullptr;
    if (is_in_this_process(rank))
        return own();
    try {
        return process_.map(communicator_->world_rank(rank), *region, bytes).data();
    } catch (const Error&) {
        return nullptr;  // the operation goes by frames, and reports what is wrong
    }
}

Window::Failure Window::not_attached(std::string_view operation, int rank, std::uint64_t address,
                                     std::uint64_t bytes) const
{
    return wrong(WindowFault::range, operation, rank,
                 fmt::format("addresses {:#x} to {:#x} are not in memory that it has attached{}", address,
                             address + bytes, in_epoch()));
}

Window::Failure Window::attach(void* memory, std::size_t size_bytes)
{
    if (flavor_ != WindowFlavor::dynamic)
        return wrong(WindowFault::flavor, "attach", Error::kNoPeer,
                     "memory is attached to dynamic windows only");
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const auto held = process_.engine().lock();
    const auto next = attached_.lower_bound(address);
    const bool overlaps_next =
        next != attached_.end() && next->first < address + std::max<std::size_t>(size_bytes, 1);
    const bool overlaps_last = next != attached_.begin() && is_attached(address, 0) &&
                               address < std::prev(next)->first + std::prev(next)->second;
    if (overlaps_next || overlaps_last)
        return wrong(
            WindowFault::attachment, "attach", communicator_->rank(),
            fmt::format(
                "addresses {:#x} to {:#x} overlap memory that is attached already; detach() that first",
                address, address + size_bytes));
    attached_.emplace(address, size_bytes);
    if (size_bytes != 0)
        target(communicator_->rank())
            .attached->add(address, size_bytes,
                           process_.expose({static_cast<const std::byte*>(memory), size_bytes}));
    return nullptr;
}

Window::Failure Window::detach(const void* memory)
{
    if (flavor_ != WindowFlavor::dynamic)
        return wrong(WindowFault::flavor, "detach", Error::kNoPeer,
                     "memory is detached from dynamic windows only");
    const auto held = process_.engine().lock();
    if (attached_.erase(reinterpret_cast<std::uintptr_t>(memory)) == 0)
        return wrong(WindowFault::attachment, "detach", communicator_->rank(),
                     fmt::format("no memory is attached that begins at address {}", fmt::ptr(memory)));
    target(communicator_->rank()).attached->remove(reinterpret_cast<std::uintptr_t>(memory));
    return nullptr;
}

}  // namespace tutti::detail
