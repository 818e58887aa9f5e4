// The answer to --predict: a table in Markdown, an algorithm a row and a size a column.
#pragma once

#include <string>

#include "collectives/choice.hpp"
#include "collectives/simulator/cost_model.hpp"
#include "launcher/info/options.hpp"

namespace tutti::info {

/// For one collective, at a place in AllCollectives. What is chosen is in bold. Sizes below the number of
/// blocks stay in the table: some blocks are empty then.
std::string prediction_table(const Options& options, unsigned collective, const collectives::Choice& choice,
                             const collectives::NodeMap* nodes,
                             const collectives::simulator::CostModel& model);

/// The call that the options ask about, for one size.
collectives::Situation situation_of(const Options& options, std::size_t size_bytes,
                                    const collectives::NodeMap* nodes);

}  // namespace tutti::info
