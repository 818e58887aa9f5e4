// MapReduce: pairs of key and value are made from pieces of an input, combined by key, and dealt over the
// ranks.
//
//     auto counts = tutti::map_reduce<std::string, std::uint64_t>(
//         world, tutti::TextPieces({"a.txt", "b.txt"}),
//         [](std::string_view text, auto& emit) {
//             for (std::string_view word : words_of(text))
//                 emit(word, 1);
//         },
//         tutti::sum);
//     counts.for_each([](const std::string& word, std::uint64_t count) { ... });      // those of this rank
//     std::vector<std::pair<std::string, std::uint64_t>> all = counts.gather(0);
//
// Each rank maps its pieces, combines the pairs of a key where they are made, and sends them to the key's
// owner, which is found by the key's hash, while it still maps. The owner combines what comes (J. Dean, S.
// Ghemawat, "MapReduce: Simplified Data Processing on Large Clusters", OSDI 2004). More:
// docs/guide/map_reduce.md
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/communicator.hpp"
#include "tutti/pair_table.hpp"
#include "tutti/reduction.hpp"
#include "tutti/serialize.hpp"
#include "tutti/serialized_messages.hpp"
#include "tutti/sorted_pairs.hpp"
#include "tutti/spilled_pairs.hpp"
#include "tutti/text_pieces.hpp"

namespace tutti {

/// What map_reduce() may use.
struct MapReduceOptions {
    /// Of pairs in the memory of a rank. Beyond them it writes pairs to a file, which has no name and ends
    /// with the result.
    std::size_t memory_bytes = std::size_t{1} << 30;
    /// Where that file is; "": where the system keeps temporary files (TMPDIR).
    std::string spill_folder{};
};

namespace detail {

/// combine(Value& known, Value&& more) of a user's combiner: a built-in operator, a function of two values,
/// or one that changes the first.
template <class Value, class Combiner>
struct Combine {
    Combiner combiner;

    void operator()(Value& known, Value&& more) const
    {
        if constexpr (std::is_same_v<Combiner, BuiltIn<Op::sum>>)
            known = static_cast<Value>(known + more);
        else if constexpr (std::is_same_v<Combiner, BuiltIn<Op::prod>>)
            known = static_cast<Value>(known * more);
        else if constexpr (std::is_same_v<Combiner, BuiltIn<Op::min>>)
            known = std::min(known, more);
        else if constexpr (std::is_same_v<Combiner, BuiltIn<Op::max>>)
            known = std::max(known, more);
        else if constexpr (std::is_invocable_r_v<Value, const Combiner&, const Value&, const Value&>)
            known = combiner(std::as_const(known), std::as_const(more));
        else if constexpr (std::is_invocable_v<const Combiner&, Value&, Value&&>)
            combiner(known, std::move(more));
        else
            static_assert(
                always_false<Combiner>,
                "tutti: map_reduce combines by tutti::sum, prod, min or max, by a function (Value, "
                "Value) -> Value, or by one that adds its second argument to the first (Value&, Value&&)");
    }
};

/// The pairs of a rank on their way: into a table for each owner, from there to the owner, and into its
/// table.
template <class Key, class Value, class Combine>
class Shuffle {
public:
    using Table = PairTable<Key, Value>;
    using Pairs = std::vector<std::pair<Key, Value>>;

    Shuffle(const Communicator& communicator, Combine combine, const MapReduceOptions& options)
        : communicator_(communicator.dup()),
          combine_(std::move(combine)),
          options_(options),
          tables_(static_cast<std::size_t>(communicator.size())),
          requests_(1 + tables_.size()),
          batch_bytes_(std::clamp<std::size_t>(options.memory_bytes / 4 / tables_.size(), 1u << 12, 1u << 22))
    {
        expect();
    }

    /// What a map function calls for each pair.
    template <class V>
    void operator()(KeyView<Key> key, V&& value)
    {
        const std::uint64_t hash = hash_of(key);
        const std::size_t owner = owner_of(hash);
        Table& table = tables_[owner];
        table.add(hash, key, Value(std::forward<V>(value)), combine_);
        if (owner == own())
            bound();
        else if (table.size_bytes() >= batch_bytes_) [[unlikely]]
            send(owner);
    }

    /// Takes what has come.
    void progress()
    {
        while (requests_[0].active() && requests_[0].test())
            take();
    }

    /// Behind it all pairs are at their owners. Collective.
    void finish()
    {
        for (std::size_t owner = 0; owner < tables_.size(); ++owner) {
            if (owner == own())
                continue;
            send(owner);
            announce(0, owner);
        }
        while (requests_[0].active()) {
            requests_[0].wait();
            take();
        }
        wait_all(requests_);
    }

