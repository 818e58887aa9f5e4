// The calls that are timed: one of each collective, by its name.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::bench {

/// One collective at one size. Its memory is that which peers read in place.
class TunedCall {
public:
    /// `size_bytes` as collectives.hpp has it, a multiple of granularity(). Throws tutti::Error
    /// (out_of_memory).
    TunedCall(const Communicator& ranks, std::string_view collective, std::size_t size_bytes);

    void operator()();

    /// What sizes are multiples of: whole floats, and a block for every rank where there are blocks.
    static std::size_t granularity(std::string_view collective, int ranks);

private:
    const Communicator& ranks_;
    std::string_view collective_;
    shared_vector<float> in_;
    shared_vector<float> out_;
};

/// Collectives that can be tuned: those whose calls all ranks see in the same size.
std::vector<std::string_view> tuned_collectives();

}  // namespace tutti::bench
