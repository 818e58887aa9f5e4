// Precompiled for the files of transports: what most of them include. Each still includes what it uses.
#include "lib/foundation/pch/foundation.hpp"

#include "transports/transport.hpp"
