// The backend "tutti" of torch.distributed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <torch/version.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "lib/torch/ended_work.hpp"
#include "lib/torch/work.hpp"
#include "tutti/communicator.hpp"

namespace torch_tutti {

// Backends are process groups in torch 1, and parts of process groups from torch 2 on.
#if TORCH_VERSION_MAJOR >= 2
using Base = c10d::Backend;
#else
using Base = c10d::ProcessGroup;
#endif

using Tensor = at::Tensor;
using Tensors = std::vector<at::Tensor>;
using WorkPointer = c10::intrusive_ptr<c10d::Work>;

/// Describes an operation. It refers to its caller's values.
struct TorchCall {
    c10d::OpType type;
    const char* title;  // in torch's profiler
    std::chrono::milliseconds timeout = c10d::kUnsetTimeout;
    at::TensorList results = {};
    at::TensorList inputs = {};  // if they are not the results: profiles have their sizes
    int peer = -1;               // of a message; -1: any
};

/// Tensors are dense and in the memory of the CPU, of any strides. Collectives run to their end in the call,
/// which is the fastest form. They are begun only where operations have a limit of time, and then completed
/// by the Work, and where a thread of Tutti's has a core to spare, which completes them. Messages are begun.
/// Any thread may call. Calls throw c10::Error for tensors that do not fit, a Work's wait() throws the errors
/// of the operation.
class TuttiGroup final : public Base {
public:
    /// `timeout` is that of each operation.
    TuttiGroup(tutti::Communicator communicator, std::chrono::milliseconds timeout);

    const std::string getBackendName() const override { return "tutti"; }
    /// Sets the name of the group in reports.
    void set_name(const std::string& name);
    /// Whether a thread completes collectives beside the computing.
    bool overlaps() const noexcept { return has_thread_; }

    WorkPointer broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
    WorkPointer allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
    /// allreduce() of one tensor without a Work, for calls that run to their end. If this one does not, or
    /// the tensor needs more than the operation itself, returns false and has done nothing. Throws what
    /// wait() throws.
    bool allreduce_at_once(const Tensor& tensor, c10d::ReduceOp::RedOpType op);
    /// One operation for all tensors, which have one type.
    WorkPointer allreduce_coalesced(Tensors& tensors,
                                    const c10d::AllreduceCoalescedOptions& options) override;
    WorkPointer reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
    WorkPointer allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                          const c10d::AllgatherOptions& options) override;
    WorkPointer _allgather_base(Tensor& output, Tensor& input,
                                const c10d::AllgatherOptions& options) override;
    WorkPointer allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                    const c10d::AllgatherOptions& options) override;
    WorkPointer gather(std::vector<Tensors>& outputs, Tensors& inputs,
                       const c10d::GatherOptions& options) override;
    WorkPointer scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                        const c10d::ScatterOptions& options) override;
    WorkPointer reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                               const c10d::ReduceScatterOptions& options) override;
    WorkPointer _reduce_scatter_base(Tensor& output, Tensor& input,
                                     const c10d::ReduceScatterOptions& options) override;
    WorkPointer alltoall_base(Tensor& output, Tensor& input, std::vector<std::int64_t>& output_splits,
                              std::vector<std::int64_t>& input_splits,
                              const c10d::AllToAllOptions& options) override;
    WorkPointer alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) override;
    WorkPointer barrier(const c10d::BarrierOptions& options) override;
    /// Rank 0 throws with the ranks that have not come in time, the first one or all; then the others throw.
    void monitoredBarrier(const c10d::BarrierOptions& options, bool wait_all_ranks) override;
    WorkPointer send(Tensors& tensors, int destination, int tag) override;
    WorkPointer recv(Tensors& tensors, int source, int tag) override;
    WorkPointer recvAnysource(Tensors& tensors, int tag) override;

    void setSequenceNumberForGroup() override {}
    std::uint64_t getSequenceNumberForGroup() override { return operations_; }

private:
    std::chrono::milliseconds limit_of(const TorchCall& call) const noexcept
    {
        return call.timeout == c10d::kUnsetTimeout ? timeout_ : call.timeout;
    }
    bool runs_in_call(const TorchCall& call) const noexcept
    {
        return !has_thread_ && limit_of(call) == kNoTimeout && !c10d::isP2POp(call.type);
    }
    /// `run` gets the communicator and whether to do it all or to begin it, and returns the request; it holds
    /// the tensors that it uses. `finish` comes after the operation: it copies results to where they belong.
    template <class Run, class Finish>
    WorkPointer submit(const TorchCall& call, Run run, Finish finish)
    {
        operations_.fetch_add(1, std::memory_order_relaxed);
        if (!runs_in_call(call))
            return begin(
                call,
                [communicator = communicator_, run = std::move(run)] { return run(communicator, false); },
                std::move(finish));
        auto work = c10::make_intrusive<EndedWork>(communicator_.rank(), call.type, call.title, call.results,
                                                   call.inputs);
        work->run([&] {
            [[maybe_unused]] const tutti::Request ended = run(communicator_, true);
            finish();
        });
        return work;
    }
    WorkPointer begin(const TorchCall& call, std::function<tutti::Request()> run,
                      std::function<void()> finish);
    WorkPointer receive(c10d::OpType type, const char* title, Tensors& tensors, int source, int tag);
    std::size_t ranks() const noexcept { return static_cast<std::size_t>(communicator_.size()); }
    bool is(std::int64_t rank) const noexcept { return rank == communicator_.rank(); }

    tutti::Communicator communicator_;
    tutti::Communicator monitored_;  // for monitored barriers, apart from the program's messages
    std::chrono::milliseconds timeout_;
    bool has_thread_;
    std::atomic<std::uint64_t> operations_{0};
};

}  // namespace torch_tutti
