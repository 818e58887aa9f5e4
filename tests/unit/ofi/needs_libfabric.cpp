// In programs of tests that are worth nothing without libfabric: they count as skipped where it is not
// installed.
#include <cstdio>
#include <cstdlib>

#include "transports/ofi/library.hpp"

namespace {

// Before any test.
[[maybe_unused]] const bool libfabric_is_there = [] {
    if (!tutti::transport::ofi::Library::installed()) {
        std::puts("libfabric: skipped: it is not installed (see scripts/install-dependencies)");
        std::exit(77);
    }
    return true;
}();

}  // namespace
