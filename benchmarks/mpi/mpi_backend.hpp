// The benchmarks' backend over any mpi.h: how the peers run the same loops.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <optional>

#include "benchmarks/mpi/mpi_collective.hpp"
#include "benchmarks/mpi/mpi_file.hpp"
#include "benchmarks/mpi/mpi_reduction.hpp"
#include "benchmarks/mpi/mpi_requests.hpp"
#include "benchmarks/mpi/mpi_window.hpp"
#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/library/joined.hpp"

namespace tutti::bench {

/// MPI_COMM_WORLD. MPI must be initialised and not yet finalised. MPI's own error handler ends the job on
/// errors.
class MpiBackend {
public:
    using Request = MpiRequest;
    using Persistent = MpiPersistent;
    using Prepared = MpiCollective;
    using Reduction = MpiReduction;
    static std::optional<Reduction> reduction(Op op, DataType type) { return mpi_reduction(op, type); }

    static inline const int kAnySource = MPI_ANY_SOURCE;

    explicit MpiBackend(Joined joined = {}) : joined_(joined)
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
    const Joined& joined() const { return joined_; }

    void send(ConstBytes out, int destination, int tag)
    {
        MPI_Send(out.data(), mpi_count(out.size()), MPI_BYTE, destination, tag, MPI_COMM_WORLD);
    }
    void recv(Bytes in, int source, int tag)
    {
        MPI_Recv(in.data(), mpi_count(in.size()), MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    Request isend(ConstBytes out, int destination, int tag)
    {
        Request request;
        MPI_Isend(out.data(), mpi_count(out.size()), MPI_BYTE, destination, tag, MPI_COMM_WORLD,
                  &request.handle);
        return request;
    }
    Request irecv(Bytes in, int source, int tag)
    {
        Request request;
        MPI_Irecv(in.data(), mpi_count(in.size()), MPI_BYTE, source, tag, MPI_COMM_WORLD, &request.handle);
        return request;
    }
    void wait(Request& request) { MPI_Wait(&request.handle, MPI_STATUS_IGNORE); }
    bool test(Request& request)
    {
        int done = 0;
        MPI_Test(&request.handle, &done, MPI_STATUS_IGNORE);
        return done != 0;
    }
    bool iprobe(int source, int tag)
    {
        int there = 0;
        MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        return there != 0;
    }
    bool improbe_recv(Bytes in, int source, int tag)
    {
        int there = 0;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Improbe(source, tag, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE);
        if (there != 0)
            MPI_Mrecv(in.data(), mpi_count(in.size()), MPI_BYTE, &message, MPI_STATUS_IGNORE);
        return there != 0;
    }
    // An array of one-member structs is laid out as an array of that member.
    void wait_all(std::span<Request> requests)
    {
        if (!requests.empty())
            MPI_Waitall(mpi_count(requests.size()), &requests.front().handle, MPI_STATUSES_IGNORE);
    }

    Persistent send_init(ConstBytes out, int destination, int tag)
    {
        Persistent request;
        MPI_Send_init(out.data(), mpi_count(out.size()), MPI_BYTE, destination, tag, MPI_COMM_WORLD,
                      &request.handle);
        return request;
    }
    Persistent recv_init(Bytes in, int source, int tag)
    {
        Persistent request;
        MPI_Recv_init(in.data(), mpi_count(in.size()), MPI_BYTE, source, tag, MPI_COMM_WORLD,
                      &request.handle);
        return request;
    }
    void start(Persistent& request) { MPI_Start(&request.handle); }
    void start_all(std::span<Persistent> requests)
    {
        if (!requests.empty())
            MPI_Startall(mpi_count(requests.size()), &requests.front().handle);
    }
    void wait(Persistent& request) { MPI_Wait(&request.handle, MPI_STATUS_IGNORE); }
    void wait_all(std::span<Persistent> requests)
    {
        if (!requests.empty())
            MPI_Waitall(mpi_count(requests.size()), &requests.front().handle, MPI_STATUSES_IGNORE);
    }

    /// All ranks prepare the same collectives in the same order.
    Prepared prepare(const DescribedCall& call)
    {
        return {call, is_neighbourly(call.collective) ? graph(call.neighbors) : MPI_COMM_WORLD};
    }

    template <class T>
    using Window = MpiWindow<T>;
    template <class T>
    using Target = MpiTarget<T>;

    /// Collective. Throws NotOffered.
    template <class T>
    Window<T> window(WindowKind kind, std::span<T> memory)
    {
        return Window<T>(kind, memory);
    }
    template <class T>
    static void fetch_and_add(const Target<T>& target, const T& operand, T& before)
    {
        target.fetch_and_add(operand, before, 0);
    }
    template <class T>
    static void compare_and_swap(const Target<T>& target, const T& expected, const T& desired, T& before)
    {
        target.compare_and_swap(expected, desired, before, 0);
    }
    template <class T>
    static void next_of(const Target<T>& target, const T& operand, T& before)
    {
        target.fetch_and_add(operand, before, 0);
        target.flush();
    }

    using File = MpiFile;
    File open_file(const std::string& path) { return File(path); }

    void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
    void broadcast(Bytes data, int root)
    {
        MPI_Bcast(data.data(), mpi_count(data.size()), MPI_BYTE, root, MPI_COMM_WORLD);
    }
    void allgather(ConstBytes in, Bytes out)
    {
        MPI_Allgather(in.data(), mpi_count(in.size()), MPI_BYTE, out.data(), mpi_count(in.size()), MPI_BYTE,
                      MPI_COMM_WORLD);
    }

private:
    // Made by the first call that all ranks make. MPI_Finalize frees it.
    MPI_Comm graph(const NeighborRanks& neighbors)
    {
        if (graph_ == MPI_COMM_NULL)
            MPI_Dist_graph_create_adjacent(
                MPI_COMM_WORLD, mpi_count(neighbors.sources.size()), neighbors.sources.data(), MPI_UNWEIGHTED,
                mpi_count(neighbors.destinations.size()), neighbors.destinations.data(), MPI_UNWEIGHTED,
                MPI_INFO_NULL, 0, &graph_);
        return graph_;
    }

    Joined joined_;
    MPI_Comm graph_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
};

static_assert(Backend<MpiBackend>);

}  // namespace tutti::bench
