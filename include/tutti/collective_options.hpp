// Options of collectives.
#pragma once

#include <string_view>

#include "tutti/standard.hpp"

namespace tutti {

/// `algorithm` names an algorithm of the collective for this call: "ring", or with a segment size
/// "chain:65536". All ranks must give the same name. If empty, Tutti chooses. An environment variable
/// (TUTTI_ALLREDUCE) overrides it. Throws ErrorCode::invalid_argument, before anything is sent, for unknown
/// names and for algorithms that cannot do the call (ring with an operator that does not commute). Persistent
/// requests throw the latter when they start.
struct CollectiveOptions {
    std::string_view algorithm = {};  // empty: chosen
};

/// The options of collectives that have a root.
struct RootOptions {
    int root = 0;                     // rank in the communicator
    std::string_view algorithm = {};  // empty: chosen
};

}  // namespace tutti
