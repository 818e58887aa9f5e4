// How calls are told apart: signatures, the marks of messages, the history, and what other ranks say of
// theirs, whatever bytes they send.
#include <catch2/catch.hpp>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/core/communicators/call_history.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/diagnosis/call_diagnosis.hpp"
#include "lib/core/job/make_process.hpp"
#include "lib/core/process/process.hpp"
#include "lib/engine/bootstrap/singleton.hpp"
#include "lib/foundation/reduction/reduce_op.hpp"
#include "tutti/tutti.hpp"

using namespace tutti::detail;
using Catch::Matchers::Contains;
using tutti::DataType;
using tutti::ErrorCode;
using tutti::Op;
using tutti::collectives::Call;
using tutti::collectives::CallKind;
using tutti::protocol::FrameKind;
using tutti::protocol::Lead;
using tutti::reduction::ReduceOp;

namespace {

const std::uint16_t kSum = ReduceOp(Op::sum, DataType::float32).identity();

CallSignature signature(const Call& call, bool on_board = false)
{
    return CallSignature(call, on_board);
}

// To the state behind a communicator.
struct Opened : tutti::Communicator {
    explicit Opened(const tutti::Communicator& communicator) : Communicator(communicator) {}
    // As if it had made all calls up to `number`.
    void skip_to(std::uint32_t number) const
    {
        while (state_->next_number() != number)
            state_->next_collective();
    }
};

constexpr std::uint32_t kNumbers = CallMark::kNumberMask + 1;

// A job of this rank alone, whose world has made ten barriers.
struct Alone {
    Alone() : process(tutti::detail::make_process(tutti::bootstrap::make_singleton(), {}))
    {
        for (std::uint32_t number = 0; number < 10; ++number)
            world().note_call(world().next_collective(), barrier);
    }
    CommunicatorState& world() { return *process->world(); }
    void hear(const CallHeader& header)
    {
        process->protocol().frame(0, tutti::protocol::bytes_of(header), {});
    }

    const CallSignature barrier = signature({.kind = CallKind::barrier});
    const std::shared_ptr<Process> process;
};

CallHeader header(FrameKind kind, std::uint32_t rank, std::uint32_t number, const CallSignature& call,
                  std::uint64_t context = 1)
{
    return {Lead::of(kind, context), rank, number, call.words()};
}

}  // namespace

TEST_CASE("a signature in words")
{
    CHECK(signature({CallKind::reduce, 1, 20, kSum}).describe() ==
          "reduce with root 1 of 20 bytes, sum of float32");
    CHECK(signature({.kind = CallKind::barrier}).describe() == "barrier");
    CHECK(signature({CallKind::broadcast, 0, 0}).describe() == "broadcast with root 0 of 0 bytes");
    CHECK(signature({CallKind::gatherv, 8'000'000}).describe() == "gatherv with root 8000000");
    const ReduceOp users(static_cast<tutti::reduction::Kernel>(nullptr), false);
    CHECK_THAT(signature({CallKind::scan, -1, 8, users.identity()}).describe(), Contains("does not commute"));
    CHECK(signature({CallKind::broadcast, 8'000'000, 9, 0, {6, 65536}}).describe() ==
          "broadcast with root 8000000 of 9 bytes");
    CHECK(signature({CallKind::broadcast, 8'000'000, 9, 0, {6, 65536}}).describe_with_algorithm() ==
          "broadcast with root 8000000 of 9 bytes, by chain in segments of 64 KiB");
    CHECK(signature({.kind = CallKind::barrier, .algorithm = {1}}).describe_with_algorithm() ==
          "barrier, by flat");
    CHECK(signature({.kind = CallKind::barrier, .algorithm = {6}, .steps = ~0u}).describe_with_algorithm() ==
          "barrier, by hierarchical");
    CHECK(signature({.kind = CallKind::split}).describe_with_algorithm() ==
          signature({.kind = CallKind::split}).describe());
    CHECK(CallSignature().describe() == "a collective without a name");
}

