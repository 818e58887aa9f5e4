// Rows of numbers by 64-bit keys, made at first use, which any rank changes (push) and reads (pull): the
// memory of a parameter server whose keys are hashes, users or words.
//
//     tutti::SparseTable<float> table(world, 16, tutti::adagrad<float>(0.1));
//     const std::vector<std::uint64_t> keys = {hash("cat"), hash("dog")};
//     std::vector<float> weights = table.pull(keys);            // 2 x 16 numbers, 0 at first
//     table.push(keys, gradients);                              // by the table's rule
//     table.push(keys, lengths, values, tutti::sum);            // rows of any length
//     table.for_each_local([&](std::uint64_t key, std::span<const float> row) { save(key, row); });
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tutti/communicator.hpp"
#include "tutti/step_clock.hpp"
#include "tutti/table.hpp"
#include "tutti/update_rule.hpp"
#include "tutti/window_access.hpp"
#include "tutti/window_calls.hpp"

namespace tutti {

/// All ranks give the same.
struct SparseTableOptions {
    /// The ranks that own rows, each once; empty: all. A hash of the key says which one has it.
    std::vector<int> owners{};
    /// As TableOptions::staleness.
    std::uint64_t staleness = 0;
};

/// Made and destroyed collectively. Elements are those of reductions.
///
/// What holds of Table's rows and elements holds here. A key has a row from its first push or pull on, with
/// the length that this names; it keeps both as long as the table lives. Its owner makes it, in its calls of
/// Tutti or its progress thread, and answers once where it is; each rank remembers that, so all further
/// pushes and pulls are those of a Table: on the owner's node they need nothing of the owner.
template <Reducible T>
class SparseTable {
public:
    /// Fills the row of a new key. It runs at the key's owner, and calls nothing of Tutti's.
    using Initialiser = std::function<void(std::uint64_t key, std::span<T> row)>;

    /// Collective: rows of `width` elements where a call names no lengths; no keys yet. Rows are T{} at first
    /// without `initialise`. Throws ErrorCode::invalid_rank for owners that are no ranks, or named twice.
    SparseTable(const Communicator& communicator, std::size_t width, Initialiser initialise = {},
                SparseTableOptions options = {})
        : SparseTable(communicator, width, std::optional<UpdateRule<T>>(), std::move(initialise),
                      std::move(options))
    {
    }
    /// A table with a rule, which pushes without an operator follow. All ranks give the same rule.
    SparseTable(const Communicator& communicator, std::size_t width, UpdateRule<T> rule,
                Initialiser initialise = {}, SparseTableOptions options = {})
        : SparseTable(communicator, width, std::optional(std::move(rule)), std::move(initialise),
                      std::move(options))
    {
    }
    SparseTable(SparseTable&&) noexcept = default;
    SparseTable& operator=(SparseTable&&) = delete;
    ~SparseTable()
    {
        if (window_ != nullptr && std::uncaught_exceptions() == uncaught_) {
            Calls::end(*window_, Calls::unlock_all);
            Calls::end(*window_, Calls::free);
        }
    }

    /// Elements of a row where a call names no lengths.
    std::size_t width() const noexcept { return width_; }

    /// Combines the rows of `keys` with `values`, keys.size() x width() elements: row = row op value. Which
    /// keys are named, and how often, is free. Throws ErrorCode::invalid_argument if `values` has another
    /// size, a key's row has another length, or a row cannot be made; then no row changes, but new keys may
    /// have got theirs.
    template <UpdateOperator O>
    void push(std::span<const std::uint64_t> keys, std::span<const T> values, const O& op)
    {
        push(keys, {}, values, op);
    }
    /// Rows of any length: lengths[i] elements for keys[i], one row's values after the other's.
    template <UpdateOperator O>
    void push(std::span<const std::uint64_t> keys, std::span<const std::size_t> lengths,
              std::span<const T> values, const O& op)
    {
        update("push", keys, lengths, values, detail::update_of<T>(op), nullptr);
        flush();
    }
    template <UpdateOperator O>
    void push(std::initializer_list<std::uint64_t> keys, std::span<const T> values, const O& op)
    {
        push(std::span(keys.begin(), keys.size()), values, op);
    }
    /// push() that returns at once, but where a key is new to this rank: then it waits for the owner's
    /// answer.
    template <UpdateOperator O>
    TableRequest ipush(std::span<const std::uint64_t> keys, std::span<const T> values, const O& op)
    {
        return ipush(keys, {}, values, op);
    }
    template <UpdateOperator O>
    TableRequest ipush(std::span<const std::uint64_t> keys, std::span<const std::size_t> lengths,
                       std::span<const T> values, const O& op)
    {
        std::vector<Request> requests;
        update("ipush", keys, lengths, values, detail::update_of<T>(op), &requests);
        return TableRequest(std::move(requests));
    }

