#include "lib/torch/process_group.hpp"

#include <ATen/record_function.h>

#include <optional>
#include <utility>

#include "lib/torch/shared_job.hpp"
#include "lib/torch/tensors.hpp"
#include "tutti/introspection.hpp"

namespace torch_tutti {

using c10d::OpType;
using tutti::Request;

namespace {

constexpr std::chrono::seconds kPatienceWithRank0{10};
// Torch's own constant has different names in different versions.
constexpr std::chrono::minutes kDefaultTimeoutOfTorch{30};

/// A reduction in place, with the result at all ranks or at `root`.
auto reduce_of(const Reduction& reduction, const Tensor& data, std::optional<int> root = std::nullopt)
{
    return [data, buffer = reduction.numbers_of(data), op = reduction.op, root](
               const tutti::Communicator& communicator, bool blocking) {
        const tutti::RootOptions at{.root = root.value_or(0)};
        if (!blocking)
            return root ? communicator.ireduce(buffer, op, at) : communicator.iallreduce(buffer, op);
        if (root)
            communicator.reduce(buffer, op, at);
        else
            communicator.allreduce(buffer, op);
        return Request();
    };
}

}  // namespace

TuttiGroup::TuttiGroup(tutti::Communicator communicator, std::chrono::milliseconds timeout)
    : Base(communicator.rank(), communicator.size()),
      communicator_(std::move(communicator)),
      monitored_(communicator_.dup()),
      // A blocking call is faster than one with a limit: torch's default of half an hour is none.
      timeout_(timeout >= kDefaultTimeoutOfTorch ? kNoTimeout : timeout),
      has_thread_(all_have_spare_core(communicator_))
{
    // Programs need not destroy their groups, and Python ends objects late.
    tutti::outlives_environment(communicator_);
    tutti::outlives_environment(monitored_);
}

void TuttiGroup::set_name(const std::string& name)
{
    tutti::name_in_reports(communicator_, name);
    tutti::name_in_reports(monitored_, name);
}

WorkPointer TuttiGroup::begin(const TorchCall& call, std::function<Request()> run,
                              std::function<void()> finish)
{
    const Form form =
        has_thread_ && limit_of(call) == kNoTimeout && !c10d::isP2POp(call.type) ? Form::beside : Form::begun;
    auto work = c10::make_intrusive<TuttiWork>(communicator_.rank(),
                                               TorchOperation{.type = call.type,
                                                              .title = call.title,
                                                              .peer = call.peer,
                                                              .limit = limit_of(call),
                                                              .begin = std::move(run),
                                                              .finish = std::move(finish),
                                                              .results = call.results.vec(),
                                                              .inputs = call.inputs.vec()},
                                               form);
    work->start();
    return work;
}

// Below, each operation has its two forms side by side. The buffers that typed() makes are values: only the
// tensors' memory is in use.

WorkPointer TuttiGroup::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options)
{
    Tensor& tensor = only_result("broadcast", tensors);
    const Tensor data = is(options.rootRank) ? packed(tensor) : packed_result(tensor);
    const tutti::RootOptions root{.root = static_cast<int>(options.rootRank)};
    return submit(
        {OpType::BROADCAST, "tutti:broadcast", options.timeout, tensor},
        [data, buffer = bytes_of(data), root](const tutti::Communicator& communicator, bool blocking) {
            if (!blocking)
                return communicator.ibroadcast(buffer, root);
            communicator.broadcast(buffer, root);
            return Request();
        },
        [data, tensor, receives = !is(options.rootRank)] {
            if (receives)
                unpack(data, tensor);
        });
}

WorkPointer TuttiGroup::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options)
{
    Tensor& tensor = only_result("all_reduce", tensors);
    const Reduction reduction("all_reduce", tensor.scalar_type(), options.reduceOp);
    const Tensor data = reduction.part_of(tensor, communicator_.size(), Reduction::Place::same);
    return submit({OpType::ALLREDUCE, "tutti:all_reduce", options.timeout, tensor},
                  reduce_of(reduction, data), [reduction, data, tensor, ranks = communicator_.size()] {
                      reduction.finish(data, ranks);
                      unpack(data, tensor);
                  });
}

bool TuttiGroup::allreduce_at_once(const Tensor& tensor, c10d::ReduceOp::RedOpType op)
{
    const bool is_plain = tensor.defined() && tensor.is_cpu() && tensor.has_storage() &&
                          tensor.layout() == at::kStrided && !tensor.is_complex() && is_packed(tensor) &&
                          !tensor.requires_grad();
    if (!is_plain || at::hasCallbacks() || !runs_in_call({.type = OpType::ALLREDUCE, .title = nullptr}))
        return false;
    const Reduction reduction("all_reduce", tensor.scalar_type(), op);
    operations_.fetch_add(1, std::memory_order_relaxed);
    const int all = communicator_.size();
    if (reduction.is_average)
        reduction.part_of(tensor, all, Reduction::Place::same);
    communicator_.allreduce(reduction.numbers_of(tensor), reduction.op);
    reduction.finish(tensor, all);
    return true;
}

