// Precompiled for the files of launcher: what most of them include. Each still includes what it uses.
#include "lib/foundation/pch/foundation.hpp"
