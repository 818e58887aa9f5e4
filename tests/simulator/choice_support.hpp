// How tests of the choice of algorithms ask it.
#pragma once

#include <string_view>

#include "collectives/choice/algorithm_name.hpp"
#include "collectives/choice/choice.hpp"
#include "collectives/collectives.hpp"

namespace tutti::collectives::test {

inline constexpr Placement kNode{.one_node = true, .more_ranks_than_cores = false};
inline constexpr Placement kCrowdedNode{.one_node = true, .more_ranks_than_cores = true};

inline const char* unset(const char*)
{
    return nullptr;
}

template <class Collective>
std::string_view chosen(const Choice& choice, const Situation& situation)
{
    return algorithm_of<Collective>(choice.choose<Collective>(situation)).name;
}

}  // namespace tutti::collectives::test
