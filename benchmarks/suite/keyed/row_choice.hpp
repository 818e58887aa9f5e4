// Which rows of a table a call names: a dense run, or rows at random.
#pragma once

#include <cstddef>
#include <vector>

namespace tutti::bench {

enum class RowOrder { run, random };

inline constexpr RowOrder kRowOrders[] = {RowOrder::run, RowOrder::random};

inline const char* to_string(RowOrder order) noexcept
{
    return order == RowOrder::run ? "run" : "random";
}

/// `count` rows of a table of `rows`, each once, for this rank; the same wherever and whenever they are asked
/// for. Runs of neighbouring ranks follow each other, and begin again where the table ends.
std::vector<std::size_t> rows_of_rank(RowOrder order, std::size_t count, std::size_t rows, int rank);

}  // namespace tutti::bench