    /// push() by the table's rule; without one, ErrorCode::invalid_argument.
    void push(std::span<const std::uint64_t> keys, std::span<const T> values) { push(keys, {}, values); }
    void push(std::span<const std::uint64_t> keys, std::span<const std::size_t> lengths,
              std::span<const T> values)
    {
        update("push", keys, lengths, values, by_rule(), nullptr);
        flush();
    }
    void push(std::initializer_list<std::uint64_t> keys, std::span<const T> values)
    {
        push(std::span(keys.begin(), keys.size()), values);
    }
    TableRequest ipush(std::span<const std::uint64_t> keys, std::span<const T> values)
    {
        return ipush(keys, {}, values);
    }
    TableRequest ipush(std::span<const std::uint64_t> keys, std::span<const std::size_t> lengths,
                       std::span<const T> values)
    {
        std::vector<Request> requests;
        update("ipush", keys, lengths, values, by_rule(), &requests);
        return TableRequest(std::move(requests));
    }

    /// The rows, in the order asked for: keys.size() x width() elements. A new key gets a row.
    std::vector<T> pull(std::span<const std::uint64_t> keys)
    {
        std::vector<T> values(keys.size() * width_);
        pull(keys, values);
        return values;
    }
    std::vector<T> pull(std::initializer_list<std::uint64_t> keys)
    {
        return pull(std::span(keys.begin(), keys.size()));
    }
    /// pull() into `values`; of rows of any length, as push().
    void pull(std::span<const std::uint64_t> keys, std::span<T> values) { pull(keys, {}, values); }
    void pull(std::span<const std::uint64_t> keys, std::span<const std::size_t> lengths, std::span<T> values)
    {
        update("pull", keys, lengths, values, detail::update_of<T>(no_op), nullptr);
        flush();
    }
    /// pull() that returns at once, as ipush().
    TableRequest ipull(std::span<const std::uint64_t> keys, std::span<T> values)
    {
        return ipull(keys, {}, values);
    }
    TableRequest ipull(std::span<const std::uint64_t> keys, std::span<const std::size_t> lengths,
                       std::span<T> values)
    {
        std::vector<Request> requests;
        update("ipull", keys, lengths, values, detail::update_of<T>(no_op), &requests);
        return TableRequest(std::move(requests));
    }

    /// push() and pull() at once: `values` become the rows as this push, and perhaps others, leave them.
    template <UpdateOperator O>
    void push_pull(std::span<const std::uint64_t> keys, std::span<T> values, const O& op)
    {
        push_pull(keys, values, detail::update_of<T>(op));
    }
    void push_pull(std::span<const std::uint64_t> keys, std::span<T> values)
    {
        push_pull(keys, values, by_rule());
    }

    /// The lengths of rows, in elements; 0: the key has none, and gets none.
    std::vector<std::size_t> lengths(std::span<const std::uint64_t> keys)
    {
        std::vector<std::size_t> found;
        for (const std::uint64_t bytes : Calls::bytes_of_keys(*window_, keys))
            found.push_back(static_cast<std::size_t>(bytes) / sizeof(T));
        return found;
    }
    /// Keys whose rows this rank owns.
    std::size_t local_size() const { return Calls::own_keys(*window_).size(); }
    /// Calls visit(key, row) for each of them, in no order. Others change rows meanwhile, unless the program
    /// sees to it that they do not.
    template <class Visit>
    void for_each_local(Visit&& visit) const
    {
        for (const detail::KeyedRow& row : Calls::own_keys(*window_))
            visit(row.key, std::span(reinterpret_cast<T*>(row.here), row.bytes / sizeof(T)));
    }