    Pairs take_pairs() noexcept { return tables_[own()].take(); }
    const PairRuns<Key, Value>& runs() const noexcept { return runs_; }
    const Combine& combine() const noexcept { return combine_; }
    const Communicator& communicator() const noexcept { return communicator_; }

private:
    // Tags: the size of a batch, 0 behind the last one of a rank; the batch itself.
    static constexpr int kSizes = 0;
    static constexpr int kBatches = 1;

    std::size_t own() const noexcept { return static_cast<std::size_t>(communicator_.rank()); }
    // By the upper half of the hash: tables find their slots by the lower one.
    std::size_t owner_of(std::uint64_t hash) const noexcept
    {
        return static_cast<std::size_t>(((hash >> 32) * tables_.size()) >> 32);
    }

    void expect()
    {
        if (ended_ + 1 < communicator_.size())
            requests_[0] = communicator_.irecv(coming_bytes_, any_source, kSizes);
    }

    void announce(std::uint64_t size_bytes, std::size_t owner)
    {
        std::move(communicator_.isend(std::uint64_t{size_bytes}, static_cast<int>(owner), kSizes)).detach();
    }

    // One batch to each owner is under way.
    void send(std::size_t owner)
    {
        if (tables_[owner].empty())
            return;
        // That owner may wait for this rank likewise: batches that come are taken meanwhile.
        while (requests_[1 + owner].active())
            if (wait_any(requests_) == 0)
                take();
        OutputArchive batch;
        for (const auto& pair : tables_[owner].pairs())
            batch(pair);
        tables_[owner].clear();
        std::vector<std::byte> bytes = std::move(batch).take();
        announce(bytes.size(), owner);
        leaving_[owner] = std::move(bytes);
        requests_[1 + owner] = communicator_.isend(leaving_[owner], static_cast<int>(owner), kBatches);
        progress();
    }

    // A size has come.
    void take()
    {
        if (coming_bytes_ == 0) {
            ++ended_;
            return expect();
        }
        coming_.resize(coming_bytes_);
        const int source = requests_[0].status().source;
        communicator_.recv(coming_, source, kBatches);
        expect();
        InputArchive batch(coming_, "map_reduce", source);
        while (batch.remaining() != 0) {
            std::pair<Key, Value> pair;
            batch(pair);
            tables_[own()].add(hash_of(pair.first), pair.first, std::move(pair.second), combine_);
            bound();
        }
    }

    void bound()
    {
        if (tables_[own()].size_bytes() >= options_.memory_bytes / 2) [[unlikely]]
            runs_.write(take_pairs(), options_.spill_folder);
    }

    Communicator communicator_;
    Combine combine_;
    MapReduceOptions options_;
    std::vector<Table> tables_;                                    // by owner
    std::vector<std::vector<std::byte>> leaving_{tables_.size()};  // batches that are being sent
    std::vector<Request> requests_;                                // of the next size, and of these
    std::size_t batch_bytes_;
    std::uint64_t coming_bytes_ = 0;
    std::vector<std::byte> coming_;
    PairRuns<Key, Value> runs_;
    int ended_ = 0;  // other ranks that send no more
};

/// Calls visit(piece) for the pieces of this rank.
template <class Input, class Visit>
void for_each_piece(const Communicator& communicator, const Input& input, Visit&& visit)
{
    if constexpr (requires { input.for_each_piece(0, 1, visit); }) {
        input.for_each_piece(communicator.rank(), communicator.size(), visit);
    } else {
        int turn = 0;
        for (auto&& piece : input) {
            if (turn == communicator.rank())
                visit(piece);
            turn = turn + 1 == communicator.size() ? 0 : turn + 1;
        }
    }
}

}  // namespace detail

/// The pairs of map_reduce, dealt over the ranks by the keys' hashes: each key is at one rank.
template <class Key, class Value, class Combine>
class ReducedPairs {
public:
    /// A key, and what its values were combined to.
    using Pair = std::pair<Key, Value>;

    /// map_reduce() makes it.
    explicit ReducedPairs(std::unique_ptr<detail::Shuffle<Key, Value, Combine>> shuffle)
        : shuffle_(std::move(shuffle)), pairs_(shuffle_->take_pairs())
    {
    }

