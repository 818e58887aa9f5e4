// Collective calls that do not belong together: what most ranks call, what the last one calls instead, and
// how an error must name both. For ranks that are threads and ranks that are processes.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::test {

struct Mismatch {
    std::string_view name;
    void (*most)(const Communicator&);
    void (*last)(const Communicator&);
    std::string_view most_words;
    std::string_view last_words;
};

namespace calls {

template <int root>
void gather(const Communicator& group)
{
    std::vector<int> all(group.rank() == root ? static_cast<std::size_t>(group.size()) : 0);
    group.gather(std::vector<int>(1, group.rank()), all, {.root = root});
}

template <int root>
void gatherv(const Communicator& group)
{
    const auto ranks = static_cast<std::size_t>(group.size());
    const std::vector<std::size_t> counts(ranks, 1);
    std::vector<int> all(group.rank() == root ? ranks : 0);
    group.gatherv(std::vector<int>(1, group.rank()), all, counts, {.root = root});
}

template <int root>
void scatter(const Communicator& group)
{
    const std::vector<int> all(group.rank() == root ? static_cast<std::size_t>(group.size()) : 0, 7);
    std::vector<int> own(1);
    group.scatter(all, own, {.root = root});
}

template <int root, int count = 5>
void broadcast(const Communicator& group)
{
    std::vector<float> data(count, static_cast<float>(group.rank()));
    group.broadcast(data, {.root = root});
}

template <int root>
void reduce(const Communicator& group)
{
    std::vector<float> data(5, 1);
    group.reduce(data, sum, {.root = root});
}

template <auto& op, int count, class T = float>
void allreduce(const Communicator& group)
{
    std::vector<T> data(count, 1);
    group.allreduce(data, op);
}

constexpr char kRing[] = "ring";
constexpr char kBinomial[] = "binomial";

template <auto& algorithm>
void allreduce_by(const Communicator& group)
{
    std::vector<float> data(5, 1);
    group.allreduce(data, sum, {.algorithm = algorithm});
}

constexpr char kShortChain[] = "chain:4";
constexpr char kLongChain[] = "chain:16";

template <auto& algorithm>
void ibroadcast_by(const Communicator& group)
{
    std::vector<float> data(5, 1);
    group.ibroadcast(data, {.algorithm = algorithm}).wait();
}

template <int count>
void alltoall(const Communicator& group)
{
    const std::vector<char> in(static_cast<std::size_t>(group.size()) * count, 1);
    std::vector<char> out(in.size());
    group.alltoall(in, out);
}

template <int count>
void alltoall_of_shared(const Communicator& group)
{
    const shared_vector<char> in(static_cast<std::size_t>(group.size()) * count, 1);
    std::vector<char> out(in.size());
    group.alltoall(in, out);
}

template <bool unequal>
void reduce_scatter(const Communicator& group)
{
    const auto ranks = static_cast<std::size_t>(group.size());
    const std::vector<int> in(ranks, 1);
    std::vector<int> out(1);
    if (unequal)
        group.reduce_scatterv(in, out, std::vector<std::size_t>(ranks, 1), sum);
    else
        group.reduce_scatter(in, out, sum);
}

inline void barrier(const Communicator& group)
{
    group.barrier();
}

inline void ibarrier(const Communicator& group)
{
    group.ibarrier().wait();
}

// Asks again and again instead of waiting.
inline void tested_ibarrier(const Communicator& group)
{
    Request request = group.ibarrier();
    while (!request.test())
        ;
}

template <int root>
void tested_igather(const Communicator& group)
{
    std::vector<int> all(group.rank() == root ? static_cast<std::size_t>(group.size()) : 0);
    const std::array<int, 1> own{group.rank()};
    Request request = group.igather(own, all, {.root = root});
    while (!request.test())
        ;
}

template <int first, int second>
void igathers(const Communicator& group)
{
    const auto ranks = static_cast<std::size_t>(group.size());
    const std::array<int, 1> own{group.rank()};
    std::vector<int> one(group.rank() == first ? ranks : 0);
    std::vector<int> two(group.rank() == second ? ranks : 0);
    std::array<Request, 2> both{group.igather(own, one, {.root = first}),
                                group.igather(own, two, {.root = second})};
    wait_all(both);
}

template <auto& op>
void started_allreduce(const Communicator& group)
{
    std::vector<float> data(5, 1);
    PersistentRequest request = group.allreduce_init(data, op);
    request.start();
    request.wait();
}

inline void dup(const Communicator& group)
{
    static_cast<void>(group.dup());
}

// Of two ranks, the last dimension's.
template <int dimensions, bool periodic, bool reorder = false>
void grid(const Communicator& group)
{
    std::vector<int> dims(dimensions, 1);
    dims.back() = 2;
    static_cast<void>(
        group.create_cartesian(dims, std::vector<bool>(dimensions, periodic), {.reorder = reorder}));
}

inline void graph(const Communicator& group)
{
    static_cast<void>(group.create_graph({}, {}));
}

template <bool exchanges>
void on_a_ring(const Communicator& group)
{
    const auto ring = group.create_cartesian({group.size()}, {true});
    std::array<int, 2> out{};
    if (exchanges)
        ring->neighbor_allgather(std::array<int, 1>{group.rank()}, out);
    else
        ring->barrier();
}

// Its call is over at once, and what it waits for is no collective.
inline void elsewhere(const Communicator& group)
{
    float data = 1;
    group.ibroadcast(data, {.root = group.rank()}).wait();
    group.recv(data, 0, 9);
}

template <auto first, auto second>
void one_after_the_other(const Communicator& group)
{
    first(group);
    second(group);
}

}  // namespace calls

