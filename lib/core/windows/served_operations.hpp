// What a target's progress does for origins that do not map its memory: on the same memory and by the same
// control as origins that do, so both kinds agree on atomicity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/core/windows/row_updates.hpp"
#include "lib/core/windows/window_attachments.hpp"

namespace tutti::detail {

/// Under the engine's lock.
class ServedOperations {
public:
    ServedOperations(const WindowIdentity& window, WindowTargets& targets,
                     const WindowAttachments& attachments, RowUpdates& rows) noexcept
        : window_(window), targets_(targets), attachments_(attachments), row_updates_(rows)
    {
    }

    /// A frame of operations of `rank`: they are done, and answered if they fetch or the frame says so.
    void serve(int rank, const WindowHeader& header, std::span<const std::byte> payload);

private:
    struct Part;

    bool send_only_read(int rank, const WindowHeader& header, std::span<const std::byte> payload) const;
    std::byte* memory_at(const TargetRun& run) const;
    void refuse(int rank, std::uint64_t id, std::uint64_t part, const TargetRun& run) const;
    void serve_part(const Part& part);
    void serve_rows(const Part& part, std::byte* answer);
    void apply_rows(const Part& part, std::byte* data);
    void serve_run(const Part& part, std::size_t done, std::span<std::byte> there, std::byte* before);

    const WindowIdentity& window_;
    WindowTargets& targets_;
    const WindowAttachments& attachments_;
    RowUpdates& row_updates_;
    // Of the frame that is served.
    std::unique_ptr<std::byte[]> answer_;
    std::size_t answer_bytes_ = 0;
    std::vector<MappedRow> rows_;  // of the operation that is served
};

}  // namespace tutti::detail
