// The collectives whose tensors are blocks of ranks. all_gather writes to the tensors of a list; other lists
// travel in joint memory.
#include <numeric>
#include <utility>

#include "lib/torch/process_group.hpp"
#include "lib/torch/result_blocks.hpp"
#include "lib/torch/tensors.hpp"

namespace torch_tutti {

using c10d::OpType;
using tutti::Request;

namespace {

void check_blocks(const char* operation, const Tensors& blocks, const Tensor& own, std::size_t ranks)
{
    check(operation, blocks);
    TORCH_CHECK(blocks.size() == ranks, operation, ": a list has ", blocks.size(), " tensors, the group ",
                ranks, " ranks");
    for (const Tensor& block : blocks)
        TORCH_CHECK(block.scalar_type() == own.scalar_type() && block.numel() == own.numel(), operation,
                    ": the tensors differ in size or type");
}

/// The list of the one tensor that is expected, at the root only.
const Tensors& list_of(const char* operation, const std::vector<Tensors>& lists, bool is_root)
{
    static const Tensors kNone;
    TORCH_CHECK(lists.size() == (is_root ? 1u : 0u), operation,
                is_root ? ": the root gives one list of tensors" : ": only the root gives a list of tensors");
    return is_root ? lists.front() : kNone;
}

tutti::TypedBuffer<void*> bytes_or_none(const Tensor& joint)
{
    return joint.defined() ? bytes_of(joint)
                           : tutti::typed(static_cast<void*>(nullptr), 0, tutti::DataType::uint8);
}

std::vector<std::size_t> byte_counts(const Tensors& tensors)
{
    std::vector<std::size_t> counts;
    for (const Tensor& tensor : tensors)
        counts.push_back(tensor.nbytes());
    return counts;
}

/// Bytes of each rank's rows: `splits`, or equal parts.
std::vector<std::size_t> byte_counts(const Tensor& tensor, const std::vector<std::int64_t>& splits,
                                     std::size_t ranks)
{
    TORCH_CHECK(tensor.dim() > 0, "all_to_all: a single tensor needs a dimension to be split");
    const std::int64_t rows = tensor.size(0);
    const std::size_t row_bytes = rows == 0 ? 0 : tensor.nbytes() / static_cast<std::size_t>(rows);
    if (splits.empty()) {
        TORCH_CHECK(rows % static_cast<std::int64_t>(ranks) == 0, "all_to_all: ", rows,
                    " rows cannot be divided among ", ranks, " ranks; give split sizes");
        return std::vector<std::size_t>(ranks, tensor.nbytes() / ranks);
    }
    TORCH_CHECK(
        splits.size() == ranks && std::accumulate(splits.begin(), splits.end(), std::int64_t{0}) == rows,
        "all_to_all: the split sizes must be one for each rank and add up to ", rows, " rows");
    std::vector<std::size_t> counts;
    for (const std::int64_t split : splits)
        counts.push_back(static_cast<std::size_t>(split) * row_bytes);
    return counts;
}

const void* own_block(const Tensor& all, std::size_t bytes, int rank)
{
    return static_cast<const char*>(all.data_ptr()) + bytes * static_cast<std::size_t>(rank);
}

// Each collective in both forms, blocking and begun. The functions hold the tensors that they use.

/// An allgather into one tensor, in place where the input is the rank's own block, as FSDP has it.
auto allgather_of(const Tensor& input, const Tensor& out, int rank)
{
    const bool in_place = input.nbytes() != 0 && input.data_ptr() == own_block(out, input.nbytes(), rank);
    const Tensor in = !in_place && overlap(input, out) ? copy_of(input) : input;
    return [in, out, in_place, mine = bytes_of(in), all = bytes_of(out)](
               const tutti::Communicator& communicator, bool blocking) {
        if (!blocking)
            return in_place ? communicator.iallgather(all) : communicator.iallgather(mine, all);
        if (in_place)
            communicator.allgather(all);
        else
            communicator.allgather(mine, all);
        return Request();
    };
}

/// An allgather into a list, in place where the input lies between its tensors, or is one of them.
auto allgather_of(const Tensor& in, ResultBlocks blocks)
{
    return [in, blocks = std::move(blocks)](const tutti::Communicator& communicator, bool blocking) {
        const auto mine = bytes_of(in);
        const auto all = blocks.buffer();
        const bool apart = blocks.are_apart_from(in);
        if (!apart)
            blocks.put(static_cast<std::size_t>(communicator.rank()), in);
        if (!blocking)
            return apart ? communicator.iallgatherv(mine, all, blocks.counts())
                         : communicator.iallgatherv(all, blocks.counts());
        if (apart)
            communicator.allgatherv(mine, all, blocks.counts());
        else
            communicator.allgatherv(all, blocks.counts());
        return Request();
    };
}

auto reduce_scatter_of(const Reduction& reduction, const Tensor& in, const Tensor& out)
{
    return [in, out, all = reduction.numbers_of(in), mine = reduction.numbers_of(out), op = reduction.op](
               const tutti::Communicator& communicator, bool blocking) {
        if (!blocking)
            return communicator.ireduce_scatter(all, mine, op);
        communicator.reduce_scatter(all, mine, op);
        return Request();
    };
}

auto alltoall_of(const Tensor& in, std::vector<std::size_t> sent, const Tensor& out,
                 std::vector<std::size_t> received)
{
    return [in, out, from = bytes_of(in), to = bytes_of(out), sent = std::move(sent),
            received = std::move(received)](const tutti::Communicator& communicator, bool blocking) {
        if (!blocking)
            return communicator.ialltoallv(from, sent, to, received);
        communicator.alltoallv(from, sent, to, received);
        return Request();
    };
}

}  // namespace

WorkPointer TuttiGroup::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                  const c10d::AllgatherOptions& options)
{
    const Tensor in = packed(only("all_gather", inputs));
    const Tensors& blocks = list_of("all_gather", outputs, true);
    check_blocks("all_gather", blocks, in, ranks());
    check_results("all_gather", blocks);
    ResultBlocks places(blocks);
    const Tensor joint = places.joint();
    return submit({OpType::ALLGATHER, "tutti:all_gather", options.timeout, blocks, inputs},
                  allgather_of(in, std::move(places)), [joint, blocks] {
                      if (joint.defined())
                          copy_out(joint, blocks);
                  });
}

