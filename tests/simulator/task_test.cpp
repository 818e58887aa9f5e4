#include "collectives/framework/task.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <thread>

#include "collectives/framework/group.hpp"

namespace tutti::collectives {

namespace {

/// Receives that end when the test says so.
class ManualGroup final : public Group {
public:
    ManualGroup() : Group(0, 2, {}) {}

    Operation send(int, std::span<const std::byte>) override { return Operation(); }
    Operation send_parts(int, Parts) override { return Operation(); }
    Operation recv(int, std::span<std::byte>) override { return Operation(states.emplace_back(*this)); }
    Operation recv_reduce(int, const std::byte*, Buffer, ReduceOp, Side) override { return recv(0, {}); }

    std::deque<OperationState> states;
    int released = 0;
    int released_unfinished = 0;

protected:
    void release(OperationState& state) noexcept override
    {
        ++released;
        released_unfinished += state.done() ? 0 : 1;
    }
    void raise(const OperationState& state) const override { throw Error(state.result(), "recv", "failed"); }
};

struct Counter {
    int value = 0;
    static void increment(void* context) noexcept { ++static_cast<Counter*>(context)->value; }
};

Task nothing()
{
    co_return;
}

Task fail()
{
    throw std::runtime_error("inner");
    co_return;
}

Task wait_once(ManualGroup& group, int& steps)
{
    ++steps;
    Operation received = group.recv(1, {});
    co_await received;
    ++steps;
}

Task wait_twice(ManualGroup& group, int& steps)
{
    Task first = wait_once(group, steps);
    co_await first;
    Task second = wait_once(group, steps);
    co_await second;
}

Task wait_for_three(ManualGroup& group, bool& ended)
{
    Operation first = group.recv(1, {});
    Operation second = group.recv(1, {});
    co_await when_all(std::move(first), group.send(1, {}), std::move(second));
    co_await group.exchange(1, {}, 1, {});
    ended = true;
}

Task wait_for_list(ManualGroup& group, int count, bool& ended)
{
    OperationList list;
    for (int i = 0; i < count; ++i) {
        list.add(group.recv(1, {}));
        list.add(group.send(1, {}));
    }
    co_await when_all(std::move(list));
    ended = true;
}

Task loop(int times)
{
    for (int i = 0; i < times; ++i) {
        Task inner = nothing();
        co_await inner;
    }
}

Task catch_inner(bool& caught)
{
    Task inner = fail();
    try {
        co_await inner;
    } catch (const std::runtime_error&) {
        caught = true;
    }
}

Task pass_on()
{
    Task inner = fail();
    co_await inner;
}

}  // namespace

TEST_CASE("a task is lazy, ends at once when nothing waits, and tells its hook once")
{
    Counter ended;
    Task task = nothing();
    CHECK(!task.done());
    CHECK(ended.value == 0);
    task.start({Counter::increment, &ended});
    CHECK(task.done());
    CHECK(ended.value == 1);
    CHECK_NOTHROW(task.rethrow());
    CHECK(!Task().done());
}

TEST_CASE("a task stops at each wait and goes on when the operation completes")
{
    ManualGroup group;
    Counter ended;
    int steps = 0;
    Task task = wait_twice(group, steps);
    CHECK(steps == 0);
    task.start({Counter::increment, &ended});
    CHECK(steps == 1);
    group.states[0].complete();
    CHECK(steps == 3);
    CHECK(!task.done());
    Task moved = std::move(task);
    const std::coroutine_handle<> rest = group.states[1].mark_complete();
    CHECK(steps == 3);
    rest.resume();
    CHECK(steps == 4);
    CHECK(moved.done());
    CHECK(ended.value == 1);
    CHECK(group.released == 2);
    CHECK(group.released_unfinished == 0);
}

TEST_CASE("when_all waits for the last, in whatever order they end")
{
    ManualGroup group;
    bool ended = false;
    Task task = wait_for_three(group, ended);
    task.start();
    REQUIRE(group.states.size() == 2);
    group.states[1].complete();
    REQUIRE(group.states.size() == 2);
    group.states[0].complete();
    REQUIRE(group.states.size() == 3);
    CHECK(!ended);
    group.states[2].complete();
    CHECK(ended);
    CHECK(group.released == 3);
}

TEST_CASE("a list of operations, none and many")
{
    for (const int count : {0, 1, 100}) {
        ManualGroup group;
        bool ended = false;
        Task task = wait_for_list(group, count, ended);
        task.start();
        REQUIRE(group.states.size() == static_cast<std::size_t>(count));
        for (OperationState& state : group.states) {
            CHECK(!ended);
            state.complete();
        }
        CHECK(ended);
        CHECK(group.released == count);
    }
}

TEST_CASE("when_all waits for all before it throws the first error")
{
    ManualGroup group;
    bool ended = false;
    Task task = wait_for_three(group, ended);
    task.start();
    group.states[1].complete(ErrorCode::truncated);
    CHECK(!task.done());
    group.states[0].complete(ErrorCode::peer_lost);
    REQUIRE(task.done());
    CHECK(!ended);
    CHECK(group.released == 2);
    try {
        task.rethrow();
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::peer_lost);
    }
}

