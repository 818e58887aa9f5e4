// Questions that a rank asks another one of the window and waits for: for locks, and whether it is there.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "lib/core/windows/window_waits.hpp"

namespace tutti::detail {

/// Under the engine's lock. Errors are thrown.
class WindowQuestions {
public:
    WindowQuestions(const WindowIdentity& window, WindowWaits& waits) noexcept
        : window_(window), waits_(waits)
    {
    }

    /// Returns when the target has answered.
    void ask(EngineLock& lock, std::string_view operation, const WindowAim& aim, WindowHeader::What what,
             std::uint64_t detail = 0);
    void take_answer(int rank, const WindowHeader& header);

private:
    struct Question {
        int rank;
        bool answered;
    };

    const WindowIdentity& window_;
    WindowWaits& waits_;
    std::map<std::uint64_t, Question> asked_;  // by id
    std::uint64_t ids_ = 0;
};

}  // namespace tutti::detail
