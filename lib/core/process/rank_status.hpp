// What this rank writes on its status page. Calls cost a few stores and read no clock; a wait that lasts adds
// what it is for. A rank with a profile notes its calls there, too.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "lib/core/profile/profile.hpp"
#include "lib/foundation/control/channel.hpp"
#include "lib/foundation/observe/status_page.hpp"

namespace tutti::detail {

/// Under the engine's lock, unless said otherwise.
class RankStatus {
public:
    using Words = observe::CallWords;
    using Operation = observe::Operation;

    /// `daemon` gets to see the page; nullptr: nobody does.
    RankStatus(int ranks, bool many_threads, control::Channel* daemon);

    /// A call that may block; it ends by ended(). `peer_of()`: the rank of the job that it waits for; -1:
    /// any, or several. Only a profile asks.
    template <class PeerOf>
    void begins(const Words& call, PeerOf&& peer_of) noexcept
    {
        write(call);
        if (notes_more_) [[unlikely]]
            begins_more(call, profile_ != nullptr ? peer_of() : -1);
    }
    void begins(const Words& call) noexcept
    {
        begins(call, [] { return -1; });
    }
    void ended() noexcept
    {
        observe::StatusWord& entered = page_->entered;
        entered.store(entered.load(std::memory_order_relaxed) & ~std::uint64_t{1}, std::memory_order_relaxed);
        if (notes_more_) [[unlikely]]
            ended_more();
    }
    /// A call that has not blocked and ends here. `begun`: what clock() was.
    void passes(const Words& call, std::uint64_t begun) noexcept
    {
        write_passing(call);
        if (begun != 0) [[unlikely]]
            passes_more(call.context, call.peer_and_tag, call.what, begun);
    }
    /// A call of a helper thread of this rank, by the kernel's number of it, between two moments of clock().
    void helper_was_in(const Words& call, std::uint64_t thread, std::uint64_t begun,
                       std::uint64_t ended) noexcept
    {
        if (profile_ != nullptr)
            profile_->writer().helper_was_in(call, thread, begun, ended);
    }
    /// For passes() and helper_was_in(), which any thread may ask; 0 where no profile wants it, and only
    /// there.
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
                status.passing_begins(call.context, call.peer_and_tag, call.what);
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

    /// For whoever says what a long wait is for.
    observe::StatusPage& page() noexcept { return *page_; }
    /// The call that this rank is in; none where several threads may be in calls.
    Words current() const noexcept { return page_->in_call() && !many_threads_ ? last_call() : Words(); }
    Words last_call() const noexcept
    {
        return page_->entry(page_->entered.load(std::memory_order_relaxed), 1).load();
    }
    void left() noexcept
    {
        page_->left.store(1, std::memory_order_relaxed);
        if (profile_ != nullptr)
            profile_->left();
    }

    /// Where to say whether `holder`, this rank, holds the lock of `target`'s memory in a window, until
    /// forget_lock(); a word for nobody if the page is full. Values: StatusLock::Held.
    observe::StatusWord& add_lock(std::uint64_t context, int target, int holder) noexcept;
    void forget_lock(const observe::StatusWord& held) noexcept;

    observe::StatusTraffic& traffic() noexcept { return page_->traffic; }
    /// nullptr: this rank has no profile.
    observe::ProfileWriter* profile() noexcept { return profile_ ? &profile_->writer() : nullptr; }

    // Any thread.
    /// The entry of a communicator until remove(); one for nobody if the page is full.
    observe::StatusCommunicator& add(std::uint64_t context, int members, int rank) noexcept;
    void remove(observe::StatusCommunicator& entry) noexcept;
    void name(observe::StatusCommunicator& entry, std::uint64_t context, std::string_view name) noexcept;

private:
    void write(const Words& call) noexcept
    {
        observe::StatusPage& page = *page_;
        const std::uint64_t entered = page.entered.load(std::memory_order_relaxed);
        // Release fence: whoever sees words of this call sees `entered` as it was stored before.
        std::atomic_thread_fence(std::memory_order_release);
        page.entry(entered, 0).store(call);
        page.entered.store((entered | 1) + 2, std::memory_order_release);
        if (passed_.what != 0)
            passed_.what = 0;
    }
    // Writes a message's call that ends at once. One like the call before costs one store: messages wait in
    // the processor's queue of stores while lines are fetched from the peer.
    void write_passing(const Words& call) noexcept
    {
        if (passed_.what == call.what && passed_.peer_and_tag == call.peer_and_tag &&
            passed_.context == call.context) [[likely]]
            observe::add_to(page_->repeated, 1);
        else
            write_other(call.context, call.peer_and_tag, call.what);
    }
    // Words one by one, or by value: those whose address nobody takes stay in registers.
    void write_other(std::uint64_t context, std::uint64_t peer_and_tag, std::uint64_t what) noexcept;
    void passes_more(std::uint64_t context, std::uint64_t peer_and_tag, std::uint64_t what,
                     std::uint64_t begun) noexcept;
    void passing_begins(std::uint64_t context, std::uint64_t peer_and_tag, std::uint64_t what) noexcept;
    void begins_more(Words call, int peer) noexcept;
    void ended_more() noexcept;
    void enter_thread(const Words& call) noexcept;
    void leave_thread() noexcept;

    const observe::StatusMemory page_;
    const bool many_threads_;
    const std::unique_ptr<profile::Profile> profile_;
    const bool notes_more_;  // there are many threads, or a profile
    Words passed_;           // a passing call that came several times and last; `what` is 0: there is none
    std::mutex communicators_;
    observe::StatusCommunicator left_out_{};
    observe::StatusWord lock_left_out_{};
};

}  // namespace tutti::detail
