// Buffers of a type that is known at run time, against those that the compiler knows: all types and
// operators, and every call.
#include <array>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "tests/multiprocess/api/program.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test::typed_data {  // tutti::typed is what it tests

namespace {

constexpr std::size_t kCount = 1000;
constexpr Op kOps[] = {Op::sum,  Op::min,  Op::max, Op::prod, Op::land,   Op::lor,
                       Op::lxor, Op::band, Op::bor, Op::bxor, Op::minloc, Op::maxloc};

// No vector, which has no pointer to bool.
template <class T>
using Values = std::array<T, kCount>;

template <class T>
Values<T> operand(int rank)
{
    Values<T> values{};
    for (std::size_t i = 0; i < kCount; ++i) {
        const int number = (static_cast<int>(i) + 3 * rank) % 5;
        if constexpr (requires { values[i].index; })
            values[i] = {static_cast<decltype(T::value)>(number), rank};
        else
            values[i] = static_cast<T>(static_cast<float>(number));
    }
    return values;
}

void expect_refused(const std::string& words, const std::function<void()>& call)
{
    try {
        call();
    } catch (const Error& error) {
        expect(error.code() == ErrorCode::invalid_argument, error.what());
        expect(std::string(error.what()).find(words) != std::string::npos, error.what());
        return;
    }
    expect(false, "no error for " + words);
}

template <class T>
void check_operators(const Communicator& world)
{
    constexpr DataType kType = data_type_of<T>();
    const Values<T> in = operand<T>(world.rank());
    for (const Op op : kOps) {
        Values<T> expected{};
        Values<T> out{};
        if (!is_defined(op, kType)) {
            expect_refused("is not defined on", [&] {
                world.allreduce(typed(in.data(), kCount, kType), typed(out.data(), kCount, kType), op);
            });
            expect_refused("is not defined on",
                           [&] { world.iscan(typed(out.data(), kCount, kType), op).wait(); });
            expect(out == Values<T>{});
            continue;
        }
        world.allreduce(in, expected, op);
        world.allreduce(typed(in.data(), kCount, kType), typed(out.data(), kCount, kType), op);
        expect(out == expected);
        Values<T> data = in;
        world.allreduce(typed(data.data(), kCount, kType), op);
        expect(data == expected);
        world.scan(in, expected, op);
        world.iscan(typed(in.data(), kCount, kType), typed(out.data(), kCount, kType), op).wait();
        expect(out == expected);
    }
}

template <class... T>
void check_types(const Communicator& world)
{
    (check_operators<T>(world), ...);
}

/// The buffers of one call, and what it must make of them.
struct Case {
    std::vector<int> in;
    std::vector<int> out;

