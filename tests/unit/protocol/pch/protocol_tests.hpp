// Precompiled for the tests of this folder: what most of them include. Each still includes what it uses.
#include "tests/pch/tests.hpp"

#include "tests/unit/protocol/remote_read.hpp"
#include "tests/unit/protocol/wire.hpp"
