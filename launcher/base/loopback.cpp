#include "launcher/base/loopback.hpp"

#include <algorithm>
#include <stdexcept>

#include "lib/foundation/network/interfaces.hpp"

namespace tutti::launcher {

void require_loopback()
{
    const auto serves = [](const network::LocalAddress& own) { return own.up && own.address.is_loopback(); };
    if (!std::ranges::any_of(network::local_addresses(), serves)) {
        throw std::runtime_error(
            "the loopback interface is down, and ranks reach their PMIx server through it; bring it up (ip "
            "link "
            "set lo up)");
    }
}

}  // namespace tutti::launcher