    /// Calls visit(const Key&, Value) for each pair of this rank, in any order, once. Pairs that are in the
    /// file come from there one by one: they need not fit in memory.
    template <class Visit>
    void for_each(Visit&& visit) &&
    {
        if (!shuffle_->runs().empty())
            return shuffle_->runs().merge(std::move(pairs_), shuffle_->combine(), visit);
        for (Pair& pair : pairs_)
            visit(std::as_const(pair.first), std::move(pair.second));
        pairs_.clear();
    }

    /// The pairs of this rank, in any order.
    std::vector<Pair> take() &&
    {
        if (shuffle_->runs().empty())
            return std::move(pairs_);
        std::vector<Pair> all;
        std::move(*this).for_each(
            [&](const Key& key, Value&& value) { all.emplace_back(key, std::move(value)); });
        return all;
    }

    /// All pairs by key, dealt anew in parts of about equal size: those of rank 0 come before those of rank
    /// 1, and so on. A rank's part must fit in its memory. Collective.
    std::vector<Pair> take_sorted() &&
    {
        const Communicator& communicator = shuffle_->communicator();
        return detail::sort_over_ranks(communicator, std::move(*this).take(), kSorted);
    }

    /// All pairs by key at `root`; elsewhere none. Collective.
    std::vector<Pair> gather(int root) &&
    {
        const Communicator& communicator = shuffle_->communicator();
        std::vector<Pair> all = std::move(*this).take();
        if (communicator.rank() != root) {
            send_serialized(communicator, all, root, kGathered);
            return {};
        }
        for (int other = 0; other < communicator.size(); ++other)
            if (other != root)
                std::ranges::move(recv_serialized<std::vector<Pair>>(communicator, other, kGathered),
                                  std::back_inserter(all));
        std::ranges::sort(all, {}, &Pair::first);
        return all;
    }

private:
    // Tags beside those of Shuffle; kSorted and the two behind it.
    static constexpr int kGathered = 2;
    static constexpr int kSorted = 3;

    std::unique_ptr<detail::Shuffle<Key, Value, Combine>> shuffle_;
    std::vector<Pair> pairs_;
};

/// Calls map(piece, emit) for each piece of `input`, at one of the ranks, and combines the values of all
/// calls emit(key, value) with one key. Collective: all ranks give the same input and options.
///
/// `input`: TextPieces, or any range whose elements are dealt in turn: files, numbers of blocks. `combiner`:
/// tutti::sum, prod, min or max; a function (Value, Value) -> Value; or one that adds its second argument to
/// its first, (Value&, Value&&). It is applied in any order. `Key` has ==, and it and `Value` are types of
/// serialize(); a key that is no string and has padding or pointers needs a std::hash.
///
/// Throws errors of the map function (the others then wait: let it end the job), of TextPieces, and
/// ErrorCode::system if pairs must be written to a file and cannot be.
template <class Key, class Value, class Input, class Map, class Combiner>
auto map_reduce(const Communicator& communicator, const Input& input, Map&& map, Combiner combiner,
                const MapReduceOptions& options = {})
{
    using Combine = detail::Combine<Value, Combiner>;
    auto shuffle = std::make_unique<detail::Shuffle<Key, Value, Combine>>(
        communicator, Combine{std::move(combiner)}, options);
    detail::for_each_piece(communicator, input, [&](auto&& piece) {
        map(std::forward<decltype(piece)>(piece), *shuffle);
        shuffle->progress();
    });
    shuffle->finish();
    return ReducedPairs<Key, Value, Combine>(std::move(shuffle));
}

/// map_reduce() without a combiner: reduce(key, values) sees all values of a key at once, a
/// std::vector<Value> in any order, and returns the key's result. Returns the pairs of key and result of this
/// rank. Collective.
template <class Key, class Value, class Input, class Map, class Reduce>
auto map_group(const Communicator& communicator, const Input& input, Map&& map, Reduce&& reduce,
               const MapReduceOptions& options = {})
{
    using Values = std::vector<Value>;
    using Result = std::decay_t<std::invoke_result_t<Reduce&, const Key&, Values>>;
    auto groups = map_reduce<Key, Values>(
        communicator, input,
        [&](auto&& piece, auto& emit) {
            auto emit_one = [&](detail::KeyView<Key> key, auto&& value) {
                emit(key, Values{Value(std::forward<decltype(value)>(value))});
            };
            map(std::forward<decltype(piece)>(piece), emit_one);
        },
        [](Values& known, Values&& more) { std::ranges::move(more, std::back_inserter(known)); }, options);
    std::vector<std::pair<Key, Result>> results;
    std::move(groups).for_each(
        [&](const Key& key, Values&& values) { results.emplace_back(key, reduce(key, std::move(values))); });
    return results;
}

}  // namespace tutti
