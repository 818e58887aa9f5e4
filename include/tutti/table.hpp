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
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tutti/communicator.hpp"
#include "tutti/layout.hpp"
#include "tutti/step_clock.hpp"
#include "tutti/table_rows.hpp"
#include "tutti/update_rule.hpp"
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

namespace detail {

/// The ranks that own rows, which options name.
inline std::vector<int> table_owners(const Communicator& communicator, const char* table,
                                     std::vector<int> owners)
{
    if (owners.empty()) {
        owners.resize(static_cast<std::size_t>(communicator.size()));
        std::iota(owners.begin(), owners.end(), 0);
        return owners;
    }
    std::vector<bool> named(static_cast<std::size_t>(communicator.size()));
    for (const int owner : owners) {
        if (owner < 0 || owner >= communicator.size() || named[static_cast<std::size_t>(owner)])
            throw Error(ErrorCode::invalid_rank, table,
                        "owner " + std::to_string(owner) + " of rows is named twice, or no rank of the " +
                            std::to_string(communicator.size()));
        named[static_cast<std::size_t>(owner)] = true;
    }
    return owners;
}

}  // namespace detail

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
/// a whole is not, unless the table has a rule: then rows change and are read as a whole. Pushes of one rank
/// to one row keep their order, and a pull sees all pushes that its rank has begun before it. What a call
/// changed is at the owner when it returns, or when its request is complete and a tick() or flush() has come.
///
/// A call sends its operations to all ranks that own some of its rows at once. Consecutive rows that are not
/// dealt by hash need no list of rows, where the table has no rule.
template <Reducible T>
class Table {
public:
    /// Collective: `rows` rows of `width` elements, all `initial`. All ranks give the same numbers. Throws
    /// ErrorCode::invalid_rank for owners that are no ranks, or named twice.
    Table(const Communicator& communicator, std::size_t rows, std::size_t width, const T& initial = T{},
          TableOptions options = {})
        : Table(communicator, rows, width, std::optional<UpdateRule<T>>(), initial, std::move(options))
    {
    }
    /// A table with a rule, which push(rows, values) follows. All ranks give the same rule.
    Table(const Communicator& communicator, std::size_t rows, std::size_t width, UpdateRule<T> rule,
          const T& initial = T{}, TableOptions options = {})
        : Table(communicator, rows, width, std::optional(std::move(rule)), initial, std::move(options))
    {
    }

    /// Rows of all ranks, elements of a row, and the rank that has a row.
    std::size_t rows() const noexcept { return rows_; }
    std::size_t width() const noexcept { return width_; }
    int owner(std::size_t row) const noexcept { return owners_[deal_.place(row).owner]; }
    /// The rows of this rank, one after the other. Dealt in turn (RowPartition::modulo) they are rank(),
    /// rank() + size() ... if all ranks own rows. Others change them meanwhile, unless the program sees to it
    /// that they do not.
    std::span<T> local() const { return window_.local().first(own_rows_ * width_); }
    /// The state that a rule keeps for each of them.
    std::span<T> local_state() const { return window_.local().subspan(own_rows_ * width_); }

    /// Combines the rows with `values`, rows.size() x width() elements in the order of `rows`: row = row op
    /// value. Which rows are named, and how often, is free; none is fine. Throws ErrorCode::invalid_argument,
    /// and changes nothing, if a row is outside the table or `values` has another size.
    template <UpdateOperator O>
    void push(std::span<const std::size_t> rows, std::span<const T> values, const O& op)
    {
        update("push", rows, values, detail::update_of<T>(op), nullptr);
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
        update("ipush", rows, values, detail::update_of<T>(op), &requests);
        return TableRequest(std::move(requests));
    }

    /// push() by the table's rule; without one, ErrorCode::invalid_argument. Throws what the rule throws, in
    /// words, if it is not known before a flush() or tick() then. Rows before the one that it refuses have
    /// changed.
    void push(std::span<const std::size_t> rows, std::span<const T> values)
    {
        update("push", rows, values, by_rule(), nullptr);
        access_.flush();
    }
    void push(std::initializer_list<std::size_t> rows, std::span<const T> values)
    {
        push(std::span(rows.begin(), rows.size()), values);
    }
    TableRequest ipush(std::span<const std::size_t> rows, std::span<const T> values)
    {
        std::vector<Request> requests;
        update("ipush", rows, values, by_rule(), &requests);
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
        update("pull", rows, values, detail::update_of<T>(no_op), nullptr);
        access_.flush();
    }
    /// pull() that returns at once.
    TableRequest ipull(std::span<const std::size_t> rows, std::span<T> values)
    {
        std::vector<Request> requests;
        update("ipull", rows, values, detail::update_of<T>(no_op), &requests);
        return TableRequest(std::move(requests));
    }

