// What the benchmarks themselves cost: their loops over a library whose operations do nothing, and calls of
// Tutti through what they are prepared as, beside plain ones. The figures are printed; a loaded machine and
// sanitizers allow no more than loose bounds on them.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "benchmarks/suite/suite.hpp"
#include "benchmarks/tutti/tutti_collective.hpp"

using namespace tutti;
using namespace tutti::bench;

namespace {

// One of two ranks; the other is never heard of.
struct NothingBackend {
    struct Request {
        void* nothing = nullptr;
    };
    using Persistent = Request;
    struct Prepared {
        void run() { asm volatile("" : : : "memory"); }
        Request start() { return {}; }
        Persistent persistent() { return {}; }
    };
    struct Reduction {
        void operator()(ConstBytes, Bytes) const {}
    };
    template <class T>
    struct Target {
    };
    template <class T>
    struct Window {
    };
    static constexpr int kAnySource = -1;

    static std::string library() { return "nothing"; }
    static Memory memory() { return kOrdinaryMemory; }
    static std::optional<Reduction> reduction(Op, DataType) { return Reduction{}; }
    int rank() const { return 0; }
    int size() const { return 2; }
    Joined joined() const { return {}; }
    void send(ConstBytes, int, int) { asm volatile("" : : : "memory"); }
    void recv(Bytes, int, int) { asm volatile("" : : : "memory"); }
    Request isend(ConstBytes, int, int) { return {}; }
    Request irecv(Bytes, int, int) { return {}; }
    Persistent send_init(ConstBytes, int, int) { return {}; }
    Persistent recv_init(Bytes, int, int) { return {}; }
    void start(Request&) { asm volatile("" : : : "memory"); }
    void start_all(std::span<Request>) { asm volatile("" : : : "memory"); }
    void wait(Request&) { asm volatile("" : : : "memory"); }
    void wait_all(std::span<Request>) { asm volatile("" : : : "memory"); }
    bool test(Request&) { return true; }
    bool iprobe(int, int) { return true; }
    bool improbe_recv(Bytes, int, int) { return true; }
    void barrier() {}
    void broadcast(Bytes, int) {}
    void allgather(ConstBytes in, Bytes out) { std::memcpy(out.data(), in.data(), in.size()); }
    Prepared prepare(const DescribedCall&) { return {}; }
    template <class T>
    Window<T> window(WindowKind, std::span<T>)
    {
        return {};
    }
    template <class T>
    static void fetch_and_add(Target<T>&, T, T&)
    {
    }
    template <class T>
    static void compare_and_swap(Target<T>&, T, T, T&)
    {
    }
    template <class T>
    static void next_of(Target<T>&, T, T&)
    {
    }
};
static_assert(Backend<NothingBackend>);

// Of an iteration, in ns; the engine's own cost is taken off already.
template <class Loops>
double median_ns(const char* benchmark, Loops loops)
{
    const std::array words{"tutti-bench", benchmark, "-m",  "8:8",     "-i",
                           "20000",       "-x",      "100", "--start", "barrier"};
    // Only collectives have a choice of starts.
    const int count = find_benchmark(benchmark)->collective ? 10 : 8;
    const SuiteCommandLine command = parse_command_line(count, words.data(), false);
    REQUIRE(command.message.empty());
    NothingBackend job;
    Session<NothingBackend> session(job, command.options);
    const Series series = loops(session);
    return 1000.0 * median(series.values());
}

}  // namespace

TEST_CASE("loops over operations that do nothing take nothing", "[benchmarks]")
{
    const double ping_pong_ns = median_ns("latency", [](Session<NothingBackend>& session) {
        Buffers buffers(8);
        const Partner partner = other_of_two(session.job());
        return session.sampler().iterations(Over::root, Start::free, [&] {
            ping_pong(session.job(), partner, buffers.out.bytes(8), buffers.in.bytes(8));
        });
    });
    const double window_ns = median_ns("bw", [](Session<NothingBackend>& session) {
        Buffers buffers(8);
        MessageWindow<NothingBackend> window(64);
        const Partner partner = other_of_two(session.job());
        return session.sampler().iterations(Over::root, Start::free, [&] {
            one_way_window(session.job(), partner, buffers.out.bytes(8), buffers.in.bytes(8), window);
        });
    });
    const double collective_ns = median_ns("allreduce", [](Session<NothingBackend>& session) {
        Buffers buffers(8);
        CollectiveStep<NothingBackend> step(session, buffers, 8);
        return session.sampler().iterations(Over::root, Start::barrier, [&] { step.run(); });
    });
    fmt::print(
        "own cost: {:.1f} ns of a ping-pong, {:.2f} ns of a message in a window, {:.1f} ns of a collective\n",
        ping_pong_ns, window_ns / 64.0, collective_ns);
    for (const double own_ns : {ping_pong_ns, window_ns / 64.0, collective_ns})
        CHECK(own_ns < 1000.0);
}

TEST_CASE("a prepared call costs what the plain one does", "[benchmarks]")
{
    double plain_ns = 1e9;
    double prepared_ns = 1e9;
    run_threads(1, [&](Environment& environment) {
        constexpr int kCalls = 20'000;
        const Communicator world = environment.world();
        std::vector<float> terms(2, 1.0f);
        std::vector<float> sums(2);
        const std::span<const float> in(terms);
        const std::span<float> out(sums);
        TuttiCollective prepared({.collective = Collective::allreduce,
                                  .type = DataType::float32,
                                  .in = reinterpret_cast<std::byte*>(terms.data()),
                                  .out = reinterpret_cast<std::byte*>(sums.data()),
                                  .count = 2},
                                 world, {});
        const auto fastest_ns = [](double& fastest, auto call) {
            const double begin = now_us();
            for (int i = 0; i < kCalls; ++i)
                call();
            fastest = std::min(fastest, 1000.0 * (now_us() - begin) / kCalls);
        };
        for (int turn = 0; turn < 10; ++turn) {
            fastest_ns(plain_ns, [&] { world.allreduce(in, out, tutti::sum); });
            fastest_ns(prepared_ns, [&] { prepared.run(); });
        }
    });
    fmt::print("own cost: an allreduce of one rank takes {:.1f} ns, prepared {:.1f} ns\n", plain_ns,
               prepared_ns);
    CHECK(prepared_ns < plain_ns + 1000.0);
}
