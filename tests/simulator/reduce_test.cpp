#include "collectives/framework/functions.hpp"

#include <algorithm>

#include "collectives/choice/algorithms.hpp"
#include "collectives/framework/partition.hpp"
#include "collectives/framework/patterns.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

namespace {

/// Of the chain; no multiple of an element, which an algorithm must mind.
constexpr std::size_t kSegmentBytes = 1009;

enum class ReduceMemory { in_place, separate, none_but_root };

struct ReduceCall {
    int ranks;
    int root;
    bool commutative;
    std::size_t count;
    std::size_t element_bytes;
};

/// Chains of `below` and `above` ranks meet at the root. It takes a segment a step: from the longer chain
/// alone once that has come near, or from both from when the nearer has.
int chain_steps(int segments, int below, int above)
{
    const int nearer = std::min(below, above);
    const int farther = std::max(below, above);
    if (farther == 0) {
        return 0;
    }
    const int of_one = farther - 1 + segments;
    return nearer == 0 ? of_one : std::max(of_one, nearer - 1 + 2 * segments);
}

Cost chain_cost(const ReduceCall& call)
{
    const std::size_t each = std::max<std::size_t>(1, kSegmentBytes / call.element_bytes);
    const std::size_t segments = call.count == 0 ? 1 : (call.count + each - 1) / each;
    const int below = call.commutative ? call.ranks - 1 : call.root;
    const int above = call.ranks - 1 - below;
    return {chain_steps(static_cast<int>(segments), below, above), std::max(below, above),
            segments * static_cast<std::size_t>(call.ranks - 1)};
}

struct ReduceCost {
    Cost cost;
    std::size_t sent_elements;  // by all messages
};

/// Bits in the opposite order: where recursive halving leaves a rank's block.
int halving_place(int folded, int log2)
{
    int place = 0;
    for (int bit = 0; bit < log2; ++bit) {
        place |= (folded >> bit & 1) << (log2 - 1 - bit);
    }
    return place;
}

ReduceCost rabenseifner_cost(const ReduceCall& call)
{
    const int log2 = floor_log2(call.ranks);
    const int power = 1 << log2;
    const int out = call.ranks - power;
    const bool root_is_out = call.root < 2 * out && call.root % 2 == 0;
    const int target = call.root < 2 * out ? call.root / 2 : call.root - out;
    const auto more = static_cast<std::size_t>(out + (root_is_out ? 1 : 0));
    const Partition blocks = Partition::even(call.count, power);

    std::size_t gathered = 0;
    for (int folded = 0; folded < power; ++folded) {
        if (folded != target) {
            // It gives what it has where, going down the bits, it first differs from the target.
            const int length = power >> (floor_log2(folded ^ target) + 1);
            const int begin = halving_place(folded, log2) / length * length;
            gathered += blocks.range(begin, begin + length).count;
        }
    }
    const int steps = 2 * log2 + (out > 0 ? 1 : 0) + (root_is_out ? 1 : 0);
    return {
        {steps, out == 0 ? steps : kNotPromised, static_cast<std::size_t>(power * log2 + power - 1) + more},
        (static_cast<std::size_t>(power - 1) + more) * call.count + gathered};
}

struct Rise {
    int steps = 0;
    int depth = 0;
};

/// When the k-nomial tree's rank, counted from its root, has all of its children's, one a step.
Rise knomial_rise(int rank, int ranks)
{
    const patterns::KnomialTree tree(rank, 0, ranks, 4);
    Rise all;
    for (int index = 0; index < tree.child_count(); ++index) {
        const Rise below = knomial_rise(tree.child(index), ranks);
        all = {std::max(all.steps, below.steps) + 1, std::max(all.depth, below.depth + 1)};
    }
    return all;
}

Cost cost_of_whole_messages(std::string_view algorithm, const ReduceCall& call)
{
    const auto messages = static_cast<std::size_t>(call.ranks - 1);
    if (algorithm == "flat") {
        return {call.ranks - 1, call.ranks > 1 ? 1 : 0, messages};
    }
    if (algorithm == "chain") {
        return chain_cost(call);
    }
    const Rise rise = algorithm == "knomial" ? knomial_rise(0, call.ranks)
                                             : Rise{ceil_log2(call.ranks), floor_log2(call.ranks)};
    const int forwards = !call.commutative && call.root != 0 ? 1 : 0;
    return {rise.steps + forwards, rise.depth + forwards, messages + static_cast<std::size_t>(forwards)};
}

ReduceCost reduce_cost(std::string_view algorithm, const ReduceCall& call)
{
    if (algorithm == "shared")
        return {};
    if (algorithm == "rabenseifner") {
        return rabenseifner_cost(call);
    }
    const Cost cost = cost_of_whole_messages(algorithm, call);
    // All n bytes move along every edge of a tree or chain; the binomial tree may have one edge more.
    const std::size_t edges = algorithm == "chain" ? static_cast<std::size_t>(call.ranks - 1) : cost.messages;
    return {cost, edges * call.count};
}

template <class T>
struct Case {
    const Algorithm<Reduce::Function>& algorithm;
    SendMode mode;
    int ranks;
    int root;
    std::size_t count;
    ReduceMemory memory;
    ReduceOp op;
    std::vector<T> (*operand)(int rank, std::size_t count);
    std::vector<T> (*result)(int ranks, std::size_t count);
};

template <class T>
void check(const Case<T>& c)
{
    CAPTURE(c.algorithm.name, static_cast<int>(c.mode), c.ranks, c.root, c.count, static_cast<int>(c.memory),
            c.op.commutative());
    std::vector<std::vector<T>> in(static_cast<std::size_t>(c.ranks));
    std::vector<std::vector<T>> out(static_cast<std::size_t>(c.ranks));
    for (std::size_t rank = 0; rank < in.size(); ++rank) {
        in[rank] = c.operand(static_cast<int>(rank), c.count);
        out[rank].resize(c.count);
    }
    const Report report = simulate(c.ranks, settings_for(c.mode), [&](Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        Buffer target = buffer_of(c.memory == ReduceMemory::in_place ? in[rank] : out[rank]);
        if (c.memory == ReduceMemory::none_but_root && group.rank() != c.root) {
            target.data = nullptr;
        }
        return c.algorithm.run(group, bytes_of(in[rank]).data(), target, c.root, c.op, kSegmentBytes);
    });
    REQUIRE(report.problems() == "");
    const auto root = static_cast<std::size_t>(c.root);
    REQUIRE((c.memory == ReduceMemory::in_place ? in[root] : out[root]) == c.result(c.ranks, c.count));
    if (c.memory != ReduceMemory::in_place) {
        for (std::size_t rank = 0; rank < in.size(); ++rank) {
            REQUIRE(in[rank] == c.operand(static_cast<int>(rank), c.count));
        }
    }
    const ReduceCost promised =
        reduce_cost(c.algorithm.name, {c.ranks, c.root, c.op.commutative(), c.count, sizeof(T)});
    check_cost_of_all_bytes(report, promised.cost, promised.sent_elements * sizeof(T));
}

void check_both(const Algorithm<Reduce::Function>& algorithm, SendMode mode, int ranks, int root,
                std::size_t count, ReduceMemory memory)
{
    check<std::int32_t>(
        {algorithm, mode, ranks, root, count, memory, kIntegerSum, integer_operand, integer_sum});
    check<Affine>({algorithm, mode, ranks, root, count, memory, kAffineThen, affine_operand, affine_result});
}

}  // namespace

