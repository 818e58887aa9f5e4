// Communicators whose ranks have neighbours, and the collectives among neighbours.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "tutti/communicator.hpp"

namespace tutti {

namespace detail {
struct Topology;
}

/// The sources and destinations of this rank. null_rank: beyond a border.
struct Neighbors {
    std::span<const int> sources;       // ranks to receive from
    std::span<const int> destinations;  // ranks to send to
};

/// A communicator that knows the neighbours of its ranks, in a grid (CartesianCommunicator) or as given
/// (GraphCommunicator). A cheap value, and a Communicator of the same ranks.
///
/// All ranks call its collectives, in the same order as its others. These move blocks between neighbours
/// only. They have the forms and the buffers of BlockCollectives. `in` has a block for each destination, or
/// one block for all; `out` has one for each source; both follow the order of neighbors(). The block of a
/// source that is null_rank is unchanged. Several blocks from one rank to another arrive in the same order.
/// In a grid, a block sent to the lower neighbour arrives from the upper one, also where both are the same
/// rank.
class NeighborCommunicator : public Communicator {
public:
    /// Valid as long as this communicator or a copy of it.
    Neighbors neighbors() const noexcept;

    /// Sends `in` to every destination: out.size() is the number of sources times in.size().
    template <class I, class O>
    void neighbor_allgather(const I& in, O&& out) const
    {
        detail::call_neighbor_allgather(state_, topology_, Form::blocking, detail::in_out(in, out));
    }
    template <class I, class O>
    Request ineighbor_allgather(I&& in, O& out) const
    {
        return detail::call_neighbor_allgather(state_, topology_, Form::nonblocking,
                                               detail::borrowed_in_out<I>(in, out))
            .request();
    }
    template <class I, class O>
    PersistentRequest neighbor_allgather_init(I&& in, O& out) const
    {
        return detail::call_neighbor_allgather(state_, topology_, Form::persistent,
                                               detail::borrowed_in_out<I>(in, out))
            .persistent();
    }

    /// neighbor_allgather() of blocks of any sizes, at any places in `out`, with a count for each source.
    template <class I, class O>
    void neighbor_allgatherv(const I& in, O&& out, BlockCounts blocks) const
    {
        detail::call_neighbor_allgatherv(state_, topology_, Form::blocking, detail::in_out(in, out), blocks);
    }
    template <class I, class O>
    Request ineighbor_allgatherv(I&& in, O& out, BlockCounts blocks) const
    {
        return detail::call_neighbor_allgatherv(state_, topology_, Form::nonblocking,
                                                detail::borrowed_in_out<I>(in, out), blocks)
            .request();
    }
    template <class I, class O>
    PersistentRequest neighbor_allgatherv_init(I&& in, O& out, BlockCounts blocks) const
    {
        return detail::call_neighbor_allgatherv(state_, topology_, Form::persistent,
                                                detail::borrowed_in_out<I>(in, out), blocks)
            .persistent();
    }

    /// Sends the i'th block of `in` to the i'th destination. All blocks are equally long.
    template <class I, class O>
    void neighbor_alltoall(const I& in, O&& out) const
    {
        detail::call_neighbor_alltoall(state_, topology_, Form::blocking, detail::in_out(in, out));
    }
    template <class I, class O>
    Request ineighbor_alltoall(I&& in, O& out) const
    {
        return detail::call_neighbor_alltoall(state_, topology_, Form::nonblocking,
                                              detail::borrowed_in_out<I>(in, out))
            .request();
    }
    template <class I, class O>
    PersistentRequest neighbor_alltoall_init(I&& in, O& out) const
    {
        return detail::call_neighbor_alltoall(state_, topology_, Form::persistent,
                                              detail::borrowed_in_out<I>(in, out))
            .persistent();
    }

    /// neighbor_alltoall() of blocks of any sizes, at any places. `sent` has a count for each destination,
    /// `received` one for each source, equal to the count that the source sends.
    template <class I, class O>
    void neighbor_alltoallv(const I& in, BlockCounts sent, O&& out, BlockCounts received) const
    {
        detail::call_neighbor_alltoallv(state_, topology_, Form::blocking, detail::in_out(in, out), sent,
                                        received);
    }
    template <class I, class O>
    Request ineighbor_alltoallv(I&& in, BlockCounts sent, O& out, BlockCounts received) const
    {
        return detail::call_neighbor_alltoallv(state_, topology_, Form::nonblocking,
                                               detail::borrowed_in_out<I>(in, out), sent, received)
            .request();
    }
    template <class I, class O>
    PersistentRequest neighbor_alltoallv_init(I&& in, BlockCounts sent, O& out, BlockCounts received) const
    {
        return detail::call_neighbor_alltoallv(state_, topology_, Form::persistent,
                                               detail::borrowed_in_out<I>(in, out), sent, received)
            .persistent();
    }

protected:
    NeighborCommunicator(Communicator ranks, std::shared_ptr<const detail::Topology> topology) noexcept
        : Communicator(std::move(ranks)), topology_(std::move(topology))
    {
    }

    std::shared_ptr<const detail::Topology> topology_;

private:
    using Form = detail::Form;
};

}  // namespace tutti
