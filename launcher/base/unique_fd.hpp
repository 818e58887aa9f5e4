// base::UniqueFd by the launcher's name.
#pragma once

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::launcher {

using base::UniqueFd;

}  // namespace tutti::launcher
