// Precompiled for the tests of this folder: what most of them include. Each still includes what it uses.
#include "tests/pch/tests.hpp"

#include "collectives/choice.hpp"
#include "collectives/collectives.hpp"
#include "tests/simulator/support.hpp"