TEST_CASE("every reduce combines in rank order at every root, and leaves the operands alone")
{
    for (const Algorithm<Reduce::Function>& algorithm : on_one_node<Reduce>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= 17; ++ranks) {
                for (int root = 0; root < ranks; ++root) {
                    for (const auto memory : {ReduceMemory::in_place, ReduceMemory::separate, ReduceMemory::none_but_root}) {
                        check_both(algorithm, mode, ranks, root, 3, memory);
                    }
                }
            }
        }
    }
}

TEST_CASE("a reduce of nothing, one, and many elements")
{
    for (const Algorithm<Reduce::Function>& algorithm : on_one_node<Reduce>()) {
        for (const SendMode mode : kModes) {
            for (const int ranks : {1, 2, 6, 7}) {
                for (const std::size_t count : kCounts) {
                    check_both(algorithm, mode, ranks, ranks / 2, count, ReduceMemory::none_but_root);
                    check_both(algorithm, mode, ranks, ranks - 1, count, ReduceMemory::in_place);
                }
            }
        }
    }
}

TEST_CASE("the reduces of logarithmic cost over very many ranks")
{
    for (const Algorithm<Reduce::Function>& algorithm : on_one_node<Reduce>()) {
        if (algorithm.name == "binomial" || algorithm.name == "rabenseifner") {
            check<Affine>({algorithm, SendMode::eager, kVeryManyRanks, 77, 5, ReduceMemory::none_but_root,
                           kAffineThen, affine_operand, affine_result});
        }
    }
}

TEST_CASE("a reduce over many ranks")
{
    for (const Algorithm<Reduce::Function>& algorithm : on_one_node<Reduce>()) {
        check_both(algorithm, SendMode::synchronous, 64, 17, 3, ReduceMemory::none_but_root);
        check_both(algorithm, SendMode::eager, kManyRanks, kManyRanks - 1, 1, ReduceMemory::separate);
    }
}

}  // namespace tutti::collectives::test
