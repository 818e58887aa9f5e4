// MPI's collectives, each in its three forms.
#pragma once

#include <mpi.h>

#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "benchmarks/mpi/mpi_reduction.hpp"
#include "benchmarks/mpi/mpi_requests.hpp"
#include "benchmarks/suite/library/described_call.hpp"

namespace tutti::bench {

// MPI 3 counts in int.
inline int mpi_count(std::size_t elements)
{
    if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw std::length_error("MPI counts at most 2147483647 elements: choose a smaller maximum with -m");
    return static_cast<int>(elements);
}

/// A call with arguments as MPI takes them. The forms differ in the function's name and in its last
/// arguments.
class MpiCollective {
public:
    /// `comm` knows the neighbours for neighbourhood collectives.
    MpiCollective(const DescribedCall& call, MPI_Comm comm)
        : collective_(call.collective),
          comm_(comm),
          type_(mpi_type(call.type)),
          in_(call.in),
          out_(call.out),
          count_(mpi_count(call.count)),
          root_(call.root)
    {
        for (std::vector<int>* const array : {&counts_, &displacements_, &sent_, &sent_displacements_})
            array->reserve(1);  // Open MPI refuses null pointers, also where there is nothing to count
        for (const std::size_t count : call.counts)
            counts_.push_back(mpi_count(count));
        append_displacements(counts_, displacements_);
        sent_.resize(call.neighbors.destinations.size(), count_);
        append_displacements(sent_, sent_displacements_);
        MPI_Comm_rank(comm, &rank_);
        if (call.in_place)
            put_in_place();
    }

    void run()
    {
        visit([](auto blocking, auto, auto, auto... arguments) { blocking(arguments...); });
    }
    MpiRequest start()
    {
        MpiRequest request;
        visit([&](auto, auto nonblocking, auto, auto... arguments) {
            nonblocking(arguments..., &request.handle);
        });
        return request;
    }
    /// Throws NotOffered where this MPI has none.
    MpiPersistent persistent()
    {
        MpiPersistent request;
        visit([&](auto, auto, auto init, auto... arguments) {
            init(arguments..., MPI_INFO_NULL, &request.handle);
        });
        return request;
    }

private:
    static void append_displacements(const std::vector<int>& counts, std::vector<int>& displacements)
    {
        std::exclusive_scan(counts.begin(), counts.end(), std::back_inserter(displacements), 0);
    }

    void put_in_place()
    {
        in_ = out_;
        switch (collective_) {
            case Collective::scatter:
            case Collective::scatterv:
                if (rank_ == root_)
                    out_ = MPI_IN_PLACE;
                break;
            case Collective::reduce:
            case Collective::gather:
            case Collective::gatherv:
                if (rank_ == root_)
                    in_ = MPI_IN_PLACE;
                break;
            default:
                in_ = MPI_IN_PLACE;
        }
    }

    // visitor(blocking function, non-blocking, persistent, what all three are called with).
    template <class Visitor>
    void visit(Visitor visitor)
    {
        const int* const counts = counts_.data();
        const int* const places = displacements_.data();
        switch (collective_) {
            case Collective::barrier:
                return visitor(MPI_Barrier, MPI_Ibarrier, mpi_init::barrier, comm_);
            case Collective::broadcast:
                return visitor(MPI_Bcast, MPI_Ibcast, mpi_init::bcast, out_, count_, type_, root_, comm_);
            case Collective::reduce:
                return visitor(MPI_Reduce, MPI_Ireduce, mpi_init::reduce, in_, out_, count_, type_, MPI_SUM,
                               root_, comm_);
            case Collective::allreduce:
                return visitor(MPI_Allreduce, MPI_Iallreduce, mpi_init::allreduce, in_, out_, count_, type_,
                               MPI_SUM, comm_);
            case Collective::reduce_scatter:
                return visitor(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
                               mpi_init::reduce_scatter_block, in_, out_, count_, type_, MPI_SUM, comm_);
            case Collective::reduce_scatterv:
                return visitor(MPI_Reduce_scatter, MPI_Ireduce_scatter, mpi_init::reduce_scatter, in_, out_,
                               counts, type_, MPI_SUM, comm_);
            case Collective::scan:
                return visitor(MPI_Scan, MPI_Iscan, mpi_init::scan, in_, out_, count_, type_, MPI_SUM, comm_);
            case Collective::exscan:
                return visitor(MPI_Exscan, MPI_Iexscan, mpi_init::exscan, in_, out_, count_, type_, MPI_SUM,
                               comm_);
            case Collective::gather:
                return visitor(MPI_Gather, MPI_Igather, mpi_init::gather, in_, count_, type_, out_, count_,
                               type_, root_, comm_);
            case Collective::gatherv:
                return visitor(MPI_Gatherv, MPI_Igatherv, mpi_init::gatherv, in_, count_, type_, out_, counts,
                               places, type_, root_, comm_);
            case Collective::scatter:
                return visitor(MPI_Scatter, MPI_Iscatter, mpi_init::scatter, in_, count_, type_, out_, count_,
                               type_, root_, comm_);
            case Collective::scatterv:
                return visitor(MPI_Scatterv, MPI_Iscatterv, mpi_init::scatterv, in_, counts, places, type_,
                               out_, count_, type_, root_, comm_);
            case Collective::allgather:
                return visitor(MPI_Allgather, MPI_Iallgather, mpi_init::allgather, in_, count_, type_, out_,
                               count_, type_, comm_);
            case Collective::allgatherv:
                return visitor(MPI_Allgatherv, MPI_Iallgatherv, mpi_init::allgatherv, in_, count_, type_,
                               out_, counts, places, type_, comm_);
            case Collective::alltoall:
                return visitor(MPI_Alltoall, MPI_Ialltoall, mpi_init::alltoall, in_, count_, type_, out_,
                               count_, type_, comm_);
            case Collective::alltoallv:
                return visitor(MPI_Alltoallv, MPI_Ialltoallv, mpi_init::alltoallv, in_, counts, places, type_,
                               out_, counts, places, type_, comm_);
            default:
                return visit_neighbors(visitor);
        }
    }

    // visit() for collectives among neighbours.
    template <class Visitor>
    void visit_neighbors(Visitor visitor)
    {
        const int* const counts = counts_.data();
        const int* const places = displacements_.data();
        switch (collective_) {
            case Collective::neighbor_allgather:
                return visitor(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, mpi_init::neighbor_allgather,
                               in_, count_, type_, out_, count_, type_, comm_);
            case Collective::neighbor_allgatherv:
                return visitor(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
                               mpi_init::neighbor_allgatherv, in_, count_, type_, out_, counts, places, type_,
                               comm_);
            case Collective::neighbor_alltoall:
                return visitor(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, mpi_init::neighbor_alltoall,
                               in_, count_, type_, out_, count_, type_, comm_);
            case Collective::neighbor_alltoallv:
                return visitor(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, mpi_init::neighbor_alltoallv,
                               in_, sent_.data(), sent_displacements_.data(), type_, out_, counts, places,
                               type_, comm_);
            default:
                return;
        }
    }

    Collective collective_;
    MPI_Comm comm_;
    MPI_Datatype type_;
    void* in_;
    void* out_;
    int count_;
    int root_;
    int rank_ = 0;
    std::vector<int> counts_;
    std::vector<int> displacements_;
    std::vector<int> sent_;  // to each destination of neighbor_alltoallv
    std::vector<int> sent_displacements_;
};

}  // namespace tutti::bench
