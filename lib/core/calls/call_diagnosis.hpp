// What a rank does when it has waited long in a collective: it finds out whether others call another one.
//
// Ranks that make different calls exchange no messages (call_signature.hpp), and wait. So a rank that has
// waited long tells each rank that it waits for which call it is in. That rank compares, when it next makes
// progress, with its call of the same number: it may not have made it yet, or the same, and then says
// nothing. If it was another one it answers with it, and both ranks fail with an error that names both calls.
// A rank that has left, or does not answer, may have left a message whose mark tells as much.
//
// Ranks that block in calls of different communicators may wait for each other in a circle, though no two
// calls differ. So a rank that has waited long also says that it blocks, and in which call (call_wait). Who
// hears it, has not made that call and blocks in another one itself, passes it on to all that it waits for:
// it cannot make the call before they make its own. A chain that comes back to where it began, while the rank
// there still blocks in the same call, is a circle, and nothing will end it (the edge chasing of Chandy,
// Misra and Haas, "Distributed deadlock detection", 1983). Where several threads of a rank call, another one
// may make the call: such ranks neither begin chains nor pass them on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "lib/core/calls/call_signature.hpp"
#include "lib/engine/protocol/protocol.hpp"

namespace tutti::detail {

class CommunicatorGroup;
class CommunicatorState;

/// A call of this rank, by its communicator's context for collectives and its number there.
struct CallPlace {
    std::uint64_t context = 0;
    std::uint32_t number = 0;

    friend bool operator==(const CallPlace&, const CallPlace&) = default;
};

/// The communicators of a rank, by the context of their collectives. They take themselves out when they end,
/// which may be after the rank has.
class CommunicatorTable {
public:
    void add(CommunicatorState& state);
    void remove(const CommunicatorState& state) noexcept;
    /// Calls use(CommunicatorState&), which stays alive meanwhile, if there is one.
    template <class Use>
    void with(std::uint64_t collective_context, Use&& use)
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = states_.find(collective_context); found != states_.end())
            use(*found->second);
    }

    /// Calls use(const CommunicatorState&) for each.
    template <class Use>
    void for_each(Use&& use)
    {
        const std::lock_guard lock(mutex_);
        for (const auto& entry : states_)
            use(*entry.second);
    }

private:
    std::mutex mutex_;  // communicators end without the engine's lock
    std::unordered_map<std::uint64_t, CommunicatorState*> states_;
};

/// Of call_inquiry and call_differs, the answer of who makes another call. The context is the collectives'.
struct CallHeader {
    protocol::Lead lead;
    std::uint32_t rank;  // the sender's, in the communicator
    std::uint32_t number;
    std::array<std::uint64_t, 2> signature;
};

/// A collective call that its sender blocks in, because the receiver has not made it. `origin` began this
/// chain of waits: a rank of the job, which counts its chains.
struct CallWaitHeader {
    protocol::Lead lead;
    std::uint32_t rank;  // the sender's, in the communicator
    std::uint32_t number;
    std::uint32_t origin;
    std::uint32_t chain;
    std::uint64_t kind;  // of the call
};

/// Under the engine's lock.
class CallDiagnosis final {
public:
    /// `one_thread`: no two threads of the program are in calls at once.
    CallDiagnosis(protocol::Protocol& protocol, int rank, bool one_thread) noexcept
        : protocol_(protocol), rank_(rank), one_thread_(one_thread)
    {
    }

    /// While one exists, all that the program does is wait for the end of that call.
    class Blocked {
    public:
        /// nullptr: of no collective.
        Blocked(CallDiagnosis& calls, const CommunicatorGroup* call) noexcept
            : calls_(calls), before_(std::exchange(calls.blocked_in_, call))
        {
        }
        ~Blocked() { calls_.blocked_in_ = before_; }
        Blocked(const Blocked&) = delete;
        Blocked& operator=(const Blocked&) = delete;

    private:
        CallDiagnosis& calls_;
        const CommunicatorGroup* before_;
    };

    const std::shared_ptr<CommunicatorTable>& communicators() const noexcept { return communicators_; }

    /// The engine's watch. Throws tutti::Error when it has become clear that the ranks' calls differ.
    void look(std::int64_t waited_ns);
    /// For a rank that does not wait, now and then: the same where another call's message has come.
    void review();
    /// For a rank that has made its last call: throws likewise.
    void conclude();
    /// Throws where a call is under way whose number comes up again in the next half of all numbers.
    void check_reuse(const CommunicatorState& state);
    /// Throws where `rank` has left a message of another call of that number.
    void check_other_call(const CommunicatorState& state, int rank, std::uint32_t number);

    /// A frame of one of the call_ kinds: protocol::Services::Handler.
    void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload);

private:
    void heard(int peer, const CallHeader& call);
    void heard(int peer, const CallWaitHeader& wait);

    // By communicator and peer the earliest call to ask about: so a peer gets one frame, however much waits.
    using Questions = std::map<std::pair<std::uint64_t, int>, std::uint32_t>;

    static void add(Questions& questions, const CommunicatorState& state, int peer, std::uint32_t number);
    template <class Visit>
    void for_each_awaited(Visit&& visit);
    void add_awaited(Questions& questions);
    void ask(const Questions& questions);
    void tell(protocol::FrameKind kind, const CommunicatorState& state, int peer, std::uint32_t number);
    bool is_blocked() const noexcept;
    void pass_on_wait(std::uint32_t origin, std::uint32_t chain);
    [[noreturn]] void raise_circle(int sender, std::uint64_t kind) const;
    template <class Found>
    void for_each_contradiction(Found&& found);

    /// What is thrown about calls that differ.
    Error told(Error error) noexcept
    {
        told_ = true;
        return error;
    }

    protocol::Protocol& protocol_;
    bool told_ = false;  // of such calls: a program that goes on knows
    const int rank_;     // in the job
    const bool one_thread_;
    const CommunicatorGroup* blocked_in_ = nullptr;  // where there is one thread
    CallPlace chain_began_in_;                       // the latest of this rank's own
    std::uint32_t chains_ = 0;                       // that this rank has begun
    std::map<std::uint32_t, std::uint32_t> passed_;  // the latest chain of each other origin
    std::shared_ptr<CommunicatorTable> communicators_ = std::make_shared<CommunicatorTable>();
};

}  // namespace tutti::detail
