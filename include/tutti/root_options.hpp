// Options of collectives that have a root.
#pragma once

namespace tutti {

struct RootOptions {
    int root = 0;
};

}  // namespace tutti
