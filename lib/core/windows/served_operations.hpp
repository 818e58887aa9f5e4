// What a target's progress does for origins that do not map its memory: on the same memory and by the same
// control as origins that do, so both kinds agree on atomicity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lib/core/windows/window_attachments.hpp"

namespace tutti::detail {

/// Under the engine's lock.
class ServedOperations {
public:
    ServedOperations(const WindowIdentity& window, WindowTargets& targets,
                     const WindowAttachments& attachments) noexcept
        : window_(window), targets_(targets), attachments_(attachments)
    {
    }

    /// A put, get, update or swap of `rank`: it is done, and answered.
    void serve(int rank, const WindowHeader& header, std::span<const std::byte> payload);

private:
    std::byte* memory_at(const TargetRun& run) const;
    void refuse(int rank, std::uint64_t id, const TargetRun& run) const;
    void serve_swap(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    void serve_transfer(int rank, const WindowHeader& header, std::span<const std::byte> payload);

    const WindowIdentity& window_;
    WindowTargets& targets_;
    const WindowAttachments& attachments_;
};

}  // namespace tutti::detail
