// What a rank sleeps on: the futex word that its peers ring, or, where a transport's arrivals come through
// the kernel, file descriptors: theirs, the doorbell's and one of its own, all at once.
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
    /// What one sleep is for: it looks at nothing that other threads may change meanwhile. A transport that
    /// is added later ends it.
    class Ticket {
        friend class Sleeper;
        std::atomic<std::uint32_t>* word_ = nullptr;
        std::uint32_t rung_ = 0;
        std::shared_ptr<const std::vector<pollfd>> descriptors_;  // nullptr: the word alone
        bool deaf_ = false;                                       // no descriptor tells of the word
    };

    Sleeper() = default;
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

    /// Arrivals that this one tells of shall end sleeps. At most one has a word. Throws tutti::Error where
    /// the process may open no more files.
    void add(transport::Doorbell& doorbell);

    /// From now on arrivals ring. What came before is seen by a pass of progress after it.
    void arm();
    void disarm() noexcept;
    /// For sleep(): taken after arm() and before the last look for arrivals.
    Ticket ticket() const;

    /// Returns after an arrival or a wake() since the ticket was taken, after `longest_ns`, or early.
    static void sleep(const Ticket& ticket, std::int64_t longest_ns);
    /// Ends the sleeps of all threads of this process.
    void wake() noexcept;

    bool anybody() const noexcept { return sleepers_ != 0; }

private:
    void list_descriptors();

    transport::Doorbell* with_word_ = nullptr;
    std::atomic<std::uint32_t> own_word_{0};  // where no doorbell has one
    std::atomic<std::uint32_t>* word_ = &own_word_;
    std::vector<transport::Doorbell*> with_fd_;               // those without; then sleeps are polls
    std::shared_ptr<const std::vector<pollfd>> descriptors_;  // of all these; replaced, never changed
    int word_fd_ = -1;
    base::UniqueFd wake_fd_;  // an eventfd: readable from wake() on until nobody sleeps any more
    unsigned sleepers_ = 0;   // threads between arm() and disarm()
};

}  // namespace tutti::progress
