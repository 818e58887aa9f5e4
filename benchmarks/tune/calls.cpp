#include "benchmarks/tune/calls.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tutti::bench {

namespace {

constexpr std::array<std::string_view, 11> kNames{"barrier", "broadcast",      "reduce",  "allreduce",
                                                  "scan",    "reduce_scatter", "exscan",  "allgather",
                                                  "gather",  "scatter",        "alltoall"};

bool has_blocks(std::string_view collective)
{
    constexpr std::array<std::string_view, 4> kInBlocks{"reduce_scatter", "allgather", "gather", "scatter"};
    return std::ranges::find(kInBlocks, collective) != kInBlocks.end();
}

}  // namespace

std::vector<std::string_view> tuned_collectives()
{
    return {kNames.begin(), kNames.end()};
}

std::size_t TunedCall::granularity(std::string_view collective, int ranks)
{
    return sizeof(float) * (has_blocks(collective) ? static_cast<std::size_t>(ranks) : 1);
}

TunedCall::TunedCall(const Communicator& ranks, std::string_view collective, std::size_t size_bytes)
    : ranks_(ranks), collective_(collective)
{
    const std::size_t count = size_bytes / sizeof(float);
    const auto size = static_cast<std::size_t>(ranks.size());
    const std::size_t block = has_blocks(collective) ? count / size : count;
    const bool gathers = collective == "allgather" || collective == "gather";
    const bool scatters = collective == "scatter" || collective == "reduce_scatter";
    const std::size_t all = collective == "alltoall" ? size * block : count;
    in_.assign(gathers ? block : all, 1.0f);
    out_.assign(scatters ? block : all, 0.0f);
}

void TunedCall::operator()()
{
    const std::span<const float> in(in_);
    const std::span<float> out(out_);
    if (collective_ == "barrier")
        ranks_.barrier();
    else if (collective_ == "broadcast")
        ranks_.broadcast(out);
    else if (collective_ == "reduce")
        ranks_.reduce(in, out, sum);
    else if (collective_ == "allreduce")
        ranks_.allreduce(in, out, sum);
    else if (collective_ == "scan")
        ranks_.scan(in, out, sum);
    else if (collective_ == "exscan")
        ranks_.exscan(in, out, sum);
    else if (collective_ == "reduce_scatter")
        ranks_.reduce_scatter(in, out, sum);
    else if (collective_ == "allgather")
        ranks_.allgather(in, out);
    else if (collective_ == "gather")
        ranks_.gather(in, out);
    else if (collective_ == "scatter")
        ranks_.scatter(in, out);
    else
        ranks_.alltoall(in, out);
}

}  // namespace tutti::bench
