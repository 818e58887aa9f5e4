// What a rank that waits or fails asks about others: whether they live, take part, and make the same call.
// The rooms below lib/core/diagnosis know no more of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/engine/progress/engine.hpp"
#include "transports/transport.hpp"
#include "tutti/error.hpp"

namespace tutti::detail {

class CommunicatorState;

/// Of a collective in which another rank takes no part: it has withdrawn from the communicator.
class WithdrawnError final : public Error {
public:
    WithdrawnError(std::string_view operation, std::string_view detail, int rank)
        : Error(ErrorCode::cancelled, operation, detail, rank)
    {
    }
};

/// Under the engine's lock. Calls are known by their numbers on a communicator.
class Diagnosis {
public:
    virtual ~Diagnosis() = default;

    /// The first member whose loss has failed a collective of the communicator, and why it is lost.
    struct LostMember {
        int member;
        std::string why;
        bool has_left;       // the member has left the job in good order
        bool has_withdrawn;  // it lives, but takes no part in collectives there any more
    };
    /// For a rank that fails, as `member` is lost. Tells the others if it is the first loss here.
    virtual LostMember lost(const CommunicatorState& state, int member) = 0;
    /// This rank takes no part in collectives of the communicator any more, and says why: ranks that wait for
    /// one there, also later, throw WithdrawnError.
    virtual void withdraw(const CommunicatorState& state, std::string_view why) = 0;
    /// The members that have not made the call, as far as they say until `until_ns`.
    virtual std::vector<int> absent(progress::Engine::Lock& lock, const CommunicatorState& state,
                                    std::uint32_t number, std::int64_t until_ns) = 0;
    /// Asks about a rank of the job.
    virtual transport::Presence look_after(int peer) = 0;
    /// A hopeless wait for any source, in words: who waits for what, and which ranks are gone.
    virtual std::string nobody_left(std::uint64_t context, int tag) = 0;

    // These throw tutti::Error once it is clear that calls differ.
    /// For a rank that does not wait, from time to time: looks only at messages of other calls.
    virtual void review_calls() = 0;
    /// Throws, too, if an active call has a number that comes again in the next half of all numbers.
    virtual void check_reuse(const CommunicatorState& state) = 0;
    /// Throws if `rank` has sent a message of another call with that number.
    virtual void check_other_call(const CommunicatorState& state, int rank, std::uint32_t number) = 0;
    /// For a rank that has made its last call: throws if messages of other calls are left.
    virtual void conclude_calls() = 0;
};

}  // namespace tutti::detail
