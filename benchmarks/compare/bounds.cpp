#include "benchmarks/compare/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

#include "benchmarks/record/fields.hpp"

namespace tutti::bench {

namespace {

constexpr const char* kTrip = "cache line trip";
constexpr const char* kCopy = "memory copy";
constexpr const char* kCombining = "combining";

// The work that no library avoids. All ranks' cores may share copies, also cores that would only wait.
enum class Needs {
    message,  // us: one trip of a cache line, and one copy of the bytes
    stream,   // MB/s: the rate of copies
    tree,     // us: a trip for each of log2(ranks) steps, and a copy of the bytes for each of the other ranks
    blocks,   // us: the same, of a block
    exchange,  // us: the same, for each rank
    operands,  // GB/s: two operands read and one written, by each rank for itself
};

struct Need {
    std::string_view benchmark;
    Needs needs;
};

// Without non-blocking forms: their time includes a computation. The root of gather and scatter handles the
// block of every rank.
constexpr std::array kNeeds = {
    Need{"latency", Needs::message},
    Need{"latency_persistent", Needs::message},
    Need{"multi_lat", Needs::message},
    Need{"ring", Needs::message},
    Need{"ring_test", Needs::message},
    Need{"ring_iprobe", Needs::message},
    Need{"ring_improbe", Needs::message},
    Need{"bw", Needs::stream},
    Need{"bw_persistent", Needs::stream},
    Need{"mbw_mr", Needs::stream},
    Need{"latency_mt", Needs::message},
    Need{"bibw", Needs::stream},
    Need{"bibw_persistent", Needs::stream},
    Need{"reduce-op", Needs::operands},
    Need{"barrier", Needs::tree},
    Need{"broadcast", Needs::tree},
    Need{"reduce", Needs::tree},
    Need{"allreduce", Needs::tree},
    Need{"scan", Needs::tree},
    Need{"exscan", Needs::tree},
    Need{"reduce_scatter", Needs::exchange},
    Need{"gather", Needs::blocks},
    Need{"gatherv", Needs::blocks},
    Need{"scatter", Needs::blocks},
    Need{"scatterv", Needs::blocks},
    Need{"allgather", Needs::exchange},
    Need{"allgatherv", Needs::exchange},
    Need{"alltoall", Needs::exchange},
    Need{"alltoallv", Needs::exchange},
};

const Need* need_of(std::string_view benchmark)
{
    constexpr std::string_view kPersistent = "_persistent";
    const auto named = [](std::string_view name) {
        return std::find_if(kNeeds.begin(), kNeeds.end(),
                            [&](const Need& need) { return need.benchmark == name; });
    };
    auto found = named(benchmark);
    if (found == kNeeds.end() && benchmark.ends_with(kPersistent))  // has the bound of the blocking form
        found = named(benchmark.substr(0, benchmark.size() - kPersistent.size()));
    return found == kNeeds.end() ? nullptr : &*found;
}

// The yardstick at a size: between two that were measured on the line through both (of logarithms), beyond
// them as at the last one.
std::optional<double> at_size(const std::vector<record::Limit>& limits, const char* name, double size_bytes)
{
    std::vector<std::pair<double, double>> points;
    for (const record::Limit& limit : limits) {
        if (limit.name == name && limit.value > 0)
            points.emplace_back(limit.key.value_or(0), limit.value);
    }
    if (points.empty())
        return {};
    std::sort(points.begin(), points.end());
    if (size_bytes <= points.front().first)
        return points.front().second;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const auto [left, left_value] = points[i - 1];
        const auto [right, right_value] = points[i];
        if (size_bytes > right)
            continue;
        const double from = std::log(std::max(left, 1.0));
        const double part = (std::log(size_bytes) - from) / (std::log(right) - from);
        return std::exp(std::log(left_value) + part * (std::log(right_value) - std::log(left_value)));
    }
    return points.back().second;
}

int steps_of_a_tree(int ranks)
{
    return ranks < 2 ? 0 : std::bit_width(static_cast<unsigned>(ranks - 1));
}

}  // namespace

std::vector<record::Limit> read_limits(const std::string& file)
{
    const nlohmann::json document = record::read_json(file);
    const record::Place place(document, file);
    if (place["format"].text() != "tutti-bench-limits")
        place["format"].complain("must be 'tutti-bench-limits'");
    std::vector<record::Limit> limits;
    for (const record::Place& limit : place["limits"].elements())
        limits.push_back({limit["name"].text(), limit["unit"].text(), limit.number_if_any("key"),
                          limit["value"].number()});
    return limits;
}

bool may_be_bounded(const Case& which)
{
    const Need* need = need_of(which.benchmark);
    return need != nullptr && which.binding == Binding::core && which.hosts == 1 &&
           (which.ranks > 1 || need->needs == Needs::operands);
}

std::optional<Bound> bound_of(const Case& which, std::optional<double> size_bytes,
                              const std::vector<record::Limit>& limits)
{
    if (!may_be_bounded(which))
        return {};
    const Need* need = need_of(which.benchmark);
    const double size = size_bytes.value_or(0);
    if (need->needs == Needs::operands) {
        const std::optional<double> combining = at_size(limits, kCombining, size);
        return combining ? std::optional(Bound{kCombining, *combining / 1000}) : std::nullopt;
    }
    const std::optional<double> trip = at_size(limits, kTrip, size);
    const std::optional<double> copy = at_size(limits, kCopy, size);  // MB/s are bytes a microsecond
    if (need->needs == Needs::stream)
        return copy ? std::optional(Bound{kCopy, which.ranks * *copy}) : std::nullopt;
    if (!trip || (size > 0 && !copy))
        return {};
    const int steps = need->needs == Needs::message ? 1 : steps_of_a_tree(which.ranks);
    const int copies = need->needs == Needs::message    ? 1
                       : need->needs == Needs::exchange ? which.ranks * (which.ranks - 1)
                                                        : which.ranks - 1;
    const double copying = size > 0 ? copies * size / (which.ranks * *copy) : 0.0;
    return Bound{size > 0 ? fmt::format("{} + {}", kTrip, kCopy) : kTrip, steps * *trip + copying};
}

double share_of(const Bound& bound, double value, Better better)
{
    return better == Better::lower ? bound.value / value : value / bound.value;
}

}  // namespace tutti::bench
