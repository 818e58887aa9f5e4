#include "lib/core/windows/window_attachments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/core/process/process.hpp"
#include "lib/core/windows/attached_memory.hpp"

namespace tutti::detail {

bool WindowAttachments::has(std::uintptr_t address, std::size_t bytes) const noexcept
{
    auto next = pieces_.upper_bound(address);
    if (next == pieces_.begin())
        return false;
    const auto first = std::prev(next);
    const std::size_t before = address - first->first;
    if (before > first->second)
        return false;
    std::size_t there = first->second - before;
    for (; there < bytes && next != pieces_.end() && next->first == address + there; ++next)
        there += next->second;
    return bytes <= there;
}

std::byte* WindowAttachments::find(int rank, std::uintptr_t address, std::size_t bytes) const
{
    if (rank == window_.rank())
        return has(address, bytes) ? reinterpret_cast<std::byte*>(address) : nullptr;
    const AttachedMemory* const attached = targets_[rank].attached;
    const auto region = attached == nullptr ? std::nullopt : attached->find(address, bytes);
    return region ? targets_.mapped(rank, address, *region, bytes) : nullptr;
}

void WindowAttachments::refuse(std::string_view operation, int rank, std::uint64_t address,
                               std::uint64_t bytes) const
{
    window_.refuse(WindowFault::range, operation, rank,
                   fmt::format("addresses {:#x} to {:#x} are not in memory that it has attached{}", address,
                               address + bytes, window_.in_epoch()));
}

void WindowAttachments::attach(void* memory, std::size_t size_bytes)
{
    if (window_.flavor() != WindowFlavor::dynamic)
        window_.refuse(WindowFault::flavor, "attach", Error::kNoPeer,
                       "memory is attached to dynamic windows only");
    const auto held = window_.process().engine().lock();
    attach_held(memory, size_bytes);
}

void WindowAttachments::attach_held(void* memory, std::size_t size_bytes)
{
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const auto next = pieces_.lower_bound(address);
    const bool overlaps_next =
        next != pieces_.end() && next->first < address + std::max<std::size_t>(size_bytes, 1);
    const bool overlaps_last = next != pieces_.begin() && has(address, 0) &&
                               address < std::prev(next)->first + std::prev(next)->second;
    if (overlaps_next || overlaps_last)
        window_.refuse(
            WindowFault::attachment, "attach", window_.rank(),
            fmt::format(
                "addresses {:#x} to {:#x} overlap memory that is attached already; detach() that first",
                address, address + size_bytes));
    pieces_.emplace(address, size_bytes);
    if (size_bytes != 0)
        targets_.own().attached->add(
            address, size_bytes,
            window_.process().expose({static_cast<const std::byte*>(memory), size_bytes}));
}

void WindowAttachments::detach(const void* memory)
{
    if (window_.flavor() != WindowFlavor::dynamic)
        window_.refuse(WindowFault::flavor, "detach", Error::kNoPeer,
                       "memory is detached from dynamic windows only");
    const auto held = window_.process().engine().lock();
    if (pieces_.erase(reinterpret_cast<std::uintptr_t>(memory)) == 0)
        window_.refuse(WindowFault::attachment, "detach", window_.rank(),
                       fmt::format("no memory is attached that begins at address {}", fmt::ptr(memory)));
    targets_.own().attached->remove(reinterpret_cast<std::uintptr_t>(memory));
}

}  // namespace tutti::detail
