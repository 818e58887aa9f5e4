// The environment in words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tutti::bench {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// What environment() wrote, in the order in which people look for it, then what else there is, by its names.
/// What is not known is left out. Of no object: nothing.
Facts facts_of(const nlohmann::json& environment);

}  // namespace tutti::bench
