// The loopback interface, through which ranks reach their PMIx server: libpmix knows no other way.
#pragma once

namespace tutti::launcher {

/// Throws std::runtime_error with a remedy where it is down, as in a new network namespace.
void require_loopback();

}  // namespace tutti::launcher