    const TypedBuffer<const void*> input() const { return typed(in.data(), in.size(), DataType::int32); }
    const TypedBuffer<void*> output() { return typed(out.data(), out.size(), DataType::int32); }
    /// Runs each form on an empty output: blocking, non-blocking, persistent.
    void check(const std::vector<int>& expected, const std::function<void()>& blocking,
               const std::function<Request()>& nonblocking,
               const std::function<PersistentRequest()>& persistent)
    {
        const auto check_form = [&](const std::function<void()>& form) {
            std::fill(out.begin(), out.end(), -1);
            form();
            expect(out == expected);
        };
        check_form(blocking);
        check_form([&] { nonblocking().wait(); });
        check_form([&] {
            PersistentRequest request = persistent();
            request.start();
            request.wait();
        });
    }
};

// Two elements a rank: 10 * rank and one more. Also as a ring, where each rank has itself for a neighbour if
// there is no other.
void check_collectives(const Communicator& world)
{
    const int rank = world.rank();
    const int size = world.size();
    const auto ranks = static_cast<std::size_t>(size);
    const std::vector<std::size_t> twos(ranks, 2);
    std::vector<int> all;
    for (int i = 0; i < size; ++i)
        all.insert(all.end(), {10 * i, 10 * i + 1});
    const std::vector<int> own{10 * rank, 10 * rank + 1};
    const int tens = 5 * size * (size - 1);  // of all ranks

    Case two{own, {0, 0}};
    two.check(
        {tens, tens + size}, [&] { world.allreduce(two.input(), two.output(), sum); },
        [&] { return world.iallreduce(two.input(), two.output(), sum); },
        [&] { return world.allreduce_init(two.input(), two.output(), sum); });
    const std::vector<int> at_root = rank == 0 ? std::vector{tens, tens + size} : std::vector{-1, -1};
    two.check(
        at_root, [&] { world.reduce(two.input(), two.output(), sum); },
        [&] { return world.ireduce(two.input(), two.output(), sum); },
        [&] { return world.reduce_init(two.input(), two.output(), sum); });
    const std::vector<int> below =
        rank == 0 ? std::vector{-1, -1} : std::vector{5 * rank * (rank - 1), 5 * rank * (rank - 1) + rank};
    two.check(
        below, [&] { world.exscan(two.input(), two.output(), sum); },
        [&] { return world.iexscan(two.input(), two.output(), sum); },
        [&] { return world.exscan_init(two.input(), two.output(), sum); });

    Case from_all{all, {0, 0}};
    const std::vector<int> times{size * own[0], size * own[1]};
    from_all.check(
        times, [&] { world.reduce_scatter(from_all.input(), from_all.output(), sum); },
        [&] { return world.ireduce_scatter(from_all.input(), from_all.output(), sum); },
        [&] { return world.reduce_scatter_init(from_all.input(), from_all.output(), sum); });
    from_all.check(
        times, [&] { world.reduce_scatterv(from_all.input(), from_all.output(), twos, sum); },
        [&] { return world.ireduce_scatterv(from_all.input(), from_all.output(), twos, sum); },
        [&] { return world.reduce_scatterv_init(from_all.input(), from_all.output(), twos, sum); });
    from_all.check(
        own, [&] { world.scatter(from_all.input(), from_all.output()); },
        [&] { return world.iscatter(from_all.input(), from_all.output()); },
        [&] { return world.scatter_init(from_all.input(), from_all.output()); });
    from_all.check(
        own, [&] { world.scatterv(from_all.input(), twos, from_all.output()); },
        [&] { return world.iscatterv(from_all.input(), twos, from_all.output()); },
        [&] { return world.scatterv_init(from_all.input(), twos, from_all.output()); });

    Case to_all{own, std::vector<int>(2 * ranks)};
    to_all.check(
        all, [&] { world.allgather(to_all.input(), to_all.output()); },
        [&] { return world.iallgather(to_all.input(), to_all.output()); },
        [&] { return world.allgather_init(to_all.input(), to_all.output()); });
    to_all.check(
        all, [&] { world.allgatherv(to_all.input(), to_all.output(), twos); },
        [&] { return world.iallgatherv(to_all.input(), to_all.output(), twos); },
        [&] { return world.allgatherv_init(to_all.input(), to_all.output(), twos); });
    const std::vector<int> gathered = rank == 0 ? all : std::vector<int>(2 * ranks, -1);
    to_all.check(
        gathered, [&] { world.gather(to_all.input(), to_all.output()); },
        [&] { return world.igather(to_all.input(), to_all.output()); },
        [&] { return world.gather_init(to_all.input(), to_all.output()); });
    to_all.check(
        gathered, [&] { world.gatherv(to_all.input(), to_all.output(), twos); },
        [&] { return world.igatherv(to_all.input(), to_all.output(), twos); },
        [&] { return world.gatherv_init(to_all.input(), to_all.output(), twos); });

    Case exchange{all, std::vector<int>(2 * ranks)};
    std::vector<int> blocks;
    for (int i = 0; i < size; ++i)
        blocks.insert(blocks.end(), own.begin(), own.end());
    exchange.check(
        blocks, [&] { world.alltoall(exchange.input(), exchange.output()); },
        [&] { return world.ialltoall(exchange.input(), exchange.output()); },
        [&] { return world.alltoall_init(exchange.input(), exchange.output()); });
    exchange.check(
        blocks, [&] { world.alltoallv(exchange.input(), twos, exchange.output(), twos); },
        [&] { return world.ialltoallv(exchange.input(), twos, exchange.output(), twos); },
        [&] { return world.alltoallv_init(exchange.input(), twos, exchange.output(), twos); });

    const auto ring = world.create_cartesian({size}, {true});
    const int below_rank = (rank + size - 1) % size;
    const int above_rank = (rank + 1) % size;
    Case neighbors{own, std::vector<int>(4)};
    neighbors.check(
        {10 * below_rank, 10 * below_rank + 1, 10 * above_rank, 10 * above_rank + 1},
        [&] { ring->neighbor_allgather(neighbors.input(), neighbors.output()); },
        [&] { return ring->ineighbor_allgather(neighbors.input(), neighbors.output()); },
        [&] { return ring->neighbor_allgather_init(neighbors.input(), neighbors.output()); });

    for (int form = 0; form < 3; ++form) {
        std::vector<int> data = rank == 0 ? std::vector{5, 6, 7} : std::vector{0, 0, 0};
        const auto buffer = typed(data.data(), 3, DataType::int32);
        if (form == 0) {
            world.broadcast(buffer);
        } else if (form == 1) {
            world.ibroadcast(buffer).wait();
        } else {
            PersistentRequest request = world.broadcast_init(buffer);
            request.start();
            request.wait();
        }
        expect(data == std::vector{5, 6, 7});
    }
}

void check_messages(const Communicator& world)
{
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    const Values<double> out = operand<double>(world.rank());
    Values<double> in{};
    const auto sent = typed(out.data(), kCount, DataType::float64);
    const auto received = typed(in.data(), kCount, DataType::float64);
    const auto check = [&](const Status& status) {
        expect(in == operand<double>(left));
        expect(status.source == left && status.size_bytes == kCount * sizeof(double));
        std::fill(in.begin(), in.end(), 0.0);
    };
    check(world.sendrecv(sent, right, 1, received, left, 1));
    {
        // Borrowed, also of an rvalue: a plain Request.
        Request receive = world.irecv(typed(in.data(), kCount, DataType::float64), left);
        Request send = world.isend(typed(out.data(), kCount, DataType::float64), right);
        send.wait();
        check(receive.wait());
    }
    {
        PersistentRequest receive = world.recv_init(typed(in.data(), kCount, DataType::float64), left);
        PersistentRequest send = world.send_init(typed(out.data(), kCount, DataType::float64), right);
        receive.start();
        send.start();
        send.wait();
        check(receive.wait());
    }
    Request send = world.issend(sent, right);
    check(world.mprobe(left).recv(received));
    send.wait();
}

void check_refusals(const Communicator& world)
{
    std::vector<int> data(10);
    expect_refused("63 is no tutti::DataType", [&] { typed(data.data(), 10, static_cast<DataType>(63)); });
    const auto ints = typed(data.data(), 10, DataType::int32);
    const auto others = typed(data.data() + 5, 5, DataType::float32);
    expect_refused("elements of int32, the output of float32", [&] { world.allreduce(ints, others, sum); });
    expect_refused("elements of int32, the output of float32", [&] { world.allgather(ints, others); });
    expect_refused("input has 2 elements, output 5",
                   [&] { world.allreduce(typed(data.data(), 2, DataType::float32), others, sum); });
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    check_types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                std::uint32_t, std::uint64_t, float16, bfloat16, float, double, long double,
                std::complex<float>, std::complex<double>, ValueIndex<int, std::int32_t>, ValueIndex<double>,
                ValueIndex<long double, std::int32_t>>(world);
    check_collectives(world);
    check_messages(world);
    check_refusals(world);
    return 0;
}

const Program program("typed", run_program);

}  // namespace tutti::test::typed_data
