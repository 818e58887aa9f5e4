// Rows of a table that all ranks own and all ranks change or read at the same time, as workers of a parameter
// server do.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "benchmarks/suite/keyed/row_choice.hpp"
#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

/// What one rank's push adds to an element: sums of them are exact.
inline float pushed_value(int rank, std::size_t row, std::size_t column) noexcept
{
    return static_cast<float>(1 + (static_cast<std::size_t>(rank) + row + column) % 7);
}

/// Pushes of all ranks into a table of zeros, and whether pulls find their sums then, at all ranks.
template <Job B, class Table>
bool validate_rows(B& job, Table& table, const RowChoice& choice, std::span<float> out, std::span<float> in)
{
    const std::size_t width = table.width();
    const std::vector<std::size_t> rows = choice.of_rank(job.rank());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = pushed_value(job.rank(), rows[i / width], i % width);
    std::ranges::fill(in, -1.0f);
    table.push(rows, std::span<const float>(out), tutti::sum);
    job.barrier();
    table.pull(rows, in);
    std::vector<float> wanted(in.size());
    for (int rank = 0; rank < job.size(); ++rank) {
        const std::vector<std::size_t> named = choice.of_rank(rank);
        const std::unordered_set<std::size_t> others(named.begin(), named.end());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            wanted[i] +=
                others.contains(rows[i / width]) ? pushed_value(rank, rows[i / width], i % width) : 0;
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        wrong += in[i] != wanted[i] ? 1 : 0;
    return none_wrong(job, wrong);
}

/// The row of pushes or pulls of rows of this size; only that of rank 0 has figures. `table` is empty, or all
/// zeros.
template <Backend B, class Table>
Row timed_rows(Session<B>& session, Table&& table, const RowChoice& choice, Buffers& buffers,
               std::size_t size_bytes)
{
    const bool pushes = std::string_view(session.benchmark().name).ends_with("_push");
    const std::vector<std::size_t> rows = choice.of_rank(session.job().rank());
    const std::span<float> out = buffers.out.floats(choice.count * size_bytes);
    const std::span<float> in = buffers.in.floats(choice.count * size_bytes);
    const std::optional<bool> valid =
        session.checked([&] { return validate_rows(session.job(), table, choice, out, in); });
    std::ranges::fill(out, 1.0f);
    session.job().barrier();
    const Series series = session.sampler().iterations(Over::slowest, Start::barrier, [&] {
        pushes ? table.push(rows, std::span<const float>(out), tutti::sum) : table.pull(rows, in);
    });
    if (!session.is_root())
        return {};
    Row row = row_of(static_cast<double>(size_bytes), series, [](double us) { return us; });
    row.valid = valid;
    row.labels = {to_string(choice.order)};
    row.parts = {static_cast<double>(choice.count * size_bytes) / std::max(row.summary.median, 1e-3)};
    return row;
}

/// For each width a row for each of `orders`. `make(rows, width)` is collective and makes the table of
/// floats.
template <Backend B, class Make>
void rows_by(Session<B>& session, std::span<const RowOrder> orders, bool hashed, Make make)
{
    const SuiteOptions& options = session.options();
    const std::size_t count = options.rows;
    const std::size_t all = std::max(count, options.table_rows.value_or(4 * count));
    session.open(Start::barrier, {.labels = {"Rows"},
                                  .parts = {{"MB/s"}},
                                  .notes = {fmt::format("Size: of a row. Each rank names {} of {} {} a call, "
                                                        "whose rows all ranks own; MB/s: of a rank",
                                                        count, all, hashed ? "keys" : "numbers")}});
    require_memory(session.job(), session.placement(),
                   static_cast<double>(all * options.size_list().back()) / session.job().size());
    const auto measure = [&](Buffers& buffers, std::size_t size_bytes) {
        for (const RowOrder order : orders) {
            if (order != orders.front())
                session.begin_row(fmt::format("size {}, {}", size_bytes, to_string(order)));
            session.row(timed_rows(session, make(all, size_bytes / sizeof(float)),
                                   {order, count, all, hashed}, buffers, size_bytes));
        }
    };
    session.each_size(count, measure, orders.size());
}

/// table_push, table_pull.
template <Backend B>
void table_rows(Session<B>& session)
{
    static constexpr RowOrder kOrders[] = {RowOrder::run, RowOrder::random};
    if constexpr (requires(B & job) { job.table(std::size_t{}, std::size_t{}); })
        rows_by(session, kOrders, false,
                [&](std::size_t rows, std::size_t width) { return session.job().table(rows, width); });
    else
        throw NotOffered("tables are of Tutti's C++ interface only");
}

/// sparse_push, sparse_pull: keys that have their rows.
template <Backend B>
void sparse_table_rows(Session<B>& session)
{
    static constexpr RowOrder kOrders[] = {RowOrder::random};
    if constexpr (requires(B & job) { job.sparse_table(std::size_t{}); })
        rows_by(session, kOrders, true,
                [&](std::size_t, std::size_t width) { return session.job().sparse_table(width); });
    else
        throw NotOffered("tables are of Tutti's C++ interface only");
}

}  // namespace tutti::bench
