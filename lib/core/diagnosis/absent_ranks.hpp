// Which ranks do not take part in a collective.
//
// A rank that fails in a collective, because another rank is lost, takes no part in it any more, and some
// ranks wait for it rather than for the lost one. So it tells all ranks of the communicator (call_lost);
// those that wait in a collective there fail, too, and name the lost rank. So does a rank that cannot go on
// for a reason of its own, and withdraws.
//
// A rank whose time is over asks who has made the call (call_presence_inquiry). The question tells that it
// has made the call itself. Ranks answer when they make progress (call_presence); one that computes does not
// answer.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/process/diagnosis.hpp"
#include "lib/engine/progress/engine.hpp"

namespace tutti::detail {

class CommunicatorState;
class Process;

/// Under the engine's lock. Communicators are known by the context of their collectives.
class AbsentRanks {
public:
    explicit AbsentRanks(Process& process) noexcept : process_(process) {}

    using Loss = Diagnosis::LostMember;
    /// For a rank that fails, as `member` is lost. Tells the others if it is the first loss here.
    Loss lost(const CommunicatorState& state, int member);
    /// This rank withdraws, unless a loss is known there.
    void withdraw(const CommunicatorState& state, std::string_view why);
    /// Whether that call waits for a rank that has withdrawn. To earlier ones it has given all that they
    /// need.
    bool is_without(std::uint64_t context, std::uint32_t number) const;
    /// For a rank that has waited so long: throws where it waits for one that has withdrawn.
    void check_withdrawn(std::int64_t waited_ns);
    /// For a rank that waits in a collective there: throws the error of a loss that another rank has
    /// reported.
    void check(std::uint64_t collective_context, bool in_create_from);

    /// The members that have not made the call, as far as they say until `until_ns`.
    std::vector<int> absent(progress::Engine::Lock& lock, const CommunicatorState& state,
                            std::uint32_t number, std::int64_t until_ns);

    /// Takes a frame of these kinds: protocol::Services::Handler.
    void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload);

private:
    struct Header;

    void tell(const CommunicatorState& state, const Loss& loss);
    void note(const CommunicatorState& state, const Header& header, std::span<const std::byte> why);
    /// Who is known to have made the latest call that somebody has asked about.
    struct Presence {
        std::uint32_t number = 0;
        std::set<int> ranks;
    };

    Presence& presence(std::uint64_t context, std::uint32_t number);
    void send(int peer, const Header& header, std::span<const std::byte> payload = {});
    void send_all(const CommunicatorState& state, const Header& header,
                  std::span<const std::byte> payload = {});

    Process& process_;
    std::map<std::uint64_t, Loss> losses_;
    std::map<std::uint64_t, std::uint32_t>
        withdrawn_from_;  // the first call in which that rank takes no part
    std::map<std::uint64_t, Presence> presences_;
};

}  // namespace tutti::detail
