// A status page as values. Nothing of it is believed: numbers are whatever the rank wrote, lists are bounded,
// texts are printable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/foundation/observe/status_page.hpp"

namespace tutti::launcher {

struct PageView {
    struct Call : observe::CallWords {
        std::uint64_t times = 1;  // so often in a row
    };

    struct Communicator {
        std::uint64_t context = 0;
        std::uint32_t number = 0;  // of its next collective
        int members = 0;
        std::string name;  // empty: it has none
    };
    struct Await {
        std::uint64_t context = 0;
        int source = 0;  // as the rank wrote it in the envelope
        int tag = 0;
        int peer = 0;  // in the job; -1: any
        bool send = false;
        bool own = false;      // the call waits for nothing else
        bool matched = false;  // and only data is missing
        bool at_window = false;
        std::string_view protocol{};  // of a send; empty: it is not offered
    };
    struct Arrival {
        std::uint64_t context = 0;
        int source = 0;
        int tag = 0;
        int sender = 0;  // in the job
        std::uint64_t bytes = 0;
    };
    struct Lock {
        std::uint64_t context = 0;
        int target = 0;  // whose memory it is for; both are ranks of the window
        int holder = 0;
        bool shared = false;
    };
    struct Situation {
        std::uint64_t begun = 0;
        std::uint64_t moves = 0;
        bool in_call = false;  // else it tests requests
        std::int64_t since_ns = 0;
        std::uint64_t posted = 0;
        std::uint64_t unexpected = 0;
        std::uint64_t offered = 0;
        std::vector<Await> awaits;
        std::vector<Arrival> arrivals;
        std::string text;
    };

    std::uint64_t begun = 0;  // calls
    bool calling = false;     // the rank is in the last one
    observe::StatusCount::Values sent;
    observe::StatusCount::Values arrived;
    std::uint64_t moves = 0;
    std::int64_t pid = 0;
    bool many_threads = false;
    bool left = false;
    std::vector<Call> calls;    // the newest first
    std::vector<Call> threads;  // in calls, where several may be
    std::vector<Communicator> communicators;
    std::vector<Lock> locks;             // of windows, that the rank holds
    bool more_locks = false;             // and there may be others
    std::optional<Situation> situation;  // that of a wait in which nothing has happened since it was noted

    bool in_call() const noexcept { return many_threads ? !threads.empty() : calling; }
    /// It waits in a call, or, if in none, polls requests.
    bool waits() const noexcept { return situation && situation->in_call && in_call(); }
    bool polls() const noexcept { return situation && !situation->in_call && !in_call(); }
    /// "world", "\"rows\"", "communicator 0.3".
    std::string name_of(std::uint64_t context) const;

    /// The situation is left out where the rank changes it all the time.
    static PageView of(const observe::StatusPage& page);
};

}  // namespace tutti::launcher
