#include "collectives/simulator/simulated_board.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/error.hpp"

namespace tutti::collectives::simulator {

bool SimulatedBoard::arrive()
{
    if (arrived_)
        throw Error(ErrorCode::internal, "board", fmt::format("rank {} arrived twice in one call", rank_));
    arrived_ = true;
    memory_.network.advance_to(rank_, memory_.network.now_ns(rank_) + memory_.costs.overhead_ns);
    return ++memory_.arrived == memory_.ranks;
}

void SimulatedBoard::release()
{
    if (memory_.arrived != memory_.ranks)
        throw Error(ErrorCode::internal, "board",
                    fmt::format("rank {} released the others when {} of {} ranks had arrived", rank_,
                                memory_.arrived, memory_.ranks));
    memory_.released = true;
    const double visible_ns = memory_.network.now_ns(rank_) + memory_.costs.latency_ns;
    for (SimulatedBoard* other : std::exchange(memory_.waiting, {}))
        other->complete_at(visible_ns);
}

void SimulatedBoard::complete_at(double time_ns)
{
    memory_.network.at(time_ns, [this, time_ns] {
        memory_.network.advance_to(rank_, time_ns);
        waiting_.complete();
    });
}

Operation SimulatedBoard::all_arrived()
{
    if (memory_.arrived == memory_.ranks)
        return {};
    memory_.root = this;
    return Operation(waiting_);
}

void SimulatedBoard::arrive_at_root()
{
    if (SimulatedBoard* root = std::exchange(memory_.root, nullptr))
        root->complete_at(memory_.network.now_ns(rank_) + memory_.costs.latency_ns);
}

Operation SimulatedBoard::released()
{
    if (memory_.released)
        return {};
    memory_.waiting.push_back(this);
    return Operation(waiting_);
}

bool SimulatedBoard::take_back(const OperationState& state) noexcept
{
    if (&state != &waiting_)
        return false;
    std::erase(memory_.waiting, this);
    if (memory_.root == this)
        memory_.root = nullptr;
    return true;
}

std::string SimulatedBoard::complaint() const
{
    if (memory_.root != this && std::ranges::find(memory_.waiting, this) == memory_.waiting.end())
        return {};
    return fmt::format("rank {} waits on the board, where {} of {} ranks have arrived", rank_,
                       memory_.arrived, memory_.ranks);
}

}  // namespace tutti::collectives::simulator
