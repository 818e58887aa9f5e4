// Precompiled for the files of lib/engine: what most of them include. Each still includes what it uses.
#include "lib/foundation/pch/foundation.hpp"

#include "lib/engine/protocol/protocol.hpp"
