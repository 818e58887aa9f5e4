// Precompiled for the tests of this folder: what most of them include. Each still includes what it uses.
#include "tests/pch/tests.hpp"

#include "lib/foundation/datatype/build.hpp"
#include "lib/foundation/datatype/transfer.hpp"
