// The simulated Board: memory of one process, with waits in virtual time.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "collectives/framework/board.hpp"
#include "collectives/simulator/network.hpp"

namespace tutti::collectives::simulator {

class SimulatedBoard;

/// The shared state of one simulated call's ranks. An arrival costs a rank `overhead`, and a release reaches
/// the others after `latency`.
struct BoardMemory {
    BoardMemory(int rank_count, std::size_t bytes_of_slot, const Costs& call_costs, Network& its_network)
        : ranks(rank_count), slot_bytes(bytes_of_slot), costs(call_costs), network(its_network)
    {
    }

    std::byte* slot(int index)
    {
        if (slots.empty())
            slots.resize((static_cast<std::size_t>(ranks) + 1) * slot_bytes);
        return slots.data() + static_cast<std::size_t>(index) * slot_bytes;
    }

    int ranks;
    std::size_t slot_bytes;
    Costs costs;
    Network& network;
    std::vector<std::byte> slots;  // the last one is the result; allocated at the first use
    int arrived = 0;
    bool released = false;
    std::vector<SimulatedBoard*> waiting;
    SimulatedBoard* root = nullptr;  // waits for the last to arrive
};

class SimulatedBoard final : public Board {
public:
    SimulatedBoard(BoardMemory& memory, Group& group) : memory_(memory), rank_(group.rank()), waiting_(group)
    {
    }

    std::size_t slot_bytes() const noexcept override { return memory_.slot_bytes; }
    std::byte* slot(int rank) noexcept override { return memory_.slot(rank); }
    std::byte* result() noexcept override { return memory_.slot(memory_.ranks); }
    /// Throws tutti::Error if this rank has already arrived.
    bool arrive() override;
    /// Throws tutti::Error unless all have arrived.
    void release() override;
    Operation released() override;
    Operation all_arrived() override;
    void arrive_at_root() override;

    /// Takes `state` back if it is this board's; returns whether it was.
    bool take_back(const OperationState& state) noexcept;
    /// Text of what this rank still waits for; empty: nothing.
    std::string complaint() const;

private:
    void complete_at(double time_ns);

    BoardMemory& memory_;
    int rank_;
    OperationState waiting_;
    bool arrived_ = false;
};

}  // namespace tutti::collectives::simulator
