#include "collectives/simulator/simulated_streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tutti/error.hpp"

namespace tutti::collectives::simulator {

double SimulatedStreams::ready_ns(int from)
{
    if (from != kRoom) {
        const StreamMemory::Cell& read = cell(from);
        return read.position == position_ + 1 ? read.visible_ns : -1;
    }
    for (int rank = 0; rank < memory_.ranks; ++rank)
        if (memory_.of(rank).passed + StreamMemory::kCells <= position_)
            return -1;
    return 0;
}

Operation SimulatedStreams::when(int from)
{
    const double ready = ready_ns(from);
    if (ready >= 0 && ready <= memory_.network.now_ns(rank_))
        return {};
    from_ = from;
    waiting_.emplace(group_);
    if (ready >= 0)
        complete_at(ready);
    else
        memory_.waiting.push_back(this);
    return Operation(*waiting_);
}

void SimulatedStreams::complete_at(double time_ns)
{
    memory_.network.at(time_ns, [this, time_ns] {
        memory_.network.advance_to(rank_, time_ns);
        waiting_->complete();
    });
}

// Resumes the ranks whose wait this rank has ended.
void SimulatedStreams::look_again()
{
    const double visible_ns = memory_.network.now_ns(rank_) + memory_.costs.latency_ns;
    for (SimulatedStreams* other : std::exchange(memory_.waiting, {})) {
        if (other->ready_ns(other->from_) >= 0)
            other->complete_at(std::max(visible_ns, memory_.network.now_ns(other->rank_)));
        else
            memory_.waiting.push_back(other);
    }
}

std::byte* SimulatedStreams::own_chunk(std::size_t size_bytes) noexcept
{
    cell(rank_).data.resize(size_bytes == kAnySize ? memory_.chunk_bytes : size_bytes);
    return cell(rank_).data.data();
}

void SimulatedStreams::publish(int)
{
    if (ready_ns(kRoom) < 0)
        throw Error(ErrorCode::internal, "streams",
                    fmt::format("rank {} wrote to a cell that others still read", rank_));
    memory_.network.advance_to(rank_, memory_.network.now_ns(rank_) + memory_.costs.overhead_ns);
    cell(rank_).position = position_ + 1;
    cell(rank_).visible_ns = memory_.network.now_ns(rank_) + memory_.costs.latency_ns;
    look_again();
}

void SimulatedStreams::pass()
{
    memory_.of(rank_).passed = ++position_;
    look_again();
}

bool SimulatedStreams::take_back(const OperationState& state) noexcept
{
    if (!waiting_ || &state != &*waiting_)
        return false;
    std::erase(memory_.waiting, this);
    return true;
}

std::string SimulatedStreams::complaint() const
{
    if (std::ranges::find(memory_.waiting, this) == memory_.waiting.end())
        return {};
    return from_ == kRoom ? fmt::format("rank {} waits for room in its stream", rank_)
                          : fmt::format("rank {} waits for chunk {} of rank {}", rank_, position_, from_);
}

}  // namespace tutti::collectives::simulator
