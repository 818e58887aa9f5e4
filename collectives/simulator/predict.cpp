#include "collectives/simulator/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "collectives/choice/algorithms.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives::simulator {

namespace {

template <class Collective>
constexpr bool kBlockOfEach = std::is_same_v<Collective, Alltoall> || std::is_same_v<Collective, Alltoallv>;

/// Some algorithms send the sizes of blocks that not all ranks know: such messages need their data.
template <class Collective>
bool sends_sizes(Needs needs)
{
    if constexpr (std::is_same_v<Collective, Alltoallv>)
        return needs == Needs::nodes;
    return std::is_same_v<Collective, Gatherv> || std::is_same_v<Collective, Scatterv>;
}

constexpr std::size_t kBytesOfABlock = 16;
/// More than an algorithm carries, so that long blocks stay long.
constexpr std::size_t kBytesOfALongBlock = 2 * kLongestCarried;
/// Limit for the bytes that all ranks together carry, each in its own memory.
constexpr std::size_t kMostCarried = std::size_t{1} << 28;

/// The least bytes of a rank's block after scaling.
template <class Collective>
constexpr std::size_t least_bytes(bool sizes_travel)
{
    if (!sizes_travel)
        return kBytesOfABlock;
    return std::is_same_v<Collective, Alltoallv> ? kBytesOfALongBlock : kAnyBytes;
}

template <class Collective>
bool is_too_much(Needs needs, const PredictedCall& call)
{
    const auto ranks = static_cast<std::size_t>(call.ranks);
    return std::is_same_v<Collective, Alltoallv> && needs == Needs::nodes &&
           call.size_bytes <= kLongestCarried && call.size_bytes > kMostCarried / ranks / ranks;
}

// Only sizes matter, so all ranks use the same memory, and one byte of long data represents many. Enough
// bytes remain for every rank's block to have its size within a few percent.
class Stage {
public:
    Stage(const PredictedCall& call, bool size_is_a_blocks, std::size_t least_bytes,
          std::size_t segment_bytes)
        : ranks_(static_cast<std::size_t>(call.ranks)),
          whole_(size_is_a_blocks ? call.size_bytes * ranks_ : call.size_bytes),
          scale_(std::max<std::size_t>(1, whole_ / ranks_ / least_bytes)),
          bytes_(in_scale(whole_)),
          block_((bytes_ + ranks_ - 1) / ranks_),
          segment_(std::max<std::size_t>(1, in_scale(segment_bytes))),
          in_(block_ * ranks_),
          out_(block_ * ranks_),
          own_(std::max(bytes_, block_)),
          sizes_(ranks_, block_),
          offsets_(ranks_)
    {
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            offsets_[rank] = rank * block_;
    }

    std::size_t scale() const noexcept { return scale_; }
    std::size_t segment_bytes() const noexcept { return segment_; }
    /// For one rank: its whole data, and the blocks of all.
    const std::byte* in() const noexcept { return own_.data(); }
    Buffer buffer() noexcept { return {out_.data(), bytes_, 1}; }
    std::span<std::byte> all() noexcept { return out_; }
    const std::byte* all_in() const noexcept { return in_.data(); }
    std::span<std::byte> block() noexcept { return {own_.data(), block_}; }
    Blocks blocks() noexcept { return {out_.data(), sizes_, offsets_}; }
    ConstBlocks blocks_in() const noexcept { return {in_.data(), sizes_, offsets_}; }
    Partition partition() const { return Partition::even(bytes_, static_cast<int>(ranks_)); }

private:
    std::size_t in_scale(std::size_t size_bytes) const noexcept { return (size_bytes + scale_ - 1) / scale_; }

