// What a rank writes into its profile, by the parts that see it: the core its calls, the protocol the
// messages, the engine how long it found nothing to do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "lib/foundation/base/ticks.hpp"
#include "lib/foundation/observe/profile_page.hpp"

namespace tutti::observe {

/// Under the engine's lock.
class ProfileWriter {
public:
    ProfileWriter(ProfileMemory memory, bool many_threads) noexcept;
    ProfileWriter(const ProfileWriter&) = delete;
    ProfileWriter& operator=(const ProfileWriter&) = delete;

    std::uint64_t now() const noexcept { return base::ticks(of_processor_); }
    const ProfileMemory& memory() const noexcept { return memory_; }

    /// The calling thread begins a call. `peer`: the rank of the job that it waits for, if it does; -1: any.
    void begins(const CallWords& call, int peer, std::uint64_t caller, std::uint64_t begin_ticks) noexcept;
    /// The calling thread is in no call any more, if it was in one.
    void ended() noexcept;
    /// A call of a helper thread, by the kernel's number of it, between two moments of now().
    void helper_was_in(const CallWords& call, std::uint64_t thread, std::uint64_t begin_ticks,
                       std::uint64_t end_ticks) noexcept;

    /// A message of this rank, which goes after `at`, and one that has arrived with its envelope at least.
    /// `protocol`: empty if it is still to be chosen; of one that has arrived, as its sender has chosen.
    void sent(int peer, std::uint64_t context, int tag, std::uint64_t bytes,
              std::optional<MessageProtocol> protocol, std::uint64_t at) noexcept;
    void arrived(int peer, std::uint64_t context, int tag, std::uint64_t bytes,
                 MessageProtocol protocol) noexcept;
    /// How a message of this rank went in the end.
    void took(MessageProtocol protocol, std::uint64_t bytes) noexcept;

    /// The calling thread has waited in its call, for the call's peer or else the one whose message came.
    void waited(std::uint64_t ticks) noexcept;
    /// When the call began, if the thread is in one that has not waited yet; else 0.
    std::uint64_t fresh_since() const noexcept;

private:
    struct Open {
        bool open = false;
        CallWords call;
        int peer = -1;
        std::uint64_t caller = 0;
        std::uint64_t begin_ticks = 0;
        std::uint64_t waited_ticks = 0;
    };
    static Open& open() noexcept;
    ProfilePeer& entry(int peer) noexcept
    {
        const auto index = static_cast<std::size_t>(peer);
        return memory_.peers()[std::min(index, memory_.peers().size() - 1)];
    }
    ProfileAggregate* find(std::uint64_t key, std::uint64_t context) noexcept;
    void count(const Open& call, std::uint64_t end_ticks, std::uint64_t thread) noexcept;
    void note_event(const Open& call, std::uint64_t end_ticks, std::uint64_t thread) noexcept;
    void note_message(int peer, std::uint64_t context, int tag, std::uint64_t number, std::uint64_t bytes,
                      std::optional<MessageProtocol> protocol, bool arrived, std::uint64_t at) noexcept;

    ProfileMemory memory_;
    const bool many_threads_;
    const bool of_processor_ = base::ticks_are_of_processor();
    int last_peer_ = -1;  // whose message came last, since the last wait
};

/// For a wait without a profile.
struct NoIdleTime {
    void looks() noexcept {}
    void moved() noexcept {}
    void idled() noexcept {}
};

/// How long a wait finds nothing to do.
class IdleTime {
public:
    explicit IdleTime(ProfileWriter& profile) noexcept : profile_(profile)
    {
        moved_ = (mark_ticks_ = profile_.fresh_since()) == 0;
    }
    ~IdleTime() { hand_in(); }
    IdleTime(const IdleTime&) = delete;
    IdleTime& operator=(const IdleTime&) = delete;

    /// Before a pass of progress.
    void looks() noexcept
    {
        if (moved_)
            resume();
    }
    /// The pass has found something.
    void moved() noexcept { moved_ = true; }
    /// The pass has found nothing, and the thread has slept or given way.
    void idled() noexcept
    {
        const std::uint64_t now = profile_.now();
        waited_ticks_ += now > mark_ticks_ ? now - mark_ticks_ : 0;
        mark_ticks_ = now;
    }

private:
    void resume() noexcept
    {
        hand_in();
        mark_ticks_ = profile_.now();
        moved_ = false;
    }
    void hand_in() noexcept
    {
        if (waited_ticks_ != 0)
            profile_.waited(waited_ticks_);
        waited_ticks_ = 0;
    }

    ProfileWriter& profile_;
    bool moved_ = false;
    std::uint64_t mark_ticks_ = 0;
    std::uint64_t waited_ticks_ = 0;
};

}  // namespace tutti::observe
