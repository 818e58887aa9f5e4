#include "collectives/choice.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <string>

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/broadcast/broadcast.hpp"
#include "collectives/collectives.hpp"
#include "collectives/reduce/reduce.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives {

namespace {

// The algorithms that there are. The order is that of messages to the user.
constexpr std::array kBarrier{Algorithm<BarrierFunction>{"flat", barrier_flat},
                              Algorithm<BarrierFunction>{"binomial", barrier_binomial},
                              Algorithm<BarrierFunction>{"dissemination", barrier_dissemination}};
constexpr std::array kBroadcast{Algorithm<BroadcastFunction>{"flat", broadcast_flat},
                                Algorithm<BroadcastFunction>{"binomial", broadcast_binomial}};
constexpr std::array kReduce{Algorithm<ReduceFunction>{"flat", reduce_flat},
                             Algorithm<ReduceFunction>{"binomial", reduce_binomial}};
constexpr std::array kAllreduce{
    Algorithm<AllreduceFunction>{"flat", allreduce_flat},
    Algorithm<AllreduceFunction>{"binomial", allreduce_binomial},
    Algorithm<AllreduceFunction>{"recursive_doubling", allreduce_recursive_doubling}};

/// Where the ranks run. `crowded`: one node with more ranks than cores, where every wait of a rank costs a
/// turn of the scheduler.
enum class Where { anywhere, crowded };

/// The first rule that fits a situation names the algorithm; the last one of a table fits all.
struct Rule {
    Where where;
    int max_ranks;
    std::size_t max_bytes;
    std::string_view algorithm;
};

constexpr int kAnyRanks = std::numeric_limits<int>::max();
constexpr std::size_t kAnyBytes = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kKiB = 1024;

// clang-format off
constexpr std::array kBarrierRules{
    //   where            up to ranks  up to bytes  algorithm
    Rule{Where::crowded,  kAnyRanks,   kAnyBytes,   "flat"},
    Rule{Where::anywhere, kAnyRanks,   kAnyBytes,   "dissemination"},
};
constexpr std::array kBroadcastRules{
    Rule{Where::anywhere, 2,           kAnyBytes,   "flat"},
    Rule{Where::anywhere, 4,           1 * kKiB,    "flat"},
    Rule{Where::crowded,  kAnyRanks,   8 * kKiB,    "flat"},
    Rule{Where::anywhere, kAnyRanks,   kAnyBytes,   "binomial"},
};
constexpr std::array kReduceRules{
    Rule{Where::anywhere, 2,           kAnyBytes,   "flat"},
    Rule{Where::anywhere, 4,           1 * kKiB,    "flat"},
    Rule{Where::crowded,  kAnyRanks,   8 * kKiB,    "flat"},
    Rule{Where::anywhere, kAnyRanks,   kAnyBytes,   "binomial"},
};
constexpr std::array kAllreduceRules{
    Rule{Where::anywhere, 2,           kAnyBytes,   "recursive_doubling"},
    Rule{Where::crowded,  kAnyRanks,   8 * kKiB,    "flat"},
    Rule{Where::anywhere, kAnyRanks,   32 * kKiB,   "recursive_doubling"},
    Rule{Where::anywhere, kAnyRanks,   kAnyBytes,   "binomial"},
};
// clang-format on

template <class Function>
const Algorithm<Function>* find(std::span<const Algorithm<Function>> algorithms,
                                std::string_view name) noexcept
{
    for (const Algorithm<Function>& algorithm : algorithms) {
        if (algorithm.name == name) {
            return &algorithm;
        }
    }
    return nullptr;
}

/// For each rule the index of its algorithm, found at compile time: a name that does not exist fails to
/// compile.
template <std::size_t kRules, class Algorithms>
consteval std::array<std::size_t, kRules> resolve(const std::array<Rule, kRules>& rules,
                                                  const Algorithms& algorithms)
{
    std::array<std::size_t, kRules> indices{};
    for (std::size_t i = 0; i < kRules; ++i) {
        while (algorithms.at(indices[i]).name != rules[i].algorithm) {
            ++indices[i];
        }
    }
    return indices;
}

/// The index of the first rule that fits.
template <std::size_t kRules>
std::size_t fitting(const std::array<Rule, kRules>& rules, const Situation& situation) noexcept
{
    const bool crowded = situation.placement.one_node && situation.placement.more_ranks_than_cores;
    std::size_t index = 0;
    while (index + 1 < kRules &&
           ((rules[index].where == Where::crowded && !crowded) || situation.ranks > rules[index].max_ranks ||
            situation.size_bytes > rules[index].max_bytes)) {
        ++index;
    }
    return index;
}

template <class Function>
const Algorithm<Function>* overridden(const char* (*environment)(const char*), const char* variable,
                                      std::span<const Algorithm<Function>> algorithms)
{
    const char* const value = environment(variable);
    if (value == nullptr || *value == '\0') {
        return nullptr;
    }
    if (const Algorithm<Function>* found = find(algorithms, value)) {
        return found;
    }
    std::string names;
    for (const Algorithm<Function>& algorithm : algorithms) {
        names += names.empty() ? "" : " or ";
        names += algorithm.name;
    }
    throw Error(ErrorCode::invalid_argument, variable,
                fmt::format("there is no algorithm \"{}\"; use {}, or unset {} to let Tutti choose", value,
                            names, variable));
}

}  // namespace

