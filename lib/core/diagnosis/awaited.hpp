// Which ranks this rank waits for, and what it needs of each: the only enumeration.
//
// Its readers ask whether those ranks live (failure_detector.hpp) and which call they are in
// (call_diagnosis.hpp), and show it on the status page (rank_status.hpp), for the launcher.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/engine/protocol/requests.hpp"

namespace tutti::detail {

class Process;

/// One thing of a peer that an operation of this rank needs.
struct Awaited {
    enum class Kind : std::uint8_t {
        message,         // for a posted receive
        probed_message,  // for a probe, or one of its looks
        receive,         // of a message that this rank has offered
        board,           // the peer's part of the latest collective, at the board
        window,          // an answer, a signal, or the end of an epoch
    };

    Kind kind;
    int peer;  // a rank of the job; -1: any of the communicator
    /// The key of the message. board: the context, and the peer as its rank there. window: only the context.
    matching::MatchKey key;
    const protocol::SendRequest* send = nullptr;  // of kind `receive`
};

/// A peer comes once for each operation. Under the engine's lock. Only for rare questions.
std::vector<Awaited> awaited_by(Process& process);

}  // namespace tutti::detail
