// The calls that are timed: one of each collective, by its name.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::bench {

/// One collective at one size. Its memory is that which peers read in place.
class TunedCall {
public:
    /// `size_bytes` as CallSituation has it, a multiple of granularity(). Throws tutti::Error
    /// (out_of_memory).
    TunedCall(const Communicator& ranks, std::string_view collective, std::size_t size_bytes);

    /// By an algorithm, as a call's option names it; empty: by what the choice says.
    void operator()(std::string_view algorithm);

    /// What sizes are multiples of: whole floats, and a block for every rank where there are blocks.
    static std::size_t granularity(std::string_view collective, int ranks);
    /// Of collectives whose algorithm the size cannot choose, because not all ranks know it: what to measure.
    static std::optional<std::size_t> only_size(std::string_view collective, int ranks);

private:
    const Communicator& ranks_;
    std::string_view collective_;
    std::vector<std::size_t> counts_;  // of those with unequal blocks
    std::vector<float> in_;            // ordinary memory, as programs use it
    std::vector<float> out_;
};

}  // namespace tutti::bench
