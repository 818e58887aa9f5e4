// Options of collectives.
#pragma once

#include <string_view>

namespace tutti {

/// `algorithm` names one of the collective's algorithms for this call alone, as the environment does for all:
/// "ring", or with the size of its segments "chain:65536". All ranks must name the same. Empty leaves the
/// choice to Tutti; a variable of the environment (TUTTI_ALLREDUCE) goes before the call's word. Throws
/// ErrorCode::invalid_argument, before anything is sent, for names that the collective does not have, and for
/// algorithms that cannot do the call (a ring of operands that do not commute); of persistent requests the
/// latter when they are started.
struct CollectiveOptions {
    std::string_view algorithm = {};
};

/// The same for collectives that have a root.
struct RootOptions {
    int root = 0;
    std::string_view algorithm = {};
};

}  // namespace tutti