TEST_CASE("exceptions reach whoever awaits, and at last the driver")
{
    bool caught = false;
    Task catching = catch_inner(caught);
    catching.start();
    CHECK(caught);
    CHECK_NOTHROW(catching.rethrow());

    Counter ended;
    Task passing = pass_on();
    passing.start({Counter::increment, &ended});
    CHECK(ended.value == 1);
    CHECK_THROWS_AS(passing.rethrow(), std::runtime_error);
}

TEST_CASE("destroying a waiting task hands its operations back unfinished")
{
    ManualGroup group;
    int steps = 0;
    {
        Task task = wait_twice(group, steps);
        task.start();
    }
    CHECK(steps == 1);
    CHECK(group.released == 1);
    CHECK(group.released_unfinished == 1);
}

TEST_CASE("a hook may destroy its task")
{
    struct Owner {
        Task task;
        static void end(void* context) noexcept { static_cast<Owner*>(context)->task = Task(); }
    };
    ManualGroup group;
    int steps = 0;
    Owner waits{wait_once(group, steps)};
    waits.task.start({Owner::end, &waits});
    CHECK(!waits.task.done());
    group.states[0].complete();
    CHECK(steps == 2);
    CHECK(group.released == 1);

    Owner at_once{nothing()};
    at_once.task.start({Owner::end, &at_once});
    CHECK(!at_once.task.done());
}

TEST_CASE("a long loop over tasks that never wait takes no stack")
{
    Task task = loop(1000000);
    task.start();
    CHECK(task.done());
}

TEST_CASE("frames are reused, on whichever thread they are freed")
{
    {
        Task warm_up = loop(1);
    }
    const std::size_t before = pool::cached_bytes();
    REQUIRE(before > 0);
    {
        Task reuses = loop(1);
        CHECK(pool::cached_bytes() < before);
    }
    CHECK(pool::cached_bytes() == before);

    Task travels = loop(10);
    const std::size_t without = pool::cached_bytes();
    std::thread([&travels] {
        const Task own = std::move(travels);
        CHECK(pool::cached_bytes() == 0);
    }).join();
    CHECK(pool::cached_bytes() == without);
}

namespace {

void check_scratch()
{
    std::size_t in_use = 0;
    std::byte* first = nullptr;
    {
        const Scratch scratch(100000);
        first = scratch.data();
        CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
        CHECK(scratch.bytes().size() == 100000);
        scratch.data()[99999] = std::byte{1};
        in_use = pool::cached_bytes();
    }
    CHECK(pool::cached_bytes() == in_use + (1 << 17));
    Scratch again(120000);
    CHECK(again.data() == first);
    Scratch moved = std::move(again);
    CHECK(again.data() == nullptr);
    CHECK(moved.data() == first);
    CHECK(Scratch(0).data() != nullptr);
    {
        std::deque<Scratch> many;
        for (int i = 0; i < 100; ++i) {
            many.emplace_back(1 << 20);
        }
        const Scratch huge(100 << 20);
    }
    CHECK(pool::cached_bytes() <= 40u << 20);
}

}  // namespace

TEST_CASE("scratch memory is aligned, reused, and bounded")
{
    // A thread of its own has a pool of its own, in which other tests have left nothing.
    std::thread(check_scratch).join();
}

namespace {

std::atomic<int> large_blocks = 0;
std::atomic<bool> has_large_blocks = true;

void* allocate_large(std::size_t size_bytes) noexcept
{
    if (!has_large_blocks)
        return nullptr;
    ++large_blocks;
    return std::aligned_alloc(64, size_bytes);
}

void release_large(void* block) noexcept
{
    --large_blocks;
    std::free(block);
}

// From now on, for the whole program.
constexpr pool::LargeBlocks kCounted = {allocate_large, release_large};

void check_large_blocks()
{
    pool::set_large_blocks(kCounted);
    {
        const Scratch small(pool::kMappedFromBytes / 2);
        CHECK(large_blocks == 0);
        const Scratch large(pool::kMappedFromBytes);
        CHECK(large_blocks == 1);
        const Scratch largest(std::size_t{16} << 20);
        CHECK(large_blocks == 2);
        const Scratch huge(std::size_t{100} << 20);
        CHECK(large_blocks == 2);
    }
    CHECK(large_blocks == 2);  // both are kept
    const Scratch again(pool::kMappedFromBytes);
    CHECK(large_blocks == 2);
    has_large_blocks = false;
    const Scratch otherwise(pool::kMappedFromBytes);
    CHECK(otherwise.data() != nullptr);
    CHECK(large_blocks == 2);
    has_large_blocks = true;
    ++large_blocks;  // it goes back there all the same
}

}  // namespace

TEST_CASE("scratch memory in which a failed call has left something under way is never used again")
{
    std::thread([] {
        std::byte* given_up = nullptr;
        {
            const Scratch scratch(pool::kMappedFromBytes - 100);
            given_up = scratch.data();
            REQUIRE(pool::retire(given_up + 5000));
        }
        CHECK(pool::cached_bytes() == 0);
        {
            const Scratch other(pool::kMappedFromBytes);
            CHECK(other.data() != given_up);
        }
        CHECK(pool::cached_bytes() == pool::kMappedFromBytes);
        given_up[5000] = std::byte{1};
        std::free(given_up);
    }).join();
}

TEST_CASE("large scratch memory comes from where it is said, or from the C library where that has none")
{
    std::thread(check_large_blocks).join();
    CHECK(large_blocks == 0);
}

}  // namespace tutti::collectives