    /// push() and pull() at once: `values` become the rows as this push, and perhaps others, leave them.
    template <UpdateOperator O>
    void push_pull(std::span<const std::size_t> rows, std::span<T> values, const O& op)
    {
        push_pull(rows, values, detail::update_of<T>(op));
    }
    void push_pull(std::span<const std::size_t> rows, std::span<T> values)
    {
        push_pull(rows, values, by_rule());
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
    using Calls = detail::WindowCalls;
    static constexpr std::size_t kWideRowBytes = 1024;

    Table(const Communicator& communicator, std::size_t rows, std::size_t width,
          std::optional<UpdateRule<T>> rule, const T& initial, TableOptions&& options)
        : rows_(rows),
          width_(width),
          state_width_(rule ? rule->state_of(width) : 0),
          has_rule_(rule.has_value()),
          owners_(detail::table_owners(communicator, "Table", std::move(options.owners))),
          deal_(options.partition, rows, owners_.size()),
          own_rows_(rows_of(communicator.rank())),
          clock_(communicator, options.staleness),
          window_(communicator, own_rows_ * (width_ + state_width_)),
          access_(begin(communicator, initial, rule))
    {
    }

    std::size_t rows_of(int rank) const noexcept
    {
        const auto found = std::ranges::find(owners_, rank);
        return found == owners_.end() ? 0 : deal_.rows_of(static_cast<std::size_t>(found - owners_.begin()));
    }

    LockedWindow<T> begin(const Communicator& communicator, const T& initial,
                          const std::optional<UpdateRule<T>>& rule)
    {
        window_.set_name("table");
        std::ranges::fill(local(), initial);
        if (rule) {
            std::ranges::fill(local_state(), rule->initial_state());
            // Behind all rows of the rank lies the state of all of them.
            const std::size_t row_bytes = width_ * sizeof(T);
            const std::size_t state_bytes = state_width_ * sizeof(T);
            const auto state_of = [=](const detail::RowMemory& at) {
                const std::size_t rows = at.memory_bytes / (row_bytes + state_bytes);
                const auto row = static_cast<std::size_t>(at.row - at.memory) / row_bytes;
                return at.memory + rows * row_bytes + row * state_bytes;
            };
            Calls::set_rule(inside(), detail::row_rule(*rule, state_of));
        }
        communicator.barrier();
        return window_.lock_all();
    }

    detail::Window& inside() const noexcept { return detail::WindowInside::of(window_); }

    detail::Update by_rule() const { return detail::by_rule<T>(has_rule_); }

    // `rows`: those that may be outside.
    void check(const char* call, std::span<const std::size_t> rows, std::size_t count,
               std::size_t values) const
    {
        if (values != count * width_)
            throw Error(ErrorCode::invalid_argument, call,
                        std::to_string(count) + " rows of " + std::to_string(width_) + " elements have " +
                            std::to_string(count * width_) + " elements, the buffer " +
                            std::to_string(values));
        for (const std::size_t row : rows) {
            if (row >= rows_)
                throw Error(ErrorCode::invalid_argument, call,
                            "there is no row " + std::to_string(row) + " in a table of " +
                                std::to_string(rows_) + " rows");
        }
    }

    // Whether they lie at regular distances in the memory of their owners and in the buffer, so that they
    // need no list. For wide rows that lie apart a list is better: they need not be packed.
    bool are_runs(std::span<const std::size_t> rows) const noexcept
    {
        const bool lie_together = deal_.partition() == RowPartition::range || owners_.size() == 1;
        return !has_rule_ && deal_.partition() != RowPartition::hash && !rows.empty() &&
               (lie_together || width_ * sizeof(T) < kWideRowBytes) && rows.front() < rows_ &&
               rows.size() <= rows_ - rows.front() && detail::are_consecutive(rows);
    }

    // `values`: const T, which are pushed, or T, which get the rows. `requests`: nullptr, or what gets those
    // of the operations.
    template <class U>
    void update(const char* call, std::span<const std::size_t> rows, std::span<U> values,
                const detail::Update& update, std::vector<Request>* requests)
    {
        const bool runs = are_runs(rows);
        check(call, runs ? rows.first(0) : rows, rows.size(), values.size());
        if (rows.empty() || width_ == 0)
            return;
        const auto request = [&] { return requests == nullptr ? nullptr : &requests->emplace_back(); };
        if (runs) {
            for (const detail::RowRun& run : detail::runs_of(deal_, rows.front(), rows.size()))
                update_run(run, values.data(), update, request());
            return;
        }
        auto* const bytes = reinterpret_cast<std::byte*>(const_cast<T*>(values.data()));
        detail::for_each_owner(deal_, rows, bytes, width_ * sizeof(T),
                               [&](std::size_t owner, std::span<const detail::WindowRow> of_owner) {
                                   Calls::update_rows(inside(), owners_[owner], of_owner, update, request());
                               });
    }

    template <class U>
    void update_run(const detail::RowRun& run, U* values, const detail::Update& update, Request* request)
    {
        const std::size_t elements = run.length * width_;
        auto* const first = reinterpret_cast<std::byte*>(const_cast<T*>(values + run.at * width_));
        detail::OriginBlock here{first, elements * sizeof(T), nullptr};
        std::optional<Layout> apart;
        if (run.stride != 1) {
            apart = Layout::strided(run.length, width_, static_cast<std::ptrdiff_t>(run.stride * width_),
                                    sizeof(T));
            here = {first, 1, &apart->typemap()};
        }
        const detail::TargetBlock there{owners_[run.place.owner],
                                        static_cast<std::ptrdiff_t>(run.place.index * width_),
                                        elements * sizeof(T), nullptr};
        if (update.kind == detail::Update::Kind::no_op)
            Calls::get_accumulate(inside(), {}, here, there, update, request);
        else
            Calls::accumulate(inside(), here, there, update, request);
    }

    void push_pull(std::span<const std::size_t> rows, std::span<T> values, const detail::Update& update)
    {
        // What is pushed is copied, as the pulls overwrite it.
        const std::vector<T> pushed(values.begin(), values.end());
        this->update("push_pull", rows, std::span<const T>(pushed), update, nullptr);
        this->update("push_pull", rows, values, detail::update_of<T>(no_op), nullptr);
        access_.flush();
    }

    std::size_t rows_;
    std::size_t width_;
    std::size_t state_width_;
    bool has_rule_;
    std::vector<int> owners_;
    detail::RowDeal deal_;
    std::size_t own_rows_;
    StepClock clock_;
    Window<T> window_;
    LockedWindow<T> access_;  // last: it ends before the window
};

}  // namespace tutti
