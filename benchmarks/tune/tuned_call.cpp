#include "benchmarks/tune/tuned_call.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

namespace tutti::bench {

namespace {

constexpr std::size_t kOnlyBlockBytes = 1024;

bool is_of(std::string_view collective, std::initializer_list<std::string_view> names)
{
    return std::ranges::find(names, collective) != names.end();
}

bool has_blocks(std::string_view collective)
{
    return is_of(collective,
                 {"reduce_scatter", "allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv"});
}

}  // namespace

std::size_t TunedCall::granularity(std::string_view collective, int ranks)
{
    return sizeof(float) * (has_blocks(collective) ? static_cast<std::size_t>(ranks) : 1);
}

std::optional<std::size_t> TunedCall::only_size(std::string_view collective, int ranks)
{
    if (collective == "barrier")
        return 0;
    if (collective == "alltoallv")
        return kOnlyBlockBytes;
    if (is_of(collective, {"gatherv", "scatterv"}))
        return kOnlyBlockBytes * static_cast<std::size_t>(ranks);
    return std::nullopt;
}

TunedCall::TunedCall(const Communicator& ranks, std::string_view collective, std::size_t size_bytes)
    : ranks_(ranks), collective_(collective)
{
    const std::size_t count = size_bytes / sizeof(float);
    const auto size = static_cast<std::size_t>(ranks.size());
    const std::size_t block = has_blocks(collective) ? count / size : count;
    const bool gathers = is_of(collective, {"allgather", "allgatherv", "gather", "gatherv"});
    const bool scatters = is_of(collective, {"scatter", "scatterv", "reduce_scatter"});
    const std::size_t all = is_of(collective, {"alltoall", "alltoallv"}) ? size * block : count;
    counts_.assign(size, block);
    in_.assign(gathers ? block : all, 1.0f);
    out_.assign(scatters ? block : all, 0.0f);
}

void TunedCall::operator()(std::string_view algorithm)
{
    const std::span<const float> in(in_);
    const std::span<float> out(out_);
    const CollectiveOptions options{.algorithm = algorithm};
    const RootOptions at_0{.root = 0, .algorithm = algorithm};
    if (collective_ == "barrier")
        ranks_.barrier(options);
    else if (collective_ == "broadcast")
        ranks_.broadcast(out, at_0);
    else if (collective_ == "reduce")
        ranks_.reduce(in, out, sum, at_0);
    else if (collective_ == "allreduce")
        ranks_.allreduce(in, out, sum, options);
    else if (collective_ == "scan")
        ranks_.scan(in, out, sum, options);
    else if (collective_ == "exscan")
        ranks_.exscan(in, out, sum, options);
    else if (collective_ == "reduce_scatter")
        ranks_.reduce_scatter(in, out, sum, options);
    else if (collective_ == "allgather")
        ranks_.allgather(in, out, options);
    else if (collective_ == "allgatherv")
        ranks_.allgatherv(in, out, counts_, options);
    else if (collective_ == "gather")
        ranks_.gather(in, out, at_0);
    else if (collective_ == "gatherv")
        ranks_.gatherv(in, out, counts_, at_0);
    else if (collective_ == "scatter")
        ranks_.scatter(in, out, at_0);
    else if (collective_ == "scatterv")
        ranks_.scatterv(in, counts_, out, at_0);
    else if (collective_ == "alltoall")
        ranks_.alltoall(in, out, options);
    else if (collective_ == "alltoallv")
        ranks_.alltoallv(in, counts_, out, counts_, options);
    else
        throw std::logic_error("tune cannot call " + std::string(collective_));
}

}  // namespace tutti::bench
