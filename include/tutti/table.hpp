// Rows of numbers, dealt over ranks, that any rank changes (push) and reads (pull) without the owners' help:
// the memory of a parameter server.
//
//     tutti::Table<float> table(world, 1'000'000, 16);          // a million rows of 16 numbers, all 0
//     const std::vector<std::size_t> rows = {7, 42, 7};
//     std::vector<float> weights = table.pull(rows);            // 3 x 16 numbers
//     table.push(rows, gradients, tutti::sum);                  // 3 x 16 numbers; row 7 gets both of its own
//     auto pulling = table.ipull(rows, weights);                // meanwhile the rank computes
//     pulling.wait();
//     table.tick();                                             // the end of a step: see TableOptions
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tutti/communicator.hpp"
#include "tutti/layout.hpp"
#include "tutti/reduce_local.hpp"
#include "tutti/step_clock.hpp"
#include "tutti/table_rows.hpp"
#include "tutti/window.hpp"

namespace tutti {

/// All ranks give the same.
struct TableOptions {
    /// The ranks that own rows, each once; empty: all. Others only push and pull.
    std::vector<int> owners{};
    RowPartition partition = RowPartition::modulo;
    /// How many steps a rank may be ahead of the slowest one: tick(). 0: all ranks are in one step (bulk
    /// synchronous); StepClock::kFree: no rank waits for another.
    std::uint64_t staleness = 0;
};

/// A push or pull that goes on. The buffers and rows of its call are borrowed until it is complete.
class [[nodiscard]] TableRequest {
public:
    /// Complete.
    TableRequest() = default;
    /// The operations of a call.
    explicit TableRequest(std::vector<Request> operations) noexcept : operations_(std::move(operations)) {}

    /// Returns when the buffer is free, or filled. Throws the error of an operation.
    void wait() { wait_all(operations_); }
    bool test() { return test_all(operations_); }

private:
    std::vector<Request> operations_;  // one for each owner, or more for rows that are named again
};

/// Made and destroyed collectively, as the Window below it. Elements are those of reductions.
///
/// Each element changes atomically and is read whole, whatever other ranks push and pull meanwhile; a row as
/// a whole is not: a pull may see a part of a push. Pushes of one rank to one element keep their order, and a
/// pull sees all pushes that its rank has completed. What a call changed is at the owner when it returns, or
/// when its request is complete and a tick() or flush() has come.
///
/// A call sends one operation to each rank that owns some of its rows, to all of them at once; a row that it
/// names again takes another.
template <Reducible T>
class Table {
public:
    /// Collective: `rows` rows of `width` elements, all `initial`. All ranks give the same numbers. Throws
    /// ErrorCode::invalid_rank for owners that are no ranks, or named twice.
    Table(const Communicator& communicator, std::size_t rows, std::size_t width, const T& initial = T{},
          TableOptions options = {})
        : rows_(rows),
          width_(width),
          owners_(owners_of(communicator, std::move(options.owners))),
          deal_(options.partition, rows, owners_.size()),
          clock_(communicator, options.staleness),
          window_(communicator, rows_of(communicator.rank()) * width),
          access_(begin(communicator, initial))
    {
    }

    /// Rows of all ranks, elements of a row, and the rank that has a row.
    std::size_t rows() const noexcept { return rows_; }
    std::size_t width() const noexcept { return width_; }
    int owner(std::size_t row) const noexcept { return owners_[deal_.place(row).owner]; }
    /// The rows of this rank, one after the other. Dealt in turn (RowPartition::modulo) they are rank(),
    /// rank() + size() ... if all ranks own rows. Others change them meanwhile, unless the program sees to it
    /// that they do not.
    std::span<T> local() const { return window_.local(); }

