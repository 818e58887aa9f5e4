// A process that no launcher started: a job of one.
#pragma once

#include <memory>

#include "lib/engine/bootstrap/job_bootstrap.hpp"

namespace tutti::bootstrap {

std::unique_ptr<Bootstrap> make_singleton();

}  // namespace tutti::bootstrap
