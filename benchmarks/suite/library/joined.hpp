// How the job under test started.
#pragma once

namespace tutti::bench {

struct Joined {
    double us = 0.0;  // from main to a library that is ready; for hello, to the end of a first barrier
    bool any_thread = false;  // several threads may call it at once
};

}  // namespace tutti::bench