WorkPointer TuttiGroup::_allgather_base(Tensor& output, Tensor& input, const c10d::AllgatherOptions& options)
{
    check("all_gather_into_tensor", input);
    check_result("all_gather_into_tensor", output);
    TORCH_CHECK(output.scalar_type() == input.scalar_type() && output.nbytes() == input.nbytes() * ranks(),
                "all_gather_into_tensor: the output must have the input's type and its size times ", ranks());
    const Tensor in = packed(input);
    const Tensor out = packed_result(output);
    return submit({OpType::_ALLGATHER_BASE, "tutti:_all_gather_base", options.timeout, output, input},
                  allgather_of(in, out, communicator_.rank()), [out, output] { unpack(out, output); });
}

WorkPointer TuttiGroup::allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                            const c10d::AllgatherOptions& options)
{
    check("all_gather_coalesced", inputs);
    const std::size_t all = ranks();
    TORCH_CHECK(outputs.size() == all, "all_gather_coalesced: there are ", outputs.size(), " lists for ", all,
                " ranks");
    Tensors results;
    for (const Tensors& list : outputs) {
        TORCH_CHECK(list.size() == inputs.size(), "all_gather_coalesced: lists differ in length");
        for (std::size_t i = 0; i < list.size(); ++i)
            check_blocks("all_gather_coalesced", {list[i]}, inputs[i], 1);
        check_results("all_gather_coalesced", list);
        results.insert(results.end(), list.begin(), list.end());
    }
    const Tensor in = joint_memory(inputs);
    copy_in(inputs, in);
    const Tensor joint = joint_memory(results);
    return submit({OpType::ALLGATHER_COALESCED, "tutti:all_gather", options.timeout, results, inputs},
                  allgather_of(in, joint, communicator_.rank()),
                  [joint, results] { copy_out(joint, results); });
}

WorkPointer TuttiGroup::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                               const c10d::GatherOptions& options)
{
    const bool is_root = is(options.rootRank);
    const Tensor in = packed(only("gather", inputs));
    const Tensors& blocks = list_of("gather", outputs, is_root);
    if (is_root) {
        check_blocks("gather", blocks, in, ranks());
        check_results("gather", blocks);
    }
    const Tensor joint = is_root ? joint_memory(blocks) : Tensor();
    const tutti::RootOptions root{.root = static_cast<int>(options.rootRank)};
    return submit(
        {OpType::GATHER, "tutti:gather", options.timeout, blocks, inputs},
        [in, joint, mine = bytes_of(in), all = bytes_or_none(joint), root](
            const tutti::Communicator& communicator, bool blocking) {
            if (!blocking)
                return communicator.igather(mine, all, root);
            communicator.gather(mine, all, root);
            return Request();
        },
        [joint, blocks] { copy_out(joint, blocks); });
}

