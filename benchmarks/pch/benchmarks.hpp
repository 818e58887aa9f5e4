// Precompiled for the files of benchmarks: what most of them include. Each still includes what it uses.
#include "lib/foundation/pch/foundation.hpp"
