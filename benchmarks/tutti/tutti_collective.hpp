// Tutti's collectives, each in its three forms.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/suite/library/described_call.hpp"
#include "benchmarks/tutti/tutti_forms.hpp"
#include "tutti/tutti.hpp"

namespace tutti::bench {

/// A call, made of spans. Blocks travel as bytes; reductions know their elements.
class TuttiCollective {
public:
    /// `graph` has the neighbours of neighbourhood collectives.
    TuttiCollective(DescribedCall call, Communicator world, std::optional<GraphCommunicator> graph)
        : call_(std::move(call)), world_(std::move(world)), graph_(std::move(graph))
    {
        const std::size_t blocks = call_.counts.empty() ? blocks_of(call_.collective) : call_.counts.size();
        total_ = blocks * call_.count;
        if (!call_.counts.empty())
            total_ = std::accumulate(call_.counts.begin(), call_.counts.end(), std::size_t{0});
        if (!is_reduction(call_.collective)) {
            const std::size_t element_bytes = size_bytes(call_.type);
            total_ *= element_bytes;
            call_.count *= element_bytes;
            for (std::size_t& count : call_.counts)
                count *= element_bytes;
        }
        at_root_ = world_.rank() == call_.root;
        sent_.assign(call_.neighbors.destinations.size(), call_.count);
    }

    void run()
    {
        visit([](auto form, auto&&... arguments) { form.run(arguments...); });
    }
    Request start()
    {
        Request request;
        visit([&](auto form, auto&&... arguments) { request = form.start(arguments...); });
        return request;
    }
    PersistentRequest persistent()
    {
        std::optional<PersistentRequest> request;
        visit([&](auto form, auto&&... arguments) { request = form.init(arguments...); });
        return std::move(*request);
    }

private:
    std::size_t blocks_of(Collective collective) const
    {
        switch (collective) {
            case Collective::barrier:
            case Collective::broadcast:
            case Collective::reduce:
            case Collective::allreduce:
            case Collective::scan:
            case Collective::exscan:
                return 1;
            default:
                return static_cast<std::size_t>(world_.size());
        }
    }

    // visitor(form, communicator, what all three forms are called with).
    template <class Visitor>
    void visit(Visitor visitor)
    {
        if (!is_reduction(call_.collective))
            visit_blocks(visitor);
        else if (call_.type == DataType::int8)
            visit_reduction<std::int8_t>(visitor);
        else if (call_.type == DataType::int32)
            visit_reduction<std::int32_t>(visitor);
        else if (call_.type == DataType::float64)
            visit_reduction<double>(visitor);
        else
            visit_reduction<float>(visitor);
    }

    template <class Element, class Visitor>
    void visit_reduction(Visitor& visitor)
    {
        const std::span<const Element> term(reinterpret_cast<const Element*>(call_.in), call_.count);
        const std::span<const Element> terms(reinterpret_cast<const Element*>(call_.in), total_);
        std::span<Element> out(reinterpret_cast<Element*>(call_.out), call_.count);
        std::span<Element> all(reinterpret_cast<Element*>(call_.out), total_);
        const std::span<const std::size_t> counts(call_.counts);
        const bool apart = !call_.in_place;
        const RootOptions root{.root = call_.root};
        switch (call_.collective) {
            case Collective::reduce:
                return apart ? visitor(forms::Reduce{}, world_, term, out, sum, root)
                             : visitor(forms::Reduce{}, world_, out, sum, root);
            case Collective::allreduce:
                return apart ? visitor(forms::Allreduce{}, world_, term, out, sum)
                             : visitor(forms::Allreduce{}, world_, out, sum);
            case Collective::scan:
                return apart ? visitor(forms::Scan{}, world_, term, out, sum)
                             : visitor(forms::Scan{}, world_, out, sum);
            case Collective::exscan:
                return apart ? visitor(forms::Exscan{}, world_, term, out, sum)
                             : visitor(forms::Exscan{}, world_, out, sum);
            case Collective::reduce_scatter:
                return apart ? visitor(forms::ReduceScatter{}, world_, terms, out, sum)
                             : visitor(forms::ReduceScatter{}, world_, all, sum);
            default:
                return apart ? visitor(forms::ReduceScatterv{}, world_, terms, out, counts, sum)
                             : visitor(forms::ReduceScatterv{}, world_, all, counts, sum);
        }
    }

