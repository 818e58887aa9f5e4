// The answers of tutti-info, as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "launcher/info/explain.hpp"
#include "launcher/info/info_options.hpp"

namespace tutti::info {

struct Variable {
    std::string name;
    std::string meaning;
    std::string value;  // as set now; empty where it is not
};

struct Overview {
    std::string version;
    std::string compiler;
    std::string instruction_set;  // that reductions use on this CPU
    std::string transports;
    std::vector<Variable> variables;
};

/// `environment` answers as std::getenv does.
Overview overview(const char* (*environment)(const char*));

std::string as_text(const Overview& overview);
std::string as_json(const Overview& overview);

/// The answer to --explain.
struct Answer {
    const InfoOptions& options;
    const Explanation& explanation;
    const std::vector<AlgorithmCandidate>& candidates;
};
std::string as_text(const Answer& answer);
std::string as_json(const Answer& answer);

/// "1.23 us", with three digits.
std::string in_time(double time_ns);

/// The answer to --predict for one collective, at a place in AllCollectives: a table in Markdown, an
/// algorithm a row and a size a column. What is chosen is in bold. Sizes below the number of blocks stay in
/// the table: some blocks are empty then.
std::string prediction_table(const InfoOptions& options, unsigned collective,
                             const collectives::Choice& choice, const collectives::NodeMap* nodes,
                             const collectives::simulator::CostModel& model);

/// The call that the options ask about, for one size.
collectives::Situation situation_of(const InfoOptions& options, std::size_t size_bytes,
                                    const collectives::NodeMap* nodes);

}  // namespace tutti::info