    /// Combines the rows with `values`, rows.size() x width() elements in the order of `rows`: row = row op
    /// value. Which rows are named, and how often, is free; none is fine. Throws ErrorCode::invalid_argument,
    /// and changes nothing, if a row is outside the table or `values` has another size.
    template <UpdateOperator O>
    void push(std::span<const std::size_t> rows, std::span<const T> values, const O& op)
    {
        for_each_batch("push", rows, values, [&](const auto& target, const auto& here, const Layout& there) {
            target.accumulate(here, 0, op, there);
        });
        access_.flush();
    }
    /// push() of a list of rows.
    template <UpdateOperator O>
    void push(std::initializer_list<std::size_t> rows, std::span<const T> values, const O& op)
    {
        push(std::span(rows.begin(), rows.size()), values, op);
    }
    /// push() that returns at once.
    template <UpdateOperator O>
    TableRequest ipush(std::span<const std::size_t> rows, std::span<const T> values, const O& op)
    {
        std::vector<Request> requests;
        for_each_batch("ipush", rows, values, [&](const auto& target, const auto& here, const Layout& there) {
            requests.push_back(target.iaccumulate(here, 0, op, there));
        });
        return TableRequest(std::move(requests));
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
        for_each_batch("pull", rows, values, [&](const auto& target, const auto& here, const Layout& there) {
            target.get_accumulate(here, here, 0, no_op, there);
        });
        access_.flush();
    }
    /// pull() that returns at once.
    TableRequest ipull(std::span<const std::size_t> rows, std::span<T> values)
    {
        std::vector<Request> requests;
        for_each_batch("ipull", rows, values, [&](const auto& target, const auto& here, const Layout& there) {
            requests.push_back(target.iget_accumulate(here, here, 0, no_op, there));
        });
        return TableRequest(std::move(requests));
    }

    /// push() and pull() in one: `values` become the rows as this push leaves them. For operators of
    /// reductions.
    template <ReductionOperator O>
    void push_pull(std::span<const std::size_t> rows, std::span<T> values, const O& op)
    {
        std::vector<T> before(values.size());
        check("push_pull", rows, values.size());
        for (const detail::RowBatch& batch : batches(rows)) {
            const LayoutView<const T> from{values.data() + batch.first_element, batch.here};
            const LayoutView<T> to{before.data() + batch.first_element, batch.here};
            access_[owners_[batch.owner]].get_accumulate(from, to, 0, op, batch.there);
        }
        access_.flush();
        reduce_local(before, values, op);
    }

    /// What this rank has pushed is at the owners.
    void flush() { access_.flush(); }

    /// The end of this rank's step: what it has pushed is at the owners, and all ranks learn that it goes on.
    /// Waits while this rank is more than TableOptions::staleness steps ahead of the slowest one: StepClock.
    /// So a pull behind it sees all pushes of all ranks that are older than that. All ranks make as many
    /// ticks.
    void tick()
    {
        access_.flush();
        clock_.tick();
    }
    const StepClock& clock() const noexcept { return clock_; }

private:
    static std::vector<int> owners_of(const Communicator& communicator, std::vector<int> owners)
    {
        if (owners.empty()) {
            owners.resize(static_cast<std::size_t>(communicator.size()));
            std::iota(owners.begin(), owners.end(), 0);
            return owners;
        }
        std::vector<bool> named(static_cast<std::size_t>(communicator.size()));
        for (const int owner : owners) {
            if (owner < 0 || owner >= communicator.size() || named[static_cast<std::size_t>(owner)])
                throw Error(ErrorCode::invalid_rank, "Table",
                            "owner " + std::to_string(owner) + " of rows is named twice, or no rank of the " +
                                std::to_string(communicator.size()));
            named[static_cast<std::size_t>(owner)] = true;
        }
        return owners;
    }

    std::size_t rows_of(int rank) const noexcept
    {
        const auto found = std::ranges::find(owners_, rank);
        return found == owners_.end() ? 0 : deal_.rows_of(static_cast<std::size_t>(found - owners_.begin()));
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

    detail::RowBatches batches(std::span<const std::size_t> rows) const
    {
        return {deal_, rows, width_, sizeof(T)};
    }

    // Calls operate(the owner's memory, rows in the buffer, rows in that memory).
    template <class U, class Operate>
    void for_each_batch(const char* call, std::span<const std::size_t> rows, std::span<U> values,
                        Operate&& operate)
    {
        check(call, rows, values.size());
        for (const detail::RowBatch& batch : batches(rows)) {
            LayoutView<U> here{values.data() + batch.first_element, batch.here};
            operate(access_[owners_[batch.owner]], here, batch.there);
        }
    }

    std::size_t rows_;
    std::size_t width_;
    std::vector<int> owners_;
    detail::RowDeal deal_;
    StepClock clock_;
    Window<T> window_;
    LockedWindow<T> access_;  // last: it ends before the window
};

}  // namespace tutti
