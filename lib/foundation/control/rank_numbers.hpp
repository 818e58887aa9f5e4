// Who has set OMPI_COMM_WORLD_RANK, PMI_RANK and their like. Wrappers and scripts read them, so tuttirun sets
// them as Open MPI's and MPICH's mpirun do; set by those, they describe a job that Tutti is no part of. A
// mark beside them says which values are tuttirun's: a launcher that is started within a rank sets others.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace tutti::control {

inline constexpr const char* kRankNumbersVariable = "TUTTI_RANK_NUMBERS";
/// Has the value of PMI_FD where tuttirun has set that.
inline constexpr const char* kPmiVariable = "TUTTI_PMI_FD";

/// The mark's value.
inline std::string rank_numbers(std::string_view job, std::string_view rank, std::string_view size)
{
    return std::string(job).append(" ").append(rank).append(" ").append(size);
}

/// Whether tuttirun has set these two variables for a rank.
inline bool are_rank_numbers_of_tutti(const char* rank_variable, const char* size_variable)
{
    const auto value = [](const char* name) -> std::string_view {
        const char* const text = std::getenv(name);
        return text != nullptr ? text : "";
    };
    const std::string_view mark = value(kRankNumbersVariable);
    const std::string_view job = mark.substr(0, mark.find(' '));
    return !mark.empty() && mark == rank_numbers(job, value(rank_variable), value(size_variable));
}

}  // namespace tutti::control
