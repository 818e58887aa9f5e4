// What this rank writes on its status page. Calls cost a few stores and read no clock; a wait that lasts adds
// what it is for. A rank with a profile notes its calls there, too.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "lib/core/profile/profile.hpp"
#include "lib/foundation/base/status_page.hpp"
#include "lib/foundation/control/channel.hpp"

namespace tutti::detail {

class Process;

/// Under the engine's lock, unless said otherwise.
class RankStatus {
public:
    using Words = base::CallWords;
    using Operation = base::Operation;

    /// `daemon` gets to see the page; nullptr: nobody does.
    RankStatus(int ranks, bool many_threads, control::Channel* daemon);

    /// A call that may block; it ends by ended(). `peer_of()`: the rank of the job that it waits for; -1:
    /// any, or several. Only a profile asks.
    template <class PeerOf>
    void begins(const Words& call, PeerOf&& peer_of) noexcept
    {
        write(call);
        if (tells_more_) [[unlikely]]
            begins_more(call, profile_ != nullptr ? peer_of() : -1);
    }
    void begins(const Words& call) noexcept
    {
        begins(call, [] { return -1; });
    }
    void ended() noexcept
    {
        page_->ended.store(begun_, std::memory_order_relaxed);
        if (tells_more_) [[unlikely]]
            ended_more();
    }
    /// A call that has not blocked and ends here. `begun`: what clock() was.
    void passes(const Words& call, std::uint64_t begun) noexcept
    {
        write_passing(call);
        if (tells_more_) [[unlikely]]
            passes_more(call, begun);
    }
    /// For passes(); 0 where no profile wants it.
    std::uint64_t clock() const noexcept { return profile_ != nullptr ? profile_->writer().now() : 0; }

    /// A call that may block lasts as long as this.
    class InCall {
    public:
        /// The call itself follows: begins().
        explicit InCall(RankStatus& status) noexcept : status_(status) {}
        InCall(RankStatus& status, const Words& call) noexcept : status_(status) { status.begins(call); }
        template <class PeerOf>
        InCall(RankStatus& status, const Words& call, PeerOf&& peer_of) noexcept : status_(status)
        {
            status.begins(call, peer_of);
        }
        ~InCall() { status_.ended(); }
        InCall(const InCall&) = delete;
        InCall& operator=(const InCall&) = delete;

    private:
        RankStatus& status_;
    };

    /// A call that does not block lasts as long as this.
    class Passing {
    public:
        Passing(RankStatus& status, const Words& call) noexcept : profile_(status.profile_.get())
        {
            status.write_passing(call);
            if (profile_ != nullptr) [[unlikely]]
                profile_->begins(call, -1);
        }
        ~Passing()
        {
            if (profile_ != nullptr) [[unlikely]]
                profile_->ended();
        }
        Passing(const Passing&) = delete;
        Passing& operator=(const Passing&) = delete;

    private:
        profile::Profile* const profile_;
    };

    static Words words(Operation operation, std::uint64_t context, int peer, int tag,
                       std::uint64_t bytes) noexcept
    {
        return {context, Words::pack(peer, tag), Words::what_of(operation, bytes)};
    }

    /// A wait has lasted so long: says what it is for.
    void note(Process& process, std::int64_t waited_ns) noexcept;
    void left() noexcept
    {
        page_->left.store(1, std::memory_order_relaxed);
        if (profile_ != nullptr)
            profile_->left();
    }

    /// Where to say whether `holder`, this rank, holds the lock of `target`'s memory in a window, until
    /// forget_lock(); a word for nobody if the page is full. Values: StatusLock::Held.
    base::StatusWord& add_lock(std::uint64_t context, int target, int holder) noexcept;
    void forget_lock(const base::StatusWord& held) noexcept;

    base::StatusTraffic& traffic() noexcept { return page_->traffic; }
    /// nullptr: this rank has no profile.
    base::ProfileWriter* profile() noexcept { return profile_ ? &profile_->writer() : nullptr; }

    // Any thread.
    /// The entry of a communicator until remove(); one for nobody if the page is full.
    base::StatusCommunicator& add(std::uint64_t context, int members, int rank) noexcept;
    void remove(base::StatusCommunicator& entry) noexcept;
    void name(base::StatusCommunicator& entry, std::uint64_t context, std::string_view name) noexcept;

private:
    void write(const Words& call) noexcept
    {
        // Release fence: whoever sees words of this call sees `begun` as it was stored before.
        std::atomic_thread_fence(std::memory_order_release);
        base::StatusPage& page = *page_;
        const std::uint64_t number = begun_;
        page.calls[number % base::StatusPage::kCalls].store(call);
        page.begun.store(begun_ = number + 1, std::memory_order_release);
    }
    // The same for a message's call that ends at once: its entry has no signature.
    void write_passing(const Words& call) noexcept
    {
        std::atomic_thread_fence(std::memory_order_release);
        base::StatusPage& page = *page_;
        const std::uint64_t number = begun_;
        page.calls[number % base::StatusPage::kCalls].store_message(call);
        begun_ = number + 1;
        page.begun.store(number + 1, std::memory_order_release);
        page.ended.store(number + 1, std::memory_order_relaxed);
    }
    // By value: words whose address nobody takes stay in registers.
    void begins_more(Words call, int peer) noexcept;
    void ended_more() noexcept;
    void passes_more(Words call, std::uint64_t begun) noexcept;
    void enter_thread(const Words& call) noexcept;
    void leave_thread() noexcept;
    Words current() const noexcept;
    void list_awaited(Process& process);
    void list_arrivals(Process& process);

    const base::StatusMemory page_;
    const bool many_threads_;
    const std::unique_ptr<profile::Profile> profile_;
    const bool tells_more_;  // there are many threads, or a profile
    std::uint64_t begun_ = 0;
    std::mutex communicators_;
    base::StatusCommunicator left_out_{};
    base::StatusWord lock_left_out_{};
};

}  // namespace tutti::detail
