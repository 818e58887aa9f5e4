// Precompiled for the files of lib/core: what most of them include. Each still includes what it uses.
#include "lib/foundation/pch/foundation.hpp"

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
