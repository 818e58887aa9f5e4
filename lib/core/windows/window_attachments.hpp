// What a rank attaches to a dynamic window. The rank itself knows all of it, and checks each access that
// comes by frames; ranks of its node find what they can map (attached_memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "lib/core/windows/window_targets.hpp"

namespace tutti::detail {

class WindowAttachments {
public:
    WindowAttachments(const WindowIdentity& window, WindowTargets& targets) noexcept
        : window_(window), targets_(targets)
    {
    }

    void attach(void* memory, std::size_t size_bytes);
    /// Likewise, under the engine's lock.
    void attach_held(void* memory, std::size_t size_bytes);
    void detach(const void* memory);

    /// Whether this rank has attached these bytes: in pieces that follow each other without a gap.
    bool has(std::uintptr_t address, std::size_t bytes) const noexcept;
    /// Attached memory of a rank where this process maps it; nullptr: it does not, or nothing is attached
    /// there. Under the engine's lock.
    std::byte* find(int rank, std::uintptr_t address, std::size_t bytes) const;
    /// Throws: these bytes of `rank` are not attached.
    [[noreturn]] void refuse(std::string_view operation, int rank, std::uint64_t address,
                             std::uint64_t bytes) const;

private:
    const WindowIdentity& window_;
    WindowTargets& targets_;
    std::map<std::uintptr_t, std::size_t> pieces_;  // of this rank: bytes by address
};

}  // namespace tutti::detail
