// Which algorithm a collective call uses: a table by ranks, bytes and placement, overridden by the
// environment.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

using BarrierFunction = Task (*)(Group&);
using BroadcastFunction = Task (*)(Group&, std::span<std::byte>, int root);
using ReduceFunction = Task (*)(Group&, const std::byte* in, Buffer out, int root, ReduceOp);
using AllreduceFunction = Task (*)(Group&, Buffer, ReduceOp);

template <class Function>
struct Algorithm {
    std::string_view name;
    Function run;
};

/// What the choice depends on. It must be equal at all ranks of a call.
struct Situation {
    int ranks = 1;
    std::size_t size_bytes = 0;
    Placement placement;
};

/// The choice for each collective. Built once a process, then asked at every call.
class Choice {
public:
    /// `environment` answers for a variable's name as std::getenv does. TUTTI_BARRIER, TUTTI_BROADCAST,
    /// TUTTI_REDUCE and TUTTI_ALLREDUCE each name an algorithm that is then used always; unset or empty
    /// leaves the choice to the table. Throws tutti::Error (invalid_argument) that lists the names for any
    /// other.
    explicit Choice(const char* (*environment)(const char* variable));

    const Algorithm<BarrierFunction>& barrier(const Situation& situation) const noexcept;
    const Algorithm<BroadcastFunction>& broadcast(const Situation& situation) const noexcept;
    const Algorithm<ReduceFunction>& reduce(const Situation& situation) const noexcept;
    const Algorithm<AllreduceFunction>& allreduce(const Situation& situation) const noexcept;

private:
    // Null where the table decides.
    const Algorithm<BarrierFunction>* barrier_;
    const Algorithm<BroadcastFunction>* broadcast_;
    const Algorithm<ReduceFunction>* reduce_;
    const Algorithm<AllreduceFunction>* allreduce_;
};

/// This process's choice, from its environment. Made at the first call, which therefore throws as Choice
/// does: call it when the process starts, so that a wrong name is reported there.
const Choice& choice();

std::span<const Algorithm<BarrierFunction>> barrier_algorithms() noexcept;
std::span<const Algorithm<BroadcastFunction>> broadcast_algorithms() noexcept;
std::span<const Algorithm<ReduceFunction>> reduce_algorithms() noexcept;
std::span<const Algorithm<AllreduceFunction>> allreduce_algorithms() noexcept;

}  // namespace tutti::collectives
