// Which rows of a table a call names: a dense run, or rows at random.
#pragma once

#include <cstddef>
#include <vector>

namespace tutti::bench {

enum class RowOrder { run, random };

inline const char* to_string(RowOrder order) noexcept
{
    return order == RowOrder::run ? "run" : "random";
}

struct RowChoice {
    RowOrder order;
    std::size_t count;    // of a call
    std::size_t rows;     // of the table
    bool hashed = false;  // by 64-bit keys in place of their numbers

    /// What this rank names, each once; the same wherever and whenever it is asked for. Runs of neighbouring
    /// ranks follow each other, and begin again where the table ends.
    std::vector<std::size_t> of_rank(int rank) const;
};

}  // namespace tutti::bench
