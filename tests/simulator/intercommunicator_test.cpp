// The collectives of two groups: every size of both, every root, with and without buffering of sends.
#include "collectives/intercommunicator/two_groups.hpp"

#include <algorithm>

#include "tests/simulator/blocks_support.hpp"

namespace tutti::collectives::test {

namespace {

using inter::Groups;
using inter::kRootBeside;
using inter::kRootHere;

/// The ranks of both groups in one: those of the first come first.
struct Shape {
    int ranks;
    int first;

    bool in_first(int rank) const { return rank < first; }
    bool same_side(int a, int b) const { return in_first(a) == in_first(b); }
    /// The ranks of the group that `rank` is not in.
    std::vector<int> others(int rank) const
    {
        std::vector<int> found;
        for (int other = 0; other < ranks; ++other) {
            if (!same_side(rank, other)) {
                found.push_back(other);
            }
        }
        return found;
    }
    int place(int rank) const { return in_first(rank) ? rank : rank - first; }
    /// What `rank` gives as the root, which is a rank of both.
    int root_for(int rank, int root) const
    {
        return rank == root ? kRootHere : same_side(rank, root) ? kRootBeside : place(root);
    }
};

void for_all(const std::function<void(const Shape&, SendMode)>& body)
{
    for (int ranks = 2; ranks <= (tutti::test::kSanitized ? 5 : 9); ++ranks) {
        for (int first = 1; first < ranks; ++first) {
            for (const SendMode mode : kModes) {
                CAPTURE(ranks, first, static_cast<int>(mode));
                body({ranks, first}, mode);
            }
        }
    }
}

Memory all_of(const std::vector<int>& ranks, int to, std::size_t block_bytes)
{
    Memory all;
    for (const int rank : ranks) {
        const Memory block = block_of(rank, to, block_bytes);
        all.insert(all.end(), block.begin(), block.end());
    }
    return all;
}

std::size_t index_of(const Group& group)
{
    return static_cast<std::size_t>(group.rank());
}

}  // namespace

TEST_CASE("intercommunicator: broadcast, gather and scatter from every root")
{
    for_all([](const Shape& shape, SendMode mode) {
        for (const std::size_t bytes : {0u, 5u, 5000u}) {
            for (int root = 0; root < shape.ranks; ++root) {
                CAPTURE(bytes, root);
                const std::vector<int> others = shape.others(root);
                std::vector<Memory> data;
                std::vector<Memory> expected;
                std::vector<Memory> own;
                std::vector<Memory> parts(static_cast<std::size_t>(shape.ranks), Memory(bytes));
                for (int rank = 0; rank < shape.ranks; ++rank) {
                    const bool gets = !shape.same_side(rank, root);
                    data.push_back(rank == root ? block_of(root, kAll, bytes) : Memory(bytes, kUntouched));
                    expected.push_back(gets ? block_of(root, kAll, bytes) : data.back());
                    own.push_back(block_of(rank, root, bytes));
                }
                Memory all(bytes * others.size());
                const Memory whole = all_of(others, kAll, bytes);
                const auto run = [&](const std::function<Task(Groups, std::size_t, int)>& call) {
                    const Report report = simulate(shape.ranks, settings_for(mode), [&](Group& group) {
                        return call({group, shape.first}, index_of(group),
                                    shape.root_for(group.rank(), root));
                    });
                    CHECK(report.problems() == "");
                };
                run([&](Groups groups, std::size_t rank, int at) {
                    return inter::broadcast(groups, data[rank], at);
                });
                CHECK(data == expected);
                run([&](Groups groups, std::size_t rank, int at) {
                    return inter::gather(groups, own[rank],
                                         at == kRootHere ? std::span(all) : std::span<std::byte>(), at);
                });
                CHECK(all == all_of(others, root, bytes));
                run([&](Groups groups, std::size_t rank, int at) {
                    return inter::scatter(groups,
                                          at == kRootHere ? std::span(whole) : std::span<const std::byte>(),
                                          parts[rank], at);
                });
                for (const int rank : others) {
                    CHECK(parts[static_cast<std::size_t>(rank)] == block_of(rank, kAll, bytes));
                }
            }
        }
    });
}

TEST_CASE("intercommunicator: reductions keep the order of ranks")
{
    for_all([](const Shape& shape, SendMode mode) {
        constexpr std::size_t kElements = 12;
        const auto combined = [&](const std::vector<int>& ranks) {
            std::vector<Affine> result = affine_operand(ranks.front(), kElements);
            for (std::size_t i = 1; i < ranks.size(); ++i) {
                const std::vector<Affine> next = affine_operand(ranks[i], kElements);
                combine_affine(result.data(), result.data(), next.data(), kElements);
            }
            return result;
        };
        std::vector<std::vector<Affine>> in;
        std::vector<std::vector<Affine>> out;
        for (int rank = 0; rank < shape.ranks; ++rank) {
            in.push_back(affine_operand(rank, kElements));
            out.emplace_back(kElements);
        }
        Report report = simulate(shape.ranks, settings_for(mode), [&](Group& group) {
            return inter::allreduce({group, shape.first}, bytes_of(in[index_of(group)]).data(),
                                    buffer_of(out[index_of(group)]), kAffineThen);
        });
        CHECK(report.problems() == "");
        for (int rank = 0; rank < shape.ranks; ++rank) {
            CHECK(out[static_cast<std::size_t>(rank)] == combined(shape.others(rank)));
        }

        const int root = shape.ranks / 2;
        std::vector<Affine> result(kElements);
        report = simulate(shape.ranks, settings_for(mode), [&](Group& group) {
            Buffer target = buffer_of(result);
            if (group.rank() != root) {
                target.data = nullptr;
            }
            return inter::reduce({group, shape.first}, bytes_of(in[index_of(group)]).data(), target,
                                 shape.root_for(group.rank(), root), kAffineThen);
        });
        CHECK(report.problems() == "");
        CHECK(result == combined(shape.others(root)));

        // The first rank of each group gets all but one element each of the others.
        std::vector<std::vector<std::size_t>> counts;
        for (int rank = 0; rank < shape.ranks; ++rank) {
            const int own = shape.in_first(rank) ? shape.first : shape.ranks - shape.first;
            counts.emplace_back(static_cast<std::size_t>(own), 1);
            counts.back()[0] = kElements - static_cast<std::size_t>(own) + 1;
            out[static_cast<std::size_t>(rank)].resize(
                counts.back()[static_cast<std::size_t>(shape.place(rank))]);
        }
        report = simulate(shape.ranks, settings_for(mode), [&](Group& group) {
            return inter::reduce_scatter({group, shape.first}, bytes_of(in[index_of(group)]).data(),
                                         Partition::of_counts(counts[index_of(group)]),
                                         buffer_of(out[index_of(group)]), kAffineThen);
        });
        CHECK(report.problems() == "");
        for (int rank = 0; rank < shape.ranks; ++rank) {
            const auto index = static_cast<std::size_t>(rank);
            const std::vector<Affine> all = combined(shape.others(rank));
            const std::size_t first =
                shape.place(rank) == 0 ? 0
                                       : counts[index][0] + static_cast<std::size_t>(shape.place(rank)) - 1;
            CHECK(std::equal(out[index].begin(), out[index].end(),
                             all.begin() + static_cast<std::ptrdiff_t>(first)));
        }
    });
}

TEST_CASE("intercommunicator: allgather and alltoall of blocks that differ between the groups")
{
    for_all([](const Shape& shape, SendMode mode) {
        for (const std::size_t bytes : {0u, 3u, 400u}) {
            CAPTURE(bytes);
            // The first group gives twice as much.
            const auto given = [&](int rank) { return shape.in_first(rank) ? 2 * bytes : bytes; };
            const auto taken = [&](int rank) { return shape.in_first(rank) ? bytes : 2 * bytes; };
            std::vector<Memory> own;
            std::vector<Memory> sent;
            std::vector<Memory> all;
            std::vector<Memory> received;
            for (int rank = 0; rank < shape.ranks; ++rank) {
                own.push_back(block_of(rank, kAll, given(rank)));
                sent.emplace_back();
                for (const int other : shape.others(rank)) {
                    const Memory block = block_of(rank, other, given(rank));
                    sent.back().insert(sent.back().end(), block.begin(), block.end());
                }
                all.emplace_back(taken(rank) * shape.others(rank).size());
                received.emplace_back(all.back().size());
            }
            Report report = simulate(shape.ranks, settings_for(mode), [&](Group& group) {
                const std::size_t rank = index_of(group);
                return inter::allgather({group, shape.first}, own[rank], all[rank]);
            });
            CHECK(report.problems() == "");
            report = simulate(shape.ranks, settings_for(mode), [&](Group& group) {
                const std::size_t rank = index_of(group);
                return inter::alltoall({group, shape.first}, {sent[rank].data(), given(group.rank())},
                                       {received[rank].data(), taken(group.rank())});
            });
            CHECK(report.problems() == "");
            CHECK(report.longest_chain == 1);
            for (int rank = 0; rank < shape.ranks; ++rank) {
                const auto index = static_cast<std::size_t>(rank);
                CHECK(all[index] == all_of(shape.others(rank), kAll, taken(rank)));
                CHECK(received[index] == all_of(shape.others(rank), rank, taken(rank)));
            }
        }
    });
}

}  // namespace tutti::collectives::test
