// What a rank sleeps on: the futex word that its peers ring. If a transport's arrivals come through the
// kernel: file descriptors of that transport, of the doorbell and of the sleeper itself, all at once.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/foundation/base/unique_fd.hpp"
#include "transports/doorbell.hpp"

namespace tutti::progress {

/// All calls but sleep() are made under the engine's lock.
class Sleeper {
public:
    /// The input of one sleep: nothing in it changes while other threads run. A transport that is added later
    /// ends the sleep.
    class Ticket {
        friend class Sleeper;
        std::atomic<std::uint32_t>* word_ = nullptr;
        std::uint32_t rung_ = 0;
        std::shared_ptr<const std::vector<pollfd>> descriptors_;  // nullptr: the word alone
        bool only_polls_word_ = false;  // no descriptor reports a change of the word
    };

    Sleeper() = default;
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

    /// Arrivals at this doorbell end sleeps. At most one doorbell has a word. Throws tutti::Error if the
    /// process may open no more files.
    void add(transport::Doorbell& doorbell);

    /// Arrivals ring from now on. A pass of progress afterwards sees the earlier ones.
    void arm();
    void disarm() noexcept;
    /// The argument of sleep(), taken after arm() and before the last look for arrivals.
    Ticket ticket() const;

    /// Returns after an arrival or a wake() since the ticket was taken, after `longest_ns`, or early.
    static void sleep(const Ticket& ticket, std::int64_t longest_ns);
    /// Ends the sleeps of all threads of this process.
    void wake() noexcept;

    bool anybody() const noexcept { return sleepers_ != 0; }

private:
    void list_descriptors();

    transport::Doorbell* with_word_ = nullptr;
    std::atomic<std::uint32_t> own_word_{0};  // used if no doorbell has a word
    std::atomic<std::uint32_t>* word_ = &own_word_;
    std::vector<transport::Doorbell*> with_fd_;  // doorbells without a word; if any, sleeps are polls
    std::shared_ptr<const std::vector<pollfd>> descriptors_;  // of all these; replaced, never changed
    int word_fd_ = -1;
    base::UniqueFd wake_fd_;  // an eventfd: readable from wake() until no thread sleeps
    unsigned sleepers_ = 0;   // threads between arm() and disarm()
};

}  // namespace tutti::progress
