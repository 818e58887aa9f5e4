// Pairs of all ranks in the order of their keys: sorting by regular sampling (H. Shi, J. Schaeffer, "Parallel
// Sorting by Regular Sampling", Journal of Parallel and Distributed Computing, 1992).
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "tutti/communicator.hpp"
#include "tutti/request.hpp"
#include "tutti/serialize.hpp"
#include "tutti/serialized_messages.hpp"

namespace tutti::detail {

/// The smallest key of each rank's part but the first's: every rank gives as many keys of its sorted pairs as
/// there are ranks, at equal distances, and so does rank 0 with all of these. Collective. Takes `tag` and the
/// next one.
template <class Key, class Value>
std::vector<Key> splitters(const Communicator& communicator, std::span<const std::pair<Key, Value>> sorted,
                           int tag)
{
    const auto ranks = static_cast<std::size_t>(communicator.size());
    std::vector<Key> keys;
    for (std::size_t i = 0; i < ranks && !sorted.empty(); ++i)
        keys.push_back(sorted[i * sorted.size() / ranks].first);
    if (communicator.rank() != 0) {
        send_serialized(communicator, keys, 0, tag);
        return recv_serialized<std::vector<Key>>(communicator, 0, tag + 1);
    }
    for (int other = 1; other < communicator.size(); ++other)
        std::ranges::move(recv_serialized<std::vector<Key>>(communicator, other, tag),
                          std::back_inserter(keys));
    std::ranges::sort(keys);
    std::vector<Key> chosen;
    for (std::size_t part = 1; part < ranks && !keys.empty(); ++part)
        chosen.push_back(keys[part * keys.size() / ranks]);
    for (int other = 1; other < communicator.size(); ++other)
        send_serialized(communicator, chosen, other, tag + 1);
    return chosen;
}

/// This rank's part of all pairs. Those of a key go to one rank. Collective. Takes three tags from `tag` on.
template <class Key, class Value>
std::vector<std::pair<Key, Value>> sort_over_ranks(const Communicator& communicator,
                                                   std::vector<std::pair<Key, Value>> pairs, int tag)
{
    using Pairs = std::vector<std::pair<Key, Value>>;
    std::ranges::sort(pairs, {}, &Pairs::value_type::first);
    const std::vector<Key> borders =
        splitters(communicator, std::span<const std::pair<Key, Value>>(pairs), tag);
    std::vector<std::vector<std::byte>> leaving;
    std::vector<Request> requests;
    leaving.reserve(static_cast<std::size_t>(communicator.size()));
    Pairs own;
    auto begin = pairs.begin();
    for (int rank = 0; rank < communicator.size(); ++rank) {
        const auto border = static_cast<std::size_t>(rank);
        const auto end = border < borders.size()
                             ? std::ranges::lower_bound(begin, pairs.end(), borders[border], {},
                                                        &Pairs::value_type::first)
                             : pairs.end();
        Pairs part(std::make_move_iterator(begin), std::make_move_iterator(end));
        begin = end;
        if (rank == communicator.rank()) {
            own = std::move(part);
            continue;
        }
        OutputArchive archive;
        archive(part);
        leaving.push_back(std::move(archive).take());
        requests.push_back(communicator.isend(leaving.back(), rank, tag + 2));
    }
    for (int other = 1; other < communicator.size(); ++other)
        std::ranges::move(recv_serialized<Pairs>(communicator, any_source, tag + 2), std::back_inserter(own));
    wait_all(requests);
    std::ranges::sort(own, {}, &Pairs::value_type::first);
    return own;
}

}  // namespace tutti::detail