TEST_CASE("signatures differ where calls do")
{
    const Call call{CallKind::reduce, 1, 20, kSum};
    for (const Call& other :
         {Call{CallKind::allreduce, 1, 20, kSum}, Call{CallKind::reduce, 2, 20, kSum},
          Call{CallKind::reduce, 1, 20 + (std::size_t{1} << 40), kSum},
          Call{CallKind::reduce, 1, 20, ReduceOp(Op::sum, DataType::int32).identity()},
          Call{CallKind::reduce, 1, 20, ReduceOp(Op::max, DataType::float32).identity()},
          Call{CallKind::reduce, 1, 20, kSum, {1}}, Call{CallKind::reduce, 1, 20, kSum, {5, 4096}},
          Call{CallKind::reduce, 1, 20, kSum, {5, 65536}}, Call{CallKind::reduce, 1, 20, kSum, {7}, 1},
          Call{CallKind::reduce, 1, 20, kSum, {7}, 2}}) {
        CHECK_FALSE(signature(call) == signature(other));
        CHECK_FALSE(CallMark(7, signature(call)) == CallMark(7, signature(other)));
    }
    CHECK_FALSE(signature(call) == signature(call, true));
    CHECK(signature(call) == signature(call));
}

TEST_CASE("marks differ wherever algorithms do, and tell which it is")
{
    for (const std::size_t size_bytes : {0u, 8u, 20u, 4096u}) {
        for (std::uint8_t mine = 1; mine <= 8; ++mine) {
            for (std::uint8_t theirs = 1; theirs <= 8; ++theirs) {
                const CallSignature one = signature({CallKind::allreduce, -1, size_bytes, kSum, {mine}});
                const CallSignature other = signature({CallKind::allreduce, -1, size_bytes, kSum, {theirs}});
                const CallMark mark(7, other);
                CHECK((CallMark(7, one) == mark) == (mine == theirs));
                CHECK(mark.algorithm_beside(one) == theirs);
            }
        }
    }
    const CallSignature reduce = signature({CallKind::reduce, 1, 20, kSum, {2}});
    CHECK(CallMark(7, signature({CallKind::broadcast, 1, 20, 0, {2}})).algorithm_beside(reduce) == 0);
    CHECK(CallMark(7, signature({CallKind::reduce, 2, 20, kSum, {2}})).algorithm_beside(reduce) == 0);
}

TEST_CASE("an error names both algorithms where nothing else differs, and else both calls")
{
    const CallSignature ring = signature({CallKind::allreduce, -1, 8, kSum, {7}});
    const CallSignature flat = signature({CallKind::allreduce, -1, 8, kSum, {1}});
    const std::string algorithms = mismatch(ring, 3, flat).what();
    CHECK_THAT(algorithms,
               Contains("this rank calls allreduce of 8 bytes, sum of float32, by ring, rank 3 of "
                        "the communicator allreduce of 8 bytes, sum of float32, by flat"));
    CHECK_THAT(algorithms, Contains("set the same TUTTI_ variables at all ranks"));
    CHECK_THAT(mismatch(ring, 3, signature({CallKind::allreduce, -1, 9, kSum, {1}})).what(),
               Contains("of 8 bytes, sum of float32, rank 3 of the communicator allreduce of 9 bytes, sum of "
                        "float32: all ranks must call"));
    const auto by_nodes = [](std::uint32_t steps) {
        return signature({.kind = CallKind::barrier, .algorithm = {6}, .steps = steps});
    };
    CHECK_THAT(
        mismatch(by_nodes(1), 3, by_nodes(2)).what(),
        Contains("barrier, by hierarchical, but chooses the algorithms of its steps otherwise than this "
                 "rank, which goes by no TUTTI_ variable"));
}

TEST_CASE("any bytes have a description")
{
    std::mt19937_64 random(3);
    for (int i = 0; i < 10'000; ++i) {
        const CallSignature any({random(), random()});
        CHECK_FALSE(any.describe().empty());
        CHECK_FALSE(any.describe_with_algorithm().empty());
        CHECK(CallMark(1, any).algorithm_beside(any) <= 31);
    }
}

TEST_CASE("marks hold number, kind and rank, and are no wildcards")
{
    const CallSignature call = signature({CallKind::share_memory, -1, 77});
    for (const std::uint32_t number : {0u, 1u, 1'048'575u, 1'048'576u, ~0u}) {
        const CallMark mark(number, call);
        CHECK(mark.number() == number % 1'048'576);
        CHECK(mark.kind() == CallKind::share_memory);
        CHECK(mark.tag >= 0);
        CHECK(mark.tag < CommunicatorState::kCreateTags);
        for (const int rank : {0, 5, (1 << 23) - 1}) {
            const int source = rank | mark.above_rank;
            CHECK(source >= 0);
            CHECK(CallMark::rank_of(source) == rank);
            CHECK(CallMark::of(source, mark.tag) == mark);
        }
    }
}

