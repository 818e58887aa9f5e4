// The simulated Streams: memory of one process, with waits in virtual time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "collectives/framework/streams.hpp"
#include "collectives/simulator/network.hpp"

namespace tutti::collectives::simulator {

class SimulatedStreams;

/// The shared state of one simulated call's ranks. Publishing costs a rank `overhead`; others see chunks and
/// room after `latency`. Cells are few and short, so that even short data use them again.
struct StreamMemory {
    static constexpr std::size_t kCells = 2;
    /// The longest chunk of streams whose board has slots of that size.
    static constexpr std::size_t chunk_beside(std::size_t board_bytes) noexcept
    {
        constexpr std::size_t kLongestChunk = 2048;
        return board_bytes < kLongestChunk ? board_bytes : kLongestChunk;
    }

    StreamMemory(int rank_count, std::size_t board_bytes, const Costs& call_costs, Network& its_network)
        : ranks(rank_count), chunk_bytes(chunk_beside(board_bytes)), costs(call_costs), network(its_network)
    {
    }
    struct Cell {
        std::size_t position = 0;  // counted from 1
        double visible_ns = 0;
        std::vector<std::byte> data;
    };
    struct Stream {
        Cell cells[kCells];
        std::size_t passed = 0;
    };
    Stream& of(int rank)
    {
        if (streams.empty())
            streams.resize(static_cast<std::size_t>(ranks));
        return streams[static_cast<std::size_t>(rank)];
    }

    int ranks;
    std::size_t chunk_bytes;
    Costs costs;
    Network& network;
    std::vector<Stream> streams;  // made at the first use
    std::vector<SimulatedStreams*> waiting;
};

class SimulatedStreams final : public Streams {
public:
    SimulatedStreams(StreamMemory& memory, Group& group) : memory_(memory), group_(group), rank_(group.rank())
    {
    }

    Operation room() override { return when(kRoom); }
    std::byte* own_chunk(std::size_t size_bytes) noexcept override;
    /// Throws tutti::Error unless this rank has room.
    void publish(int reader) override;
    Operation published(int rank) override { return when(rank); }
    const std::byte* chunk(int rank, std::size_t) noexcept override { return cell(rank).data.data(); }
    void pass() override;

    /// Takes `state` back if it is this rank's; returns whether it was.
    bool take_back(const OperationState& state) noexcept;
    /// Text of what this rank still waits for; empty: nothing.
    std::string complaint() const;

private:
    static constexpr int kRoom = -1;  // in place of the rank whose chunk it waits for

    Operation when(int from);
    /// The time from which it is there; negative: not yet.
    double ready_ns(int from);
    void complete_at(double time_ns);
    void look_again();
    StreamMemory::Cell& cell(int rank) { return memory_.of(rank).cells[position_ % StreamMemory::kCells]; }

    StreamMemory& memory_;
    Group& group_;
    int rank_;
    std::size_t position_ = 0;
    int from_ = kRoom;
    std::optional<OperationState> waiting_;  // of the latest wait
};

}  // namespace tutti::collectives::simulator