    /// What this rank has pushed is at the owners.
    void flush() { Calls::flush_all(*window_); }
    /// The end of this rank's step: as Table::tick().
    void tick()
    {
        flush();
        clock_.tick();
    }
    const StepClock& clock() const noexcept { return clock_; }

private:
    using Calls = detail::WindowCalls;

    SparseTable(const Communicator& communicator, std::size_t width, std::optional<UpdateRule<T>> rule,
                Initialiser&& initialise, SparseTableOptions&& options)
        : width_(width),
          has_rule_(rule.has_value()),
          clock_(communicator, options.staleness),
          window_(Calls::make(communicator, detail::WindowFlavor::dynamic, {}))
    {
        detail::KeyedRows rows;
        rows.owners = detail::table_owners(communicator, "SparseTable", std::move(options.owners));
        rows.state_bytes = [rule](std::size_t row_bytes) {
            return rule ? rule->state_of(row_bytes / sizeof(T)) * sizeof(T) : 0;
        };
        rows.initialise = [rule, initialise = std::move(initialise)](
                              std::uint64_t key, std::span<std::byte> row, std::span<std::byte> state) {
            std::ranges::fill(elements(state), rule ? rule->initial_state() : T{});
            std::ranges::fill(elements(row), T{});
            if (initialise)
                initialise(key, elements(row));
        };
        Calls::name(*window_, "table");
        Calls::set_keys(*window_, std::move(rows));
        if (rule)
            Calls::set_rule(*window_, detail::row_rule(*rule, [](const detail::RowMemory& at) {
                return at.row + at.bytes;
            }));
        communicator.barrier();
        Calls::lock_all(*window_);
    }

    static std::span<T> elements(std::span<std::byte> bytes) noexcept
    {
        return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
    }

    detail::Update by_rule() const { return detail::by_rule<T>(has_rule_); }

    // As Table::update().
    template <class U>
    void update(const char* call, std::span<const std::uint64_t> keys, std::span<const std::size_t> lengths,
                std::span<U> values, const detail::Update& update, std::vector<Request>* requests)
    {
        const bool named = !lengths.empty();
        const std::size_t all =
            named ? std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}) : keys.size() * width_;
        if ((named && lengths.size() != keys.size()) || values.size() != all)
            throw Error(ErrorCode::invalid_argument, call,
                        std::to_string(keys.size()) + " keys with " +
                            (named ? std::to_string(lengths.size()) + " lengths" : "rows of equal length") +
                            " have " + std::to_string(all) + " elements, the buffer " +
                            std::to_string(values.size()));
        auto* here = reinterpret_cast<std::byte*>(const_cast<T*>(values.data()));
        std::vector<detail::KeyedRow> rows;
        rows.reserve(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::size_t bytes = (named ? lengths[i] : width_) * sizeof(T);
            if (bytes != 0)
                rows.push_back({keys[i], here, bytes});
            here += bytes;
        }
        Calls::update_keys(*window_, rows, update, requests);
    }

    void push_pull(std::span<const std::uint64_t> keys, std::span<T> values, const detail::Update& update)
    {
        // What is pushed is copied, as the pulls overwrite it.
        const std::vector<T> pushed(values.begin(), values.end());
        this->update("push_pull", keys, {}, std::span<const T>(pushed), update, nullptr);
        this->update("push_pull", keys, {}, values, detail::update_of<T>(no_op), nullptr);
        flush();
    }

    std::size_t width_;
    bool has_rule_;
    StepClock clock_;
    detail::WindowPointer window_;
    int uncaught_ = std::uncaught_exceptions();
};

}  // namespace tutti