TEST_CASE("the history knows the last calls, and no others")
{
    CallHistory history;
    CHECK(history.find(0) == nullptr);
    for (std::uint32_t number = ~0u - 300; number != 300; ++number)
        history.note(number, signature({CallKind::broadcast, 0, number}));
    CHECK(history.find(300) == nullptr);
    CHECK(history.find(299 - CallHistory::kKept) == nullptr);
    for (std::uint32_t back = 0; back < CallHistory::kKept; ++back)
        CHECK(history.find(299 - back)->words()[0] == 299 - back);
}

TEST_CASE("the whole number that a mark stands for is the nearest to the next")
{
    Alone alone;
    CHECK(alone.world().whole_number(9) == 9);
    CHECK(alone.world().whole_number(10) == 10);
    CHECK(alone.world().whole_number(500'000) == 500'000);
    CHECK(alone.world().whole_number(1'048'575) == ~0u);  // long ago: before the first
}

TEST_CASE("what another rank says of its call")
{
    const FrameKind kind = GENERATE(FrameKind::call_inquiry, FrameKind::call_differs);
    Alone alone;
    const CallSignature other = signature({CallKind::gather, 3, 40});
    alone.hear(header(kind, 0, 5, alone.barrier));  // the same
    alone.hear(header(kind, 0, 10, other));         // not made yet
    alone.hear(header(kind, 0, ~0u, other));
    alone.hear(header(kind, 0, 5, other, 2));  // no collectives' context, or of no communicator here
    alone.hear(header(kind, 0, 5, other, 0xffff'ffff'ffff));
    try {
        alone.hear(header(kind, 0, 5, other));
        FAIL("not noticed");
    } catch (const tutti::Error& error) {
        CHECK(error.code() == ErrorCode::invalid_argument);
        CHECK_THAT(error.what(), Contains("this rank calls barrier, rank 0 of the communicator gather with "
                                          "root 3 of 40 bytes"));
    }
}

TEST_CASE("a rank that speaks for another, or for one that there is not")
{
    Alone alone;
    for (const std::uint32_t rank : {1u, 77u, ~0u}) {
        try {
            alone.hear(header(FrameKind::call_inquiry, rank, 5, alone.barrier));
            FAIL("not noticed");
        } catch (const tutti::Error& error) {
            CHECK(error.code() == ErrorCode::protocol);
            CHECK(error.peer() == 0);
        }
    }
}

TEST_CASE("random words of other ranks never do more than throw")
{
    Alone alone;
    std::mt19937_64 random(5);
    for (int i = 0; i < 20'000; ++i) {
        CallHeader any{Lead::of(i % 2 == 0 ? FrameKind::call_inquiry : FrameKind::call_differs, random() % 4),
                       static_cast<std::uint32_t>(random() % 2),
                       static_cast<std::uint32_t>(random() % 16),
                       {random(), random()}};
        try {
            alone.hear(any);
        } catch (const tutti::Error& error) {
            CHECK((error.code() == ErrorCode::protocol || error.code() == ErrorCode::invalid_argument));
        }
    }
}

TEST_CASE("the numbers of calls begin again")
{
    REQUIRE_NOTHROW(tutti::run_threads(2, [](tutti::Environment& environment) {
        const Opened world(environment.world());
        const int rank = world.rank();
        world.skip_to(kNumbers - 500);
        std::vector<int> data(1000);
        std::vector<tutti::Request> requests;
        for (int i = 0; i < 1000; ++i) {
            data[static_cast<std::size_t>(i)] = rank == 0 ? i : -1;
            requests.push_back(world.ibroadcast(data[static_cast<std::size_t>(i)]));
        }
        tutti::wait_all(requests);
        for (int i = 0; i < 1000; ++i) {
            if (data[static_cast<std::size_t>(i)] != i)
                throw std::runtime_error("wrong data");
        }
    }));
}

TEST_CASE("a number is not used again while its first call is under way")
{
    try {
        tutti::run_threads(2, [](tutti::Environment& environment) {
            const Opened world(environment.world());
            if (world.rank() == 1) {
                int never = 0;
                world.recv(never, 0, 3);
            }
            tutti::Request under_way = world.ibarrier();
            world.skip_to(kNumbers / 2 + 10);
            world.skip_to(kNumbers + 10);
        });
        FAIL("not noticed");
    } catch (const tutti::Error& error) {
        CHECK(error.code() == ErrorCode::not_supported);
        CHECK_THAT(error.what(), Contains("still under way after 524288 later ones"));
    }
}
