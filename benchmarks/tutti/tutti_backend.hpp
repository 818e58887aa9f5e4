// The benchmarks' backend over Tutti's own C++ interface.
#pragma once

#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/library/joined.hpp"
#include "benchmarks/tutti/tutti_collective.hpp"
#include "benchmarks/tutti/tutti_file.hpp"
#include "tutti/map_reduce.hpp"
#include "tutti/sparse_table.hpp"
#include "tutti/tutti.hpp"

namespace tutti::bench {

class TuttiBackend {
public:
    using Request = tutti::Request;
    using Persistent = tutti::PersistentRequest;
    using Prepared = TuttiCollective;
    static constexpr int kAnySource = tutti::any_source;

    struct Reduction {
        Op op;
        DataType type;

        void operator()(ConstBytes in, Bytes inout) const
        {
            reduce_local(in.data(), inout.data(), in.size() / size_bytes(type), type, op);
        }
    };
    static std::optional<Reduction> reduction(Op op, DataType type)
    {
        if (!is_defined(op, type))
            return std::nullopt;
        return Reduction{op, type};
    }

    explicit TuttiBackend(Communicator communicator, Joined joined = {})
        : communicator_(std::move(communicator)), joined_(joined)
    {
    }

    static Memory memory()
    {
        return {[](std::size_t size_bytes) { return tutti::allocate(size_bytes); },
                [](void* memory) { tutti::deallocate(memory); }};
    }
    static std::string library() { return "Tutti " TUTTI_BENCH_VERSION; }

    int rank() const { return communicator_.rank(); }
    int size() const { return communicator_.size(); }
    const Joined& joined() const { return joined_; }

    void send(ConstBytes out, int destination, int tag) { communicator_.send(out, destination, tag); }
    void recv(Bytes in, int source, int tag) { communicator_.recv(in, source, tag); }
    // The span is a named variable, hence borrowed: nothing is moved into the request.
    Request isend(ConstBytes out, int destination, int tag)
    {
        return communicator_.isend(out, destination, tag);
    }
    Request irecv(Bytes in, int source, int tag) { return communicator_.irecv(in, source, tag); }
    void wait(Request& request) { request.wait(); }
    bool test(Request& request) { return request.test(); }
    bool iprobe(int source, int tag) { return communicator_.iprobe(source, tag).has_value(); }
    bool improbe_recv(Bytes in, int source, int tag)
    {
        std::optional<Message> message = communicator_.improbe(source, tag);
        if (message)
            message->recv(in);
        return message.has_value();
    }
    void wait_all(std::span<Request> requests) { tutti::wait_all(requests); }

    Persistent send_init(ConstBytes out, int destination, int tag)
    {
        return communicator_.send_init(out, destination, tag);
    }
    Persistent recv_init(Bytes in, int source, int tag) { return communicator_.recv_init(in, source, tag); }
    void start(Persistent& request) { request.start(); }
    void start_all(std::span<Persistent> requests) { tutti::start_all(requests); }
    void wait(Persistent& request) { request.wait(); }
    void wait_all(std::span<Persistent> requests) { tutti::wait_all(requests); }

    /// All ranks prepare the same collectives in the same order.
    Prepared prepare(const DescribedCall& call)
    {
        if (is_neighbourly(call.collective) && !graph_)
            graph_ = communicator_.create_graph(call.neighbors.sources, call.neighbors.destinations);
        return {call, communicator_, graph_};
    }

    template <class T>
    using Window = tutti::Window<T>;
    template <class T>
    using Target = tutti::WindowTarget<T>;

    /// Collective. Throws NotOffered.
    template <class T>
    Window<T> window(WindowKind kind, std::span<T> memory)
    {
        switch (kind) {
            case WindowKind::create:
                return Window<T>(communicator_, memory);
            case WindowKind::shared:
                return Window<T>::shared(communicator_, memory.size());
            case WindowKind::dynamic:
                throw NotOffered("windows without memory are of its MPI interface only");
            case WindowKind::allocate:
                break;
        }
        return Window<T>(communicator_, memory.size());
    }
    template <class T>
    static void fetch_and_add(const Target<T>& target, const T& operand, T& before)
    {
        before = target.fetch_and_op(operand, 0, tutti::sum);
    }
    template <class T>
    static void compare_and_swap(const Target<T>& target, const T& expected, const T& desired, T& before)
    {
        before = target.compare_and_swap(expected, desired, 0);
    }
    template <class T>
    static void next_of(const Target<T>& target, const T& operand, T& before)
    {
        fetch_and_add(target, operand, before);
    }

    /// Collective: rows of floats that all ranks own, all 0.
    tutti::Table<float> table(std::size_t rows, std::size_t width)
    {
        return tutti::Table<float>(communicator_, rows, width);
    }
    /// Collective: the same by keys; none has a row yet.
    tutti::SparseTable<float> sparse_table(std::size_t width)
    {
        return tutti::SparseTable<float>(communicator_, width);
    }
    /// Collective: how often each key was emitted by map(piece, emit), for the keys of this rank. Rank r maps
    /// the pieces r, r + size() ...
    template <class Map>
    std::vector<std::pair<std::string, std::uint64_t>> map_reduce(int pieces, Map map)
    {
        return tutti::map_reduce<std::string, std::uint64_t>(communicator_, std::views::iota(0, pieces), map,
                                                             tutti::sum)
            .take();
    }

    using File = TuttiFile;
    File open_file(const std::string& path) { return File(communicator_, path); }

    void barrier() { communicator_.barrier(); }
    void broadcast(Bytes data, int root) { communicator_.broadcast(data, {.root = root}); }
    void allgather(ConstBytes in, Bytes out) { communicator_.allgather(in, out); }

private:
    Communicator communicator_;
    Joined joined_;
    std::optional<GraphCommunicator> graph_;  // made by the first call that all ranks make
};

static_assert(Backend<TuttiBackend>);

}  // namespace tutti::bench
