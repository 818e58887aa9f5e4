// Rows of numbers, dealt over all ranks, that any rank changes (push) and reads (pull) without the owners'
// help: the memory of a parameter server.
//
//     tutti::Table<float> table(world, 1'000'000, 16);          // a million rows of 16 numbers, all 0
//     const std::vector<std::size_t> rows = {7, 42, 7};
//     std::vector<float> weights = table.pull(rows);            // 3 x 16 numbers
//     table.push(rows, gradients, tutti::sum);                  // 3 x 16 numbers; row 7 gets both of its own
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tutti/communicator.hpp"
#include "tutti/layout.hpp"
#include "tutti/window.hpp"

namespace tutti {

/// Row r belongs to rank r mod ranks. Elements are those of reductions. Made and destroyed collectively, as
/// the Window below it.
///
/// Each element changes atomically and is read whole, whatever other ranks push and pull meanwhile; a row as
/// a whole is not: a pull may see a part of a push. Pushes of one rank to one element keep their order, and a
/// pull sees all pushes that its rank has made. What a call changed is at the owner when it returns.
///
/// A call sends one operation to each rank that owns some of its rows; a row that it names again takes
/// another.
template <Reducible T>
class Table {
public:
    /// Collective: `rows` rows of `width` elements, all `initial`. All ranks give the same numbers.
    Table(const Communicator& communicator, std::size_t rows, std::size_t width, const T& initial = T{})
        : rows_(rows),
          width_(width),
          ranks_(static_cast<std::size_t>(communicator.size())),
          window_(communicator, rows_of(communicator.rank()) * width),
          access_(begin(communicator, initial))
    {
    }

    /// Rows of all ranks, elements of a row, and the rank that has a row.
    std::size_t rows() const noexcept { return rows_; }
    std::size_t width() const noexcept { return width_; }
    int owner(std::size_t row) const noexcept { return static_cast<int>(row % ranks_); }
    /// The rows of this rank, one after the other: rank(), rank() + size() ... Others change them meanwhile,
    /// unless the program sees to it that they do not.
    std::span<T> local() const { return window_.local(); }

    /// Combines the rows with `values`, rows.size() x width() elements in the order of `rows`: row = row op
    /// value. Which rows are named, and how often, is free; none is fine. Throws ErrorCode::invalid_argument,
    /// and changes nothing, if a row is outside the table or `values` has another size.
    template <UpdateOperator O>
    void push(std::span<const std::size_t> rows, std::span<const T> values, const O& op)
    {
        check("push", rows, values.size());
        each_batch(rows, [&](int rank, const Layout& here, const Layout& there) {
            access_[rank].accumulate(LayoutView<const T>{values.data(), here}, 0, op, there);
        });
    }

    /// push() of a list of rows.
    template <UpdateOperator O>
    void push(std::initializer_list<std::size_t> rows, std::span<const T> values, const O& op)
    {
        push(std::span(rows.begin(), rows.size()), values, op);
    }

    /// The rows, in the order asked for: rows.size() x width() elements. Errors as push().
    std::vector<T> pull(std::span<const std::size_t> rows)
    {
        std::vector<T> values(rows.size() * width_);
        pull(rows, values);
        return values;
    }
    std::vector<T> pull(std::initializer_list<std::size_t> rows)
    {
        return pull(std::span(rows.begin(), rows.size()));
    }
    /// pull() into `values`.
    void pull(std::span<const std::size_t> rows, std::span<T> values)
    {
        check("pull", rows, values.size());
        each_batch(rows, [&](int rank, const Layout& here, const Layout& there) {
            LayoutView<T> to{values.data(), here};
            access_[rank].get_accumulate(to, to, 0, no_op, there);
        });
    }

private:
    std::size_t rows_of(int rank) const noexcept
    {
        return (rows_ + ranks_ - 1 - static_cast<std::size_t>(rank)) / ranks_;
    }

    LockedWindow<T> begin(const Communicator& communicator, const T& initial)
    {
        std::ranges::fill(window_.local(), initial);
        communicator.barrier();
        return window_.lock_all();
    }

    void check(const char* call, std::span<const std::size_t> rows, std::size_t values) const
    {
        if (values != rows.size() * width_)
            throw Error(ErrorCode::invalid_argument, call,
                        std::to_string(rows.size()) + " rows of " + std::to_string(width_) +
                            " elements have " + std::to_string(rows.size() * width_) +
                            " elements, the buffer " + std::to_string(values));
        for (const std::size_t row : rows) {
            if (row >= rows_)
                throw Error(ErrorCode::invalid_argument, call,
                            "there is no row " + std::to_string(row) + " in a table of " +
                                std::to_string(rows_) + " rows");
        }
    }

    // Calls operate(owner, layout of the rows in the buffer, layout of the rows in the owner's memory):
    // blocks of a layout that is received must not overlap, so rows that are named again come later.
    template <class Operate>
    void each_batch(std::span<const std::size_t> rows, Operate operate)
    {
        if (width_ == 0)
            return;
        std::vector<std::size_t> left(rows.size());
        std::iota(left.begin(), left.end(), std::size_t{0});
        std::ranges::sort(left, [&](std::size_t a, std::size_t b) {
            const int owner_a = owner(rows[a]);
            const int owner_b = owner(rows[b]);
            return owner_a != owner_b ? owner_a < owner_b : rows[a] != rows[b] ? rows[a] < rows[b] : a < b;
        });
        std::vector<Layout::Block> here, there;
        while (!left.empty()) {
            std::vector<std::size_t> again;
            for (std::size_t i = 0; i < left.size(); ++i) {
                const std::size_t row = rows[left[i]];
                if (i > 0 && rows[left[i - 1]] == row) {
                    again.push_back(left[i]);
                } else {
                    here.push_back(block(left[i]));
                    there.push_back(block(row / ranks_));
                }
                if (i + 1 == left.size() || owner(rows[left[i + 1]]) != owner(row)) {
                    operate(owner(row), Layout::indexed(here), Layout::indexed(there));
                    here.clear();
                    there.clear();
                }
            }
            left = std::move(again);
        }
        access_.flush();
    }
    Layout::Block block(std::size_t index) const noexcept
    {
        return {static_cast<std::ptrdiff_t>(index * width_ * sizeof(T)), width_ * sizeof(T)};
    }

    std::size_t rows_;
    std::size_t width_;
    std::size_t ranks_;
    Window<T> window_;
    LockedWindow<T> access_;  // last: it ends before the window
};

}  // namespace tutti