inline constexpr Mismatch kMismatches[] = {
    {"gather root", calls::gather<0>, calls::gather<1>, "gather with root 0", "gather with root 1"},
    {"gatherv root", calls::gatherv<0>, calls::gatherv<1>, "gatherv with root 0", "gatherv with root 1"},
    {"scatter root", calls::scatter<0>, calls::scatter<1>, "scatter with root 0", "scatter with root 1"},
    {"broadcast root", calls::broadcast<0>, calls::broadcast<1>, "broadcast with root 0 of 20 bytes",
     "broadcast with root 1 of 20 bytes"},
    {"large broadcast root", calls::broadcast<0, 100'000>, calls::broadcast<1, 100'000>,
     "broadcast with root 0 of 400000 bytes", "broadcast with root 1 of 400000 bytes"},
    {"reduce root", calls::reduce<0>, calls::reduce<1>, "reduce with root 0 of 20 bytes, sum of float32",
     "reduce with root 1 of 20 bytes, sum of float32"},
    {"operator", calls::allreduce<sum, 5>, calls::allreduce<max, 5>, "allreduce of 20 bytes, sum of float32",
     "allreduce of 20 bytes, max of float32"},
    {"type", calls::allreduce<sum, 5>, calls::allreduce<sum, 5, int>, "allreduce of 20 bytes, sum of float32",
     "allreduce of 20 bytes, sum of int32"},
    {"size", calls::allreduce<sum, 10>, calls::allreduce<sum, 11>, "allreduce of 40 bytes",
     "allreduce of 44 bytes"},
    {"large size", calls::allreduce<sum, 10>, calls::allreduce<sum, 70'000>, "allreduce of 40 bytes",
     "allreduce of 280000 bytes"},
    {"collective", calls::allreduce<sum, 5>, calls::barrier, "allreduce of 20 bytes", "barrier"},
    {"one that does not wait", calls::gather<0>, calls::reduce<0>, "gather with root 0",
     "reduce with root 0 of 20 bytes"},
    {"order", calls::one_after_the_other<calls::broadcast<0>, calls::barrier>,
     calls::one_after_the_other<calls::barrier, calls::broadcast<0>>, "broadcast with root 0 of 20 bytes",
     "barrier"},
    {"order of requests", calls::igathers<0, 1>, calls::igathers<1, 0>, "gather with root 0",
     "gather with root 1"},
    {"elsewhere", calls::barrier, calls::elsewhere, "barrier", "broadcast with root"},
    {"tested", calls::tested_ibarrier, calls::tested_igather<0>, "barrier", "gather with root 0"},
    {"persistent", calls::started_allreduce<sum>, calls::started_allreduce<max>, "sum of float32",
     "max of float32"},
    {"making of a communicator", calls::dup, calls::gather<0>, "dup", "gather with root 0"},
    {"dimensions", calls::grid<1, false>, calls::grid<2, false>, "create_cartesian of 2 ranks",
     "create_cartesian of 1 x 2 ranks"},
    {"periods", calls::grid<1, false>, calls::grid<1, true>, "create_cartesian of 2 ranks",
     "create_cartesian of 2 ranks, periodic in dimension 0"},
    {"reordering", calls::grid<1, true>, calls::grid<1, true, true>, "periodic in dimension 0",
     "periodic in dimension 0, reordered"},
    {"many dimensions", calls::grid<4, false>, calls::grid<4, true>, "create_cartesian in 4 dimensions",
     "other dimensions, periods or options"},
    {"graph", calls::graph, calls::dup, "create_graph", "dup"},
    {"neighbours", calls::on_a_ring<true>, calls::on_a_ring<false>, "neighbor_allgather", "barrier"},
    {"algorithm", calls::allreduce_by<calls::kRing>, calls::allreduce_by<calls::kBinomial>, "by ring",
     "by binomial"},
    {"algorithm of some", calls::allreduce<sum, 5>, calls::allreduce_by<calls::kBinomial>,
     "allreduce of 20 bytes, sum of float32", "sum of float32, by binomial"},
    {"segments", calls::ibroadcast_by<calls::kShortChain>, calls::ibroadcast_by<calls::kLongChain>,
     "by chain in segments of 4 B", "by chain in segments of 16 B"},
    {"blocks", calls::reduce_scatter<false>, calls::reduce_scatter<true>, "reduce_scatter of",
     "reduce_scatterv of"},
    {"form", calls::allreduce<sum, 5>, calls::ibarrier, "allreduce of 20 bytes", "barrier"},
    {"blocks of all", calls::alltoall<100>, calls::alltoall<30>, "alltoall of", "alltoall of"},
    {"long blocks of all", calls::alltoall_of_shared<20'000>, calls::alltoall_of_shared<30'001>,
     "alltoall of", "alltoall of"},
};

/// The last rank calls what it should not; all go on as if nothing had happened.
inline void run(const Mismatch& mismatch, const Communicator& group)
{
    (group.rank() == group.size() - 1 ? mismatch.last : mismatch.most)(group);
    for (int i = 0; i < 300; ++i)
        group.barrier();
}

}  // namespace tutti::test
