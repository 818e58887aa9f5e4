// A comparison as a file for other programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "benchmarks/compare/bounds.hpp"

namespace tutti::bench {

/// All except the cases, which are added as they are measured.
nlohmann::json comparison_document(const std::vector<std::string>& command, int rounds,
                                   const std::vector<record::Limit>& limits);

/// One of its "cases". `libraries` are all requested ones, also those without figures.
nlohmann::json case_document(const CaseResult& result, const std::vector<std::string>& libraries,
                             const std::vector<record::Limit>& limits);

}  // namespace tutti::bench
