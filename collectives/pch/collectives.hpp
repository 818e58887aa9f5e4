// Precompiled for the files of collectives: what most of them include. Each still includes what it uses.
#include "lib/foundation/pch/foundation.hpp"

#include "collectives/functions.hpp"