    std::size_t ranks_;
    std::size_t whole_;
    std::size_t scale_;
    std::size_t bytes_;
    std::size_t block_;
    std::size_t segment_;
    std::vector<std::byte> in_;
    std::vector<std::byte> out_;
    std::vector<std::byte> own_;
    std::vector<std::size_t> sizes_;
    std::vector<std::size_t> offsets_;
};

constexpr int kRoot = 0;

template <class Collective>
Task begin(Group& group, Stage& stage, ReduceOp op, typename Collective::Function run)
{
    if constexpr (std::is_same_v<Collective, Barrier>)
        return run(group);
    else if constexpr (std::is_same_v<Collective, Broadcast>)
        return run(group, stage.buffer().bytes(), kRoot, stage.segment_bytes());
    else if constexpr (std::is_same_v<Collective, Reduce>)
        return run(group, stage.in(), stage.buffer(), kRoot, op, stage.segment_bytes());
    else if constexpr (std::is_same_v<Collective, Allreduce>)
        return run(group, stage.in(), stage.buffer(), op);
    else if constexpr (std::is_same_v<Collective, Scan> || std::is_same_v<Collective, Exscan>)
        return run(group, stage.in(), stage.buffer(), op);
    else if constexpr (std::is_same_v<Collective, ReduceScatter>) {
        const std::size_t own = stage.partition()[group.rank()].count;
        return run(group, stage.in(), stage.partition(), {stage.all().data(), own, 1}, op);
    } else if constexpr (std::is_same_v<Collective, Allgather>)
        return run(group, stage.in(), stage.all());
    else if constexpr (std::is_same_v<Collective, Allgatherv>)
        return run(group, stage.in(), stage.blocks());
    else if constexpr (std::is_same_v<Collective, Gather>)
        return run(group, stage.block(), stage.all().data(), kRoot);
    else if constexpr (std::is_same_v<Collective, Gatherv>)
        return run(group, stage.block(), stage.blocks(), kRoot);
    else if constexpr (std::is_same_v<Collective, Scatterv>)
        return run(group, stage.blocks_in(), stage.block(), kRoot);
    else if constexpr (std::is_same_v<Collective, Scatter>)
        return run(group, stage.all_in(), stage.block(), kRoot);
    else if constexpr (std::is_same_v<Collective, Alltoall>)
        return run(group, stage.all_in(), stage.all());
    else
        return run(group, stage.blocks_in(), stage.blocks());
}

template <class Collective>
Prediction predict_one(std::string_view name, std::size_t segment_bytes, const PredictedCall& call,
                       const CostModel& model)
{
    const auto* const algorithm =
        std::ranges::find(Collective::kAlgorithms, name, [](const auto& known) { return known.name; });
    if (algorithm == std::end(Collective::kAlgorithms) || needs_board(algorithm->needs))
        throw Error(ErrorCode::invalid_argument, "predict",
                    fmt::format("no algorithm \"{}\" that sends messages", name));
    if (is_too_much<Collective>(algorithm->needs, call))
        return {.given_up = true};
    const bool sizes_travel = sends_sizes<Collective>(algorithm->needs);
    Stage stage(call, kBlockOfEach<Collective>, least_bytes<Collective>(sizes_travel), segment_bytes);
    Settings settings;
    settings.costs = model.inside;
    settings.between_nodes = model.between;
    settings.placement.one_node = call.nodes == nullptr;
    settings.placement.nodes = call.nodes;
    settings.only_time = !sizes_travel;
    settings.scale = stage.scale();
    settings.most_messages = call.most_messages;
    const double ns_per_element = model.reduce_ns_per_byte * static_cast<double>(stage.scale());
    const Report report = simulate(call.ranks, settings, [&](Group& group) {
        return begin<Collective>(group, stage, timed_op(group, ns_per_element, call.commutative),
                                 algorithm->run);
    });
    if (!report.given_up && !report.problems().empty())
        throw Error(ErrorCode::internal, "predict", report.problems());
    return {.given_up = report.given_up,
            .time_ns = report.finish_ns(),
            .messages = report.messages_sent(),
            .bytes = report.bytes_sent(),
            .messages_between_nodes = report.messages_between_nodes(),
            .bytes_between_nodes = report.bytes_between_nodes()};
}

}  // namespace

Prediction predict(unsigned collective, std::string_view algorithm, std::size_t segment_bytes,
                   const PredictedCall& call, const CostModel& model)
{
    const auto predictors = []<class... Collectives>(std::tuple<Collectives...>) {
        return std::array{&predict_one<Collectives>...};
    }(AllCollectives{});
    return predictors.at(collective)(algorithm, segment_bytes, call, model);
}

}  // namespace tutti::collectives::simulator
