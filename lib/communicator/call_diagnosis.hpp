// What a rank does when it has waited long in a collective: it finds out whether others call another one.
//
// Ranks that make different calls exchange no messages (call_signature.hpp), and wait. So a rank that has
// waited long tells each rank that it waits for which call it is in. That rank compares, when it next makes
// progress, with its call of the same number: it may not have made it yet, or the same, and then says
// nothing. If it was another one it answers with it, and both ranks fail with an error that names both calls.
// A rank that has left, or does not answer, may have left a message whose mark tells as much.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "lib/communicator/call_signature.hpp"
#include "lib/protocol/protocol.hpp"

namespace tutti::detail {

class CommunicatorState;

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

/// Under the engine's lock.
class CallDiagnosis final : public protocol::CallListener {
public:
    explicit CallDiagnosis(protocol::Protocol& protocol) noexcept : protocol_(protocol) {}

    const std::shared_ptr<CommunicatorTable>& communicators() const noexcept { return communicators_; }

    /// The engine's watch. Throws tutti::Error when it has become clear that the ranks' calls differ.
    void look(std::int64_t waited_ns);
    /// For a rank that does not wait, now and then: the same where another call's message has come.
    void review();
    /// For a rank that has made its last call: throws likewise.
    void conclude();
    /// Throws where a call is under way whose number comes up again in the next half of all numbers.
    void check_reuse(const CommunicatorState& state);
    /// Which other call than `number` a message of `rank` has been left by, in words; empty where none has.
    std::string other_call(const CommunicatorState& state, int rank, std::uint32_t number);

    void heard(int peer, const protocol::CallHeader& call) override;

private:
    // By communicator and peer the earliest call to ask about: so a peer gets one frame, however much waits.
    using Questions = std::map<std::pair<std::uint64_t, int>, std::uint32_t>;

    static void add(Questions& questions, const CommunicatorState& state, int peer, std::uint32_t number);
    void add_awaited(Questions& questions);
    void ask(const Questions& questions);
    void tell(protocol::FrameKind kind, const CommunicatorState& state, int peer, std::uint32_t number);
    template <class Found>
    void for_each_contradiction(Found&& found);

    protocol::Protocol& protocol_;
    std::shared_ptr<CommunicatorTable> communicators_ = std::make_shared<CommunicatorTable>();
};

}  // namespace tutti::detail
