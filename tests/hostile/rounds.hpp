// How often a hostile test tries, and with which seeds.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

namespace tutti::test {

inline std::uint32_t hostile_number(const char* variable, std::uint32_t otherwise)
{
    const char* text = std::getenv(variable);
    return text != nullptr ? static_cast<std::uint32_t>(std::stoul(text)) : otherwise;
}

/// Calls `round` with one seed after the other: `quick` of them, or TUTTI_HOSTILE_ROUNDS, beginning with 1,
/// or TUTTI_HOSTILE_SEED. A failure names its seed, and one round with it repeats what was tried.
template <typename Round>
void for_each_seed(std::uint32_t quick, Round round)
{
    const std::uint32_t first = hostile_number("TUTTI_HOSTILE_SEED", 1);
    const std::uint32_t rounds = hostile_number("TUTTI_HOSTILE_ROUNDS", quick);
    for (std::uint32_t seed = first; seed - first < rounds; ++seed) {
        INFO("TUTTI_HOSTILE_SEED=" << seed << " TUTTI_HOSTILE_ROUNDS=1");
        round(seed);
    }
}

}  // namespace tutti::test
