// Operations on memory that this rank does not map, and locks of such targets: frames ask the target, whose
// progress answers (served_operations.hpp, window_locks.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "lib/core/windows/window_attachments.hpp"
#include "lib/core/windows/window_waits.hpp"

namespace tutti::detail {

/// The bytes of a target that an operation accesses.
struct TargetBytes {
    std::byte* base = nullptr;  // where the displacement leads, if this process maps it: perhaps to 0
    std::ptrdiff_t offset = 0;  // likewise in the target's memory
    bool has_bytes = false;     // at the target
    bool is_remote = false;     // this process does not map them
    WindowAim aim;
};

/// Under the engine's lock. Errors are thrown.
class WindowQuestions {
public:
    WindowQuestions(const WindowIdentity& window, WindowWaits& waits,
                    const WindowAttachments& attachments) noexcept
        : window_(window), waits_(waits), attachments_(attachments)
    {
    }

    /// Returns when the target has answered.
    void ask(EngineLock& lock, std::string_view operation, const WindowAim& aim, WindowHeader::What what,
             std::size_t offset, std::span<const std::byte> payload, std::span<std::byte> answer);
    /// Data of an operation, which lie in a row here: `from` of put and update; `before` of get, and of
    /// updates that fetch. nullptr: no such data.
    void transfer(EngineLock& lock, std::string_view operation, const TargetBlock& there,
                  const TargetBytes& place, const std::byte* from, std::byte* before, const Update* update);
    void take_answer(int rank, const WindowHeader& header, std::span<const std::byte> payload);

private:
    class Conversation;
    class Transfer;
    struct Question {
        Conversation* of;
        std::span<std::byte> answer;
    };

    const WindowIdentity& window_;
    WindowWaits& waits_;
    const WindowAttachments& attachments_;
    std::map<std::uint64_t, Question> unanswered_;  // by id
    std::uint64_t asked_ = 0;
};

}  // namespace tutti::detail
