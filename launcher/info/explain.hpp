// Why a call uses the algorithm that it uses: what decided, and why what was asked before did not.
#pragma once

#include <string>
#include <vector>

#include "collectives/catalogue.hpp"
#include "collectives/choice.hpp"

namespace tutti::info {

/// A rule that was asked and did not fit.
struct PassedOver {
    std::string what;    // "rule 2 of the table: up to 8 KiB, crowded: flat"
    std::string reason;  // "the buffer has 1 MiB"
};

struct Explanation {
    std::string algorithm;
    std::size_t segment_bytes = 0;  // 0: none
    std::string decided_by;         // like PassedOver::what
    std::vector<PassedOver> passed_over;
};

/// The choice for a call of the collective at a place in AllCollectives.
Explanation explain(const collectives::Choice& choice, unsigned collective,
                    const collectives::Situation& situation);

}  // namespace tutti::info