std::span<const Algorithm<BarrierFunction>> barrier_algorithms() noexcept
{
    return kBarrier;
}

std::span<const Algorithm<BroadcastFunction>> broadcast_algorithms() noexcept
{
    return kBroadcast;
}

std::span<const Algorithm<ReduceFunction>> reduce_algorithms() noexcept
{
    return kReduce;
}

std::span<const Algorithm<AllreduceFunction>> allreduce_algorithms() noexcept
{
    return kAllreduce;
}

Choice::Choice(const char* (*environment)(const char*))
    : barrier_(overridden(environment, "TUTTI_BARRIER", barrier_algorithms())),
      broadcast_(overridden(environment, "TUTTI_BROADCAST", broadcast_algorithms())),
      reduce_(overridden(environment, "TUTTI_REDUCE", reduce_algorithms())),
      allreduce_(overridden(environment, "TUTTI_ALLREDUCE", allreduce_algorithms()))
{
}

const Algorithm<BarrierFunction>& Choice::barrier(const Situation& situation) const noexcept
{
    static constexpr auto kIndices = resolve(kBarrierRules, kBarrier);
    return barrier_ != nullptr ? *barrier_ : kBarrier[kIndices[fitting(kBarrierRules, situation)]];
}

const Algorithm<BroadcastFunction>& Choice::broadcast(const Situation& situation) const noexcept
{
    static constexpr auto kIndices = resolve(kBroadcastRules, kBroadcast);
    return broadcast_ != nullptr ? *broadcast_ : kBroadcast[kIndices[fitting(kBroadcastRules, situation)]];
}

const Algorithm<ReduceFunction>& Choice::reduce(const Situation& situation) const noexcept
{
    static constexpr auto kIndices = resolve(kReduceRules, kReduce);
    return reduce_ != nullptr ? *reduce_ : kReduce[kIndices[fitting(kReduceRules, situation)]];
}

const Algorithm<AllreduceFunction>& Choice::allreduce(const Situation& situation) const noexcept
{
    static constexpr auto kIndices = resolve(kAllreduceRules, kAllreduce);
    return allreduce_ != nullptr ? *allreduce_ : kAllreduce[kIndices[fitting(kAllreduceRules, situation)]];
}

const Choice& choice()
{
    static const Choice made(
        [](const char* variable) { return static_cast<const char*>(std::getenv(variable)); });
    return made;
}

// The task of the algorithm is handed on as it is: choosing costs no coroutine frame.

Task barrier(Group& group)
{
    return choice().barrier({group.size(), 0, group.placement()}).run(group);
}

Task broadcast(Group& group, std::span<std::byte> data, int root)
{
    return choice().broadcast({group.size(), data.size(), group.placement()}).run(group, data, root);
}

Task reduce(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    const Situation situation{group.size(), out.size_bytes(), group.placement()};
    return choice().reduce(situation).run(group, in, out, root, op);
}

Task allreduce(Group& group, Buffer data, ReduceOp op)
{
    const Situation situation{group.size(), data.size_bytes(), group.placement()};
    return choice().allreduce(situation).run(group, data, op);
}

}  // namespace tutti::collectives