WorkPointer TuttiGroup::allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options)
{
    check_results("all_reduce_coalesced", tensors);
    TORCH_CHECK(!tensors.empty(), "all_reduce_coalesced: there are no tensors");
    const at::ScalarType type = tensors.front().scalar_type();
    for (const Tensor& tensor : tensors)
        TORCH_CHECK(tensor.scalar_type() == type, "all_reduce_coalesced: the tensors have several types");
    const Reduction reduction("all_reduce_coalesced", type, options.reduceOp);
    Tensor joint = joint_memory(tensors).view(type);
    copy_in(tensors, joint);
    joint = reduction.part_of(joint, communicator_.size(), Reduction::Place::same);
    return submit({OpType::ALLREDUCE_COALESCED, "tutti:all_reduce", options.timeout, tensors},
                  reduce_of(reduction, joint), [reduction, joint, tensors, ranks = communicator_.size()] {
                      reduction.finish(joint, ranks);
                      copy_out(joint, tensors);
                  });
}

WorkPointer TuttiGroup::reduce(Tensors& tensors, const c10d::ReduceOptions& options)
{
    Tensor& tensor = only_result("reduce", tensors);
    const Reduction reduction("reduce", tensor.scalar_type(), options.reduceOp);
    const bool is_root = is(options.rootRank);
    const Tensor data = reduction.part_of(tensor, communicator_.size(),
                                          is_root ? Reduction::Place::same : Reduction::Place::other);
    return submit({OpType::REDUCE, "tutti:reduce", options.timeout, tensor},
                  reduce_of(reduction, data, static_cast<int>(options.rootRank)),
                  [reduction, data, tensor, has_result = is_root, ranks = communicator_.size()] {
                      if (!has_result)
                          return;
                      reduction.finish(data, ranks);
                      unpack(data, tensor);
                  });
}

WorkPointer TuttiGroup::barrier(const c10d::BarrierOptions& options)
{
    return submit(
        {OpType::BARRIER, "tutti:barrier", options.timeout},
        [](const tutti::Communicator& communicator, bool blocking) {
            if (!blocking)
                return communicator.ibarrier();
            communicator.barrier();
            return Request();
        },
        [] {});
}

WorkPointer TuttiGroup::send(Tensors& tensors, int destination, int tag)
{
    const Tensor data = packed(only("send", tensors));
    return submit(
        {.type = OpType::SEND, .title = "tutti:send", .inputs = data, .peer = destination},
        [data, buffer = bytes_of(data), destination, tag](const tutti::Communicator& communicator,
                                                          bool /*blocking*/) {
            return communicator.isend(buffer, destination, tag);
        },
        [] {});
}

WorkPointer TuttiGroup::receive(OpType type, const char* title, Tensors& tensors, int source, int tag)
{
    Tensor& tensor = only_result("recv", tensors);
    const Tensor data = packed_result(tensor);
    return submit(
        {.type = type, .title = title, .results = tensor, .peer = source},
        [data, buffer = bytes_of(data), source, tag](const tutti::Communicator& communicator,
                                                     bool /*blocking*/) {
            return communicator.irecv(buffer, source, tag);
        },
        [data, tensor] { unpack(data, tensor); });
}

WorkPointer TuttiGroup::recv(Tensors& tensors, int source, int tag)
{
    return receive(OpType::RECV, "tutti:recv", tensors, source, tag);
}

WorkPointer TuttiGroup::recvAnysource(Tensors& tensors, int tag)
{
    return receive(OpType::RECVANYSOURCE, "tutti:recvAnySource", tensors, tutti::any_source, tag);
}

void TuttiGroup::monitoredBarrier(const c10d::BarrierOptions& options, bool wait_all_ranks)
{
    const auto limit = options.timeout != c10d::kUnsetTimeout ? options.timeout
                       : timeout_ != kNoTimeout               ? timeout_
                                                : std::chrono::milliseconds(kDefaultTimeoutOfTorch);
    // Rank 0 answers when its own time is over.
    const auto patience = monitored_.rank() == 0 ? std::chrono::milliseconds(0) : kPatienceWithRank0;
    const auto until = std::chrono::steady_clock::now() + limit + patience;
    const auto in_time = [until](Request& request) {
        const auto left = until - std::chrono::steady_clock::now();
        if (request.wait_for(std::max<std::chrono::nanoseconds>(left, std::chrono::nanoseconds(0))))
            return true;
        if (request.cancel())
            request.wait();
        return false;
    };
    if (monitored_.rank() != 0) {
        char token = 0;
        Request sent = monitored_.isend(char{token}, 0);
        Request answered = monitored_.irecv(token, 0);
        sent.wait();
        TORCH_CHECK(in_time(answered), "monitored_barrier: rank 0 has not come within ", limit.count(),
                    " ms");
        // The words that programs look for are those of torch's Gloo.
        TORCH_CHECK(token == 1, "Rank ", monitored_.rank(),
                    " successfully reached monitoredBarrier, but received errors while waiting for send/recv "
                    "from rank 0: another rank has not come; rank 0 says which");
        return;
    }
    std::vector<char> tokens(ranks());
    std::string late;
    bool several = false;
    for (int rank = 1; rank < monitored_.size(); ++rank) {
        Request come = monitored_.irecv(tokens[static_cast<std::size_t>(rank)], rank);
        if (in_time(come))
            continue;
        several = !late.empty();
        late += (several ? ", " : "") + std::to_string(rank);
        if (!wait_all_ranks)
            break;
    }
    for (int rank = 1; rank < monitored_.size(); ++rank)
        monitored_.isend(char{late.empty()}, rank).wait();
    TORCH_CHECK(late.empty() || limit.count() > 0, "Rank 0 timed out in monitoredBarrier after 0 ms");
    TORCH_CHECK(late.empty(), several ? "Ranks " : "Rank ", late, " failed to pass monitoredBarrier in ",
                limit.count(), " ms");
}

}  // namespace torch_tutti