WorkPointer TuttiGroup::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                const c10d::ScatterOptions& options)
{
    const bool is_root = is(options.rootRank);
    Tensor& output = only_result("scatter", outputs);
    const Tensors& blocks = list_of("scatter", inputs, is_root);
    Tensor joint;
    if (is_root) {
        check_blocks("scatter", blocks, output, ranks());
        joint = joint_memory(blocks);
        copy_in(blocks, joint);
    }
    const Tensor out = packed_result(output);
    const tutti::RootOptions root{.root = static_cast<int>(options.rootRank)};
    return submit(
        {OpType::SCATTER, "tutti:scatter", options.timeout, output},
        [joint, out, all = bytes_or_none(joint), mine = bytes_of(out), root](
            const tutti::Communicator& communicator, bool blocking) {
            if (!blocking)
                return communicator.iscatter(all, mine, root);
            communicator.scatter(all, mine, root);
            return Request();
        },
        [out, output] { unpack(out, output); });
}

WorkPointer TuttiGroup::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                       const c10d::ReduceScatterOptions& options)
{
    Tensor& output = only_result("reduce_scatter", outputs);
    const Tensors& blocks = list_of("reduce_scatter", inputs, true);
    check_blocks("reduce_scatter", blocks, output, ranks());
    const Reduction reduction("reduce_scatter", output.scalar_type(), options.reduceOp);
    Tensor joint = joint_memory(blocks).view(output.scalar_type());
    copy_in(blocks, joint);
    joint = reduction.part_of(joint, communicator_.size(), Reduction::Place::same);
    const Tensor out = packed_result(output);
    return submit({OpType::REDUCE_SCATTER, "tutti:reduce_scatter", options.timeout, output, blocks},
                  reduce_scatter_of(reduction, joint, out),
                  [reduction, out, output, ranks = communicator_.size()] {
                      reduction.finish(out, ranks);
                      unpack(out, output);
                  });
}

WorkPointer TuttiGroup::_reduce_scatter_base(Tensor& output, Tensor& input,
                                             const c10d::ReduceScatterOptions& options)
{
    check("reduce_scatter_tensor", input);
    check_result("reduce_scatter_tensor", output);
    TORCH_CHECK(output.scalar_type() == input.scalar_type() && input.nbytes() == output.nbytes() * ranks(),
                "reduce_scatter_tensor: the input must have the output's type and its size times ", ranks());
    const Reduction reduction("reduce_scatter_tensor", output.scalar_type(), options.reduceOp);
    const Tensor in = reduction.part_of(input, communicator_.size(), Reduction::Place::other);
    const Tensor out = packed_result(output, in);
    return submit(
        {OpType::_REDUCE_SCATTER_BASE, "tutti:_reduce_scatter_base", options.timeout, output, input},
        reduce_scatter_of(reduction, in, out), [reduction, out, output, ranks = communicator_.size()] {
            reduction.finish(out, ranks);
            unpack(out, output);
        });
}

WorkPointer TuttiGroup::alltoall_base(Tensor& output, Tensor& input, std::vector<std::int64_t>& output_splits,
                                      std::vector<std::int64_t>& input_splits,
                                      const c10d::AllToAllOptions& options)
{
    check("all_to_all", input);
    check_result("all_to_all", output);
    TORCH_CHECK(output.scalar_type() == input.scalar_type(), "all_to_all: input and output differ in type");
    const Tensor in = packed(input);
    const Tensor out = packed_result(output, in);
    return submit({OpType::ALLTOALL_BASE, "tutti:all_to_all", options.timeout, output, input},
                  alltoall_of(in, byte_counts(input, input_splits, ranks()), out,
                              byte_counts(output, output_splits, ranks())),
                  [out, output] { unpack(out, output); });
}

WorkPointer TuttiGroup::alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options)
{
    check("all_to_all", inputs);
    check_results("all_to_all", outputs);
    TORCH_CHECK(inputs.size() == ranks() && outputs.size() == ranks(), "all_to_all: lists have ",
                inputs.size(), " and ", outputs.size(), " tensors, the group ", ranks(), " ranks");
    const Tensor in = joint_memory(inputs);
    copy_in(inputs, in);
    const Tensor out = joint_memory(outputs);
    return submit({OpType::ALLTOALL, "tutti:all_to_all", options.timeout, outputs, inputs},
                  alltoall_of(in, byte_counts(inputs), out, byte_counts(outputs)),
                  [out, outputs] { copy_out(out, outputs); });
}

}  // namespace torch_tutti