    template <class Visitor>
    void visit_blocks(Visitor& visitor)
    {
        const std::span<const std::byte> block_in(call_.in, call_.count);
        const std::span<const std::byte> all_in(call_.in, total_);
        std::span<std::byte> block(call_.out, call_.count);
        std::span<std::byte> all(call_.out, total_);
        // The one buffer of a rooted collective in place.
        std::span<std::byte> own = at_root_ ? all : block;
        const BlockCounts counts(call_.counts);
        const bool apart = !call_.in_place;
        const RootOptions root{.root = call_.root};
        switch (call_.collective) {
            case Collective::barrier:
                return visitor(forms::Barrier{}, world_);
            case Collective::broadcast:
                return visitor(forms::Broadcast{}, world_, block, root);
            case Collective::gather:
                return apart ? visitor(forms::Gather{}, world_, block_in, all, root)
                             : visitor(forms::Gather{}, world_, own, root);
            case Collective::gatherv:
                return apart ? visitor(forms::Gatherv{}, world_, block_in, all, counts, root)
                             : visitor(forms::Gatherv{}, world_, own, counts, root);
            case Collective::scatter:
                return apart ? visitor(forms::Scatter{}, world_, all_in, block, root)
                             : visitor(forms::Scatter{}, world_, own, root);
            case Collective::scatterv:
                return apart ? visitor(forms::Scatterv{}, world_, all_in, counts, block, root)
                             : visitor(forms::Scatterv{}, world_, own, counts, root);
            case Collective::allgather:
                return apart ? visitor(forms::Allgather{}, world_, block_in, all)
                             : visitor(forms::Allgather{}, world_, all);
            case Collective::allgatherv:
                return apart ? visitor(forms::Allgatherv{}, world_, block_in, all, counts)
                             : visitor(forms::Allgatherv{}, world_, all, counts);
            case Collective::alltoall:
                return apart ? visitor(forms::Alltoall{}, world_, all_in, all)
                             : visitor(forms::Alltoall{}, world_, all);
            case Collective::alltoallv:
                return apart ? visitor(forms::Alltoallv{}, world_, all_in, counts, all, counts)
                             : visitor(forms::Alltoallv{}, world_, all, counts);
            default:
                return visit_neighbors(visitor);
        }
    }

    template <class Visitor>
    void visit_neighbors(Visitor& visitor)
    {
        const std::span<const std::byte> block_in(call_.in, call_.count);
        const std::span<const std::byte> all_in(call_.in, call_.count * call_.neighbors.destinations.size());
        std::span<std::byte> all(call_.out, call_.count * call_.neighbors.sources.size());
        const BlockCounts received(call_.counts);
        switch (call_.collective) {
            case Collective::neighbor_allgather:
                return visitor(forms::NeighborAllgather{}, *graph_, block_in, all);
            case Collective::neighbor_allgatherv:
                return visitor(forms::NeighborAllgatherv{}, *graph_, block_in, all, received);
            case Collective::neighbor_alltoall:
                return visitor(forms::NeighborAlltoall{}, *graph_, all_in, all);
            default:
                return visitor(forms::NeighborAlltoallv{}, *graph_, all_in, BlockCounts(sent_), all,
                               received);
        }
    }

    DescribedCall call_;
    Communicator world_;
    std::optional<GraphCommunicator> graph_;
    std::vector<std::size_t> sent_;  // to each destination of neighbor_alltoallv
    bool at_root_ = false;
    std::size_t total_ = 0;  // elements of all blocks; bytes, unless they are reduced
};

}  // namespace tutti::bench
