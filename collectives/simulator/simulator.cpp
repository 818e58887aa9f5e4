#include "collectives/simulator/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "collectives/simulator/network.hpp"
#include "collectives/simulator/simulated_board.hpp"
#include "collectives/simulator/simulated_streams.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives::simulator {

namespace {

class SimulatedGroup final : public Group {
public:
    SimulatedGroup(int rank, int size, const Settings& settings, Network& network, BoardMemory& board,
                   StreamMemory& streams)
        : Group(rank, size, with_streams(settings.placement)),
          reads_in_place_(settings.reads_in_place),
          may_read_in_place_(settings.reads_in_place || settings.may_read_in_place),
          network_(network),
          board_(board, *this),
          streams_(streams, *this)
    {
    }

    Board* board() noexcept override { return placement().board_bytes != 0 ? &board_ : nullptr; }
    bool reads_in_place(int, std::span<const std::byte>) override { return reads_in_place_; }
    bool may_read_in_place() const noexcept override { return may_read_in_place_; }
    Streams* streams() noexcept override { return placement().board_bytes != 0 ? &streams_ : nullptr; }
    std::string complaint() const { return board_.complaint() + streams_.complaint(); }
    ReduceOp timed_op(double ns_per_element, bool commutative)
    {
        ns_per_element_ = ns_per_element;
        return {take_time, this, commutative};
    }

    Operation send(int peer, std::span<const std::byte> data) override
    {
        check("send", peer);
        return network_.send(*this, peer, data);
    }

    Operation send_parts(int peer, Parts parts) override
    {
        std::vector<std::byte>& message = gathered_.emplace_back();
        for (const std::span<const std::byte> part : parts)
            message.insert(message.end(), part.begin(), part.end());
        return send(peer, message);
    }

    Operation recv(int peer, std::span<std::byte> data) override
    {
        check("recv", peer);
        auto operation = std::make_unique<SimulatedOperation>(*this, Unmatched::Kind::receive, rank(), peer);
        operation->target = Buffer{data.data(), data.size(), 1};
        return network_.receive(std::move(operation));
    }

    Operation recv_reduce(int peer, const std::byte* operand, Buffer result, ReduceOp op,
                          Side arriving) override
    {
        check("recv_reduce", peer);
        auto operation = std::make_unique<SimulatedOperation>(*this, Unmatched::Kind::receive, rank(), peer);
        operation->target = result;
        operation->combine.emplace(SimulatedOperation::Combine{operand, op, arriving});
        return network_.receive(std::move(operation));
    }

protected:
    void release(OperationState& state) noexcept override
    {
        if (!board_.take_back(state) && !streams_.take_back(state))
            network_.release(operation_of(state));
    }

    void raise(const OperationState& state) const override
    {
        const SimulatedOperation& operation = operation_of(state);
        throw Error(state.result(), "recv",
                    fmt::format("rank {} expected {} bytes from rank {}, which sent another size; both sides "
                                "must use the same count",
                                rank(), operation.size_bytes, operation.peer),
                    operation.peer);
    }

private:
    static Placement with_streams(Placement placement) noexcept
    {
        placement.chunk_bytes = StreamMemory::chunk_beside(placement.board_bytes);
        return placement;
    }

    static SimulatedOperation& operation_of(OperationState& state)
    {
        return static_cast<SimulatedOperation&>(state);
    }
    static const SimulatedOperation& operation_of(const OperationState& state)
    {
        return static_cast<const SimulatedOperation&>(state);
    }

    static void take_time(const void* group, void*, const void*, const void*, std::size_t count)
    {
        const auto& self = *static_cast<const SimulatedGroup*>(group);
        self.network_.advance_to(self.rank(), self.network_.now_ns(self.rank()) +
                                                  self.ns_per_element_ * static_cast<double>(count));
    }

    void check(std::string_view operation, int peer) const
    {
        if (peer < 0 || peer >= size() || peer == rank()) {
            throw Error(ErrorCode::invalid_rank, operation,
                        fmt::format("rank {} of {} has no peer {}", rank(), size(), peer), peer);
        }
    }

