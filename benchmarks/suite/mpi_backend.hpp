// The benchmarks' backend over any mpi.h: how the peers run the same loops.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "benchmarks/suite/backend.hpp"
#include "benchmarks/suite/mpi_reduction.hpp"

namespace tutti::bench {

/// MPI_COMM_WORLD. MPI must be initialised and not yet finalised. MPI's own error handler ends the job on
/// errors.
class MpiBackend {
public:
    struct Request {
        MPI_Request handle = MPI_REQUEST_NULL;
    };
    // wait_all() hands an array of these to MPI as an array of handles.
    static_assert(std::is_standard_layout_v<Request> && sizeof(Request) == sizeof(MPI_Request));

    using Reduction = MpiReduction;
    static std::optional<Reduction> reduction(Op op, DataType type) { return mpi_reduction(op, type); }

    static inline const int kAnySource = MPI_ANY_SOURCE;

    MpiBackend()
    {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }

    static Memory memory()
    {
        return {[](std::size_t size_bytes) {
                    void* memory = nullptr;
                    MPI_Alloc_mem(static_cast<MPI_Aint>(size_bytes), MPI_INFO_NULL, &memory);
                    return memory;
                },
                [](void* memory) { MPI_Free_mem(memory); }};
    }

    /// The first words of the library's description of itself: name and version.
    static std::string library()
    {
        char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
        int length = 0;
        MPI_Get_library_version(text, &length);
        std::string name(text);
        name.resize(std::min(name.find_first_of(",\n"), name.size()));
        std::replace(name.begin(), name.end(), '\t', ' ');
        if (const std::size_t label = name.find(" Version:"); label != std::string::npos)
            name.erase(label, 9);
        return name;
    }

    int rank() const { return rank_; }
    int size() const { return size_; }

    void send(ConstBytes out, int destination, int tag)
    {
        MPI_Send(out.data(), count(out.size()), MPI_BYTE, destination, tag, MPI_COMM_WORLD);
    }
    void recv(Bytes in, int source, int tag)
    {
        MPI_Recv(in.data(), count(in.size()), MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    Request isend(ConstBytes out, int destination, int tag)
    {
        Request request;
        MPI_Isend(out.data(), count(out.size()), MPI_BYTE, destination, tag, MPI_COMM_WORLD, &request.handle);
        return request;
    }
    Request irecv(Bytes in, int source, int tag)
    {
        Request request;
        MPI_Irecv(in.data(), count(in.size()), MPI_BYTE, source, tag, MPI_COMM_WORLD, &request.handle);
        return request;
    }
    void wait(Request& request) { MPI_Wait(&request.handle, MPI_STATUS_IGNORE); }
    void test(Request& request)
    {
        int done = 0;
        MPI_Test(&request.handle, &done, MPI_STATUS_IGNORE);
    }
    // An array of one-member structs is laid out as an array of that member.
    void wait_all(std::span<Request> requests)
    {
        if (!requests.empty())
            MPI_Waitall(count(requests.size()), &requests.front().handle, MPI_STATUSES_IGNORE);
    }

    void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
    void broadcast(Bytes data, int root)
    {
        MPI_Bcast(data.data(), count(data.size()), MPI_BYTE, root, MPI_COMM_WORLD);
    }
    void allreduce(std::span<const float> in, std::span<float> out)
    {
        MPI_Allreduce(in.data(), out.data(), count(in.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
    void reduce(std::span<const float> in, std::span<float> out, int root)
    {
        MPI_Reduce(in.data(), out.data(), count(in.size()), MPI_FLOAT, MPI_SUM, root, MPI_COMM_WORLD);
    }
    void allgather(ConstBytes in, Bytes out)
    {
        MPI_Allgather(in.data(), count(in.size()), MPI_BYTE, out.data(), count(in.size()), MPI_BYTE,
                      MPI_COMM_WORLD);
    }
    void alltoall(ConstBytes in, Bytes out)
    {
        const int block = count(in.size()) / size_;
        MPI_Alltoall(in.data(), block, MPI_BYTE, out.data(), block, MPI_BYTE, MPI_COMM_WORLD);
    }
    void gather(ConstBytes in, Bytes out, int root)
    {
        MPI_Gather(in.data(), count(in.size()), MPI_BYTE, out.data(), count(in.size()), MPI_BYTE, root,
                   MPI_COMM_WORLD);
    }
    void scatter(ConstBytes in, Bytes out, int root)
    {
        MPI_Scatter(in.data(), count(out.size()), MPI_BYTE, out.data(), count(out.size()), MPI_BYTE, root,
                    MPI_COMM_WORLD);
    }
    void reduce_scatter(std::span<const float> in, std::span<float> out)
    {
        MPI_Reduce_scatter_block(in.data(), out.data(), count(out.size()), MPI_FLOAT, MPI_SUM,
                                 MPI_COMM_WORLD);
    }
    Request ibroadcast(Bytes data, int root)
    {
        Request request;
        MPI_Ibcast(data.data(), count(data.size()), MPI_BYTE, root, MPI_COMM_WORLD, &request.handle);
        return request;
    }
    Request iallreduce(std::span<const float> in, std::span<float> out)
    {
        Request request;
        MPI_Iallreduce(in.data(), out.data(), count(in.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                       &request.handle);
        return request;
    }
    Request iallgather(ConstBytes in, Bytes out)
    {
        Request request;
        MPI_Iallgather(in.data(), count(in.size()), MPI_BYTE, out.data(), count(in.size()), MPI_BYTE,
                       MPI_COMM_WORLD, &request.handle);
        return request;
    }
    Request ialltoall(ConstBytes in, Bytes out)
    {
        Request request;
        const int block = count(in.size()) / size_;
        MPI_Ialltoall(in.data(), block, MPI_BYTE, out.data(), block, MPI_BYTE, MPI_COMM_WORLD,
                      &request.handle);
        return request;
    }

private:
    // MPI 3 counts in int.
    static int count(std::size_t elements)
    {
        if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max()))
            throw std::length_error(
                "MPI counts at most 2147483647 elements: choose a smaller maximum with -m");
        return static_cast<int>(elements);
    }

    int rank_ = 0;
    int size_ = 1;
};

static_assert(Backend<MpiBackend>);

}  // namespace tutti::bench
