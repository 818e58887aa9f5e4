// Precompiled for the tests of this folder: what most of them include. Each still includes what it uses.
#include "tests/pch/tests.hpp"

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "tutti/tutti.hpp"