    const bool reads_in_place_;
    const bool may_read_in_place_;
    Network& network_;
    SimulatedBoard board_;
    SimulatedStreams streams_;
    double ns_per_element_ = 0;
    std::deque<std::vector<std::byte>> gathered_;  // messages out of several places
};

/// A rank with its task. Never moves: its task's completion hook points to it.
struct Rank {
    Rank(int rank, int size, const Settings& settings, Network& its_network, BoardMemory& board,
         StreamMemory& streams)
        : network(its_network), group(rank, size, settings, its_network, board, streams)
    {
    }

    void start(const Program& program)
    {
        try {
            task = program(group);
        } catch (...) {
            report.error = std::current_exception();
            report.finished = true;
            return;
        }
        task.start({.fire = &Rank::ended, .context = this});
    }

    static void ended(void* context) noexcept
    {
        Rank& self = *static_cast<Rank*>(context);
        self.report.finished = true;
        self.report.finish_ns = self.network.now_ns(self.group.rank());
        try {
            self.task.rethrow();
        } catch (...) {
            self.report.error = std::current_exception();
        }
    }

    Network& network;
    SimulatedGroup group;
    Task task;
    RankReport report;
};

}  // namespace

Report simulate(int ranks, const Settings& settings, const Program& program)
{
    Network network(ranks, settings);
    BoardMemory board(ranks, settings.placement.board_bytes, settings.costs, network);
    StreamMemory streams(ranks, settings.placement.board_bytes, settings.costs, network);
    std::deque<Rank> all;
    for (int rank = 0; rank < ranks; ++rank) {
        Rank& own = all.emplace_back(rank, ranks, settings, network, board, streams);
        const double start_ns =
            settings.start_ns.empty() ? 0 : settings.start_ns.at(static_cast<std::size_t>(rank));
        network.at(start_ns, [&own, &network, &program, rank, start_ns] {
            network.advance_to(rank, start_ns);
            own.start(program);
        });
    }
    network.run();

    Report report;
    for (const Rank& rank : all)
        report.ranks.push_back(rank.report);
    network.describe(report);
    for (const Rank& rank : all) {
        if (report.given_up)
            break;
        const std::string complaint = rank.group.complaint();
        report.deadlock += report.deadlock.empty() || complaint.empty() ? complaint : "; " + complaint;
    }
    return report;
}

ReduceOp timed_op(Group& group, double ns_per_element, bool commutative)
{
    return static_cast<SimulatedGroup&>(group).timed_op(ns_per_element, commutative);
}

double Report::finish_ns() const noexcept
{
    double last_ns = 0;
    for (const RankReport& rank : ranks)
        last_ns = std::max(last_ns, rank.finish_ns);
    return last_ns;
}

namespace {

std::size_t sum_over(const std::vector<RankReport>& ranks, std::size_t RankReport::*count) noexcept
{
    std::size_t sum = 0;
    for (const RankReport& rank : ranks)
        sum += rank.*count;
    return sum;
}

}  // namespace

std::size_t Report::messages_sent() const noexcept
{
    return sum_over(ranks, &RankReport::messages_sent);
}

std::size_t Report::bytes_sent() const noexcept
{
    return sum_over(ranks, &RankReport::bytes_sent);
}

std::size_t Report::messages_between_nodes() const noexcept
{
    return sum_over(ranks, &RankReport::messages_between_nodes);
}

std::size_t Report::bytes_between_nodes() const noexcept
{
    return sum_over(ranks, &RankReport::bytes_between_nodes);
}

std::string Report::problems() const
{
    std::string text;
    const auto add = [&text](const std::string& problem) { text += (text.empty() ? "" : "; ") + problem; };
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (!ranks[rank].error)
            continue;
        try {
            std::rethrow_exception(ranks[rank].error);
        } catch (const std::exception& error) {
            add(fmt::format("rank {}: {}", rank, error.what()));
        } catch (...) {
            add(fmt::format("rank {} threw an object that is no std::exception", rank));
        }
    }
    if (given_up)
        add(fmt::format("given up after {} messages", messages_sent()));
    if (!deadlock.empty())
        add("deadlock: " + deadlock);
    for (const Unmatched& left : unmatched) {
        const bool is_send = left.kind == Unmatched::Kind::send;
        add(fmt::format("rank {} {} {} bytes {} rank {} without an answer", left.rank,
                        is_send ? "sent" : "waited for", left.size_bytes, is_send ? "to" : "from",
                        left.peer));
    }
    if (abandoned > 0)
        add(fmt::format("{} operations were destroyed unfinished", abandoned));
    return text;
}

}  // namespace tutti::collectives::simulator
