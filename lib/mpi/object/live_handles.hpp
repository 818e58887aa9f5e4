// tuttirun --check: handles that the program has and has not freed. object.hpp has what notes objects.
#pragma once

#include <vector>

#include "lib/core/check/call_site.hpp"
#include "lib/mpi/object/object.hpp"

namespace tutti::mpi {

struct LiveHandle {
    const Object* object;  // nullptr: a persistent request, which is no Object
    check::Site site;      // the call that made it
};

/// forget_handle() ends it, too.
void note_persistent(const void* request) noexcept;

std::vector<LiveHandle> live_handles();

}  // namespace tutti::mpi
