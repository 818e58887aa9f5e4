// The simulator itself: its clock, and that it finds what is wrong with deliberately wrong algorithms.
#include "collectives/simulator/simulator.hpp"

#include "collectives/framework/functions.hpp"
#include "tests/simulator/support.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives::test {

namespace {

using simulator::Unmatched;

Task send_from_0_to_1(Group& group, std::span<std::byte> data, int messages)
{
    for (int message = 0; message < messages; ++message) {
        Operation moved = group.rank() == 0 ? group.send(1, data) : group.recv(0, data);
        co_await moved;
    }
}

// Relies on buffering: both ranks send before they receive.
Task send_first(Group& group, std::span<std::byte> data)
{
    Operation sent = group.send(1 - group.rank(), data);
    co_await sent;
    Operation received = group.recv(1 - group.rank(), data);
    co_await received;
}

Task receive_in_a_circle(Group& group, std::span<std::byte> data)
{
    Operation received = group.recv((group.rank() + 1) % group.size(), data);
    co_await received;
}

Task send_and_forget(Group& group, std::span<std::byte> data)
{
    if (group.rank() == 0) {
        Operation sent = group.send(1, data);
        co_await sent;
    }
}

Task start_and_drop(Group& group, std::span<std::byte> data)
{
    if (group.rank() == 0) {
        Operation dropped = group.recv(1, data);
    }
    co_return;
}

Task overwrite_before_sent(Group& group, std::span<std::byte> data)
{
    if (group.rank() == 1) {
        Operation received = group.recv(0, data);
        co_await received;
        co_return;
    }
    Operation sent = group.send(1, data);
    data[0] = std::byte{99};
    co_await sent;
}

Task receive_less_than_sent(Group& group, std::span<std::byte> data)
{
    Operation moved = group.rank() == 0 ? group.send(1, data) : group.recv(0, data.first(data.size() - 1));
    co_await moved;
}

Task throw_at_rank_1(Group& group)
{
    if (group.rank() == 1) {
        throw std::runtime_error("no luck");
    }
    co_return;
}

}  // namespace

TEST_CASE("a message takes overheads, latency and the time of its bytes")
{
    std::vector<std::byte> data(100);
    Settings settings;
    settings.costs = {.latency_ns = 1000, .overhead_ns = 10, .gap_ns = 5, .ns_per_byte = 0.5};
    const auto program = [&](Group& group) { return send_from_0_to_1(group, data, 1); };

    Report report = simulate(2, settings, program);
    REQUIRE(report.problems() == "");
    CHECK(report.ranks[0].finish_ns == 10);
    CHECK(report.ranks[1].finish_ns == 10 + 1000 + 5 + 50 + 10);
    CHECK(report.bytes_sent() == 100);
    CHECK(report.longest_chain == 1);

    settings.mode = SendMode::synchronous;
    report = simulate(2, settings, program);
    REQUIRE(report.problems() == "");
    CHECK(report.ranks[0].finish_ns == 10 + 1000 + 5 + 50);

    // A late receiver: the message is there, a synchronous sender waits for the receive.
    settings.start_ns = {0, 5000};
    report = simulate(2, settings, program);
    CHECK(report.ranks[0].finish_ns == 5000 + 10);
    CHECK(report.ranks[1].finish_ns == 5000 + 10 + 10);
}

TEST_CASE("messages share their sender's way out and their receiver's way in")
{
    std::vector<std::byte> data(100);
    Settings settings;
    settings.costs = {.latency_ns = 1000, .overhead_ns = 0, .gap_ns = 0, .ns_per_byte = 1};
    Report report = simulate(2, settings, [&](Group& group) { return send_from_0_to_1(group, data, 3); });
    CHECK(report.ranks[1].finish_ns == 1000 + 3 * 100);

    std::vector<std::vector<std::int32_t>> operands(5, integer_operand(0, 25));
    report = simulate(5, settings, [&](Group& group) {
        const Buffer own = buffer_of(operands[static_cast<std::size_t>(group.rank())]);
        return allreduce_flat(group, own.data, own, kIntegerSum);
    });
    REQUIRE(report.problems() == "");
    CHECK(report.finish_ns() == 2 * (1000 + 4 * 100));
}

TEST_CASE("an algorithm that relies on buffering deadlocks with synchronous sends, and is reported who waits")
{
    std::vector<std::byte> data(2);
    const auto program = [&](Group& group) {
        return send_first(group, std::span(data).subspan(static_cast<std::size_t>(group.rank()), 1));
    };
    CHECK(simulate(2, settings_for(SendMode::eager), program).problems() == "");

    const Report report = simulate(2, settings_for(SendMode::synchronous), program);
    CHECK(report.deadlock ==
          "rank 0 waits for its message to be received by rank 1; "
          "rank 1 waits for its message to be received by rank 0");
    CHECK(!report.ranks[0].finished);
    CHECK(report.unmatched.size() == 2);
    CHECK(report.abandoned == 0);
}

TEST_CASE("a circle of receives is a deadlock")
{
    std::vector<std::byte> data(4);
    const Report report =
        simulate(3, Settings{}, [&](Group& group) { return receive_in_a_circle(group, data); });
    CHECK(report.deadlock ==
          "rank 0 waits for a message from rank 1; rank 1 waits for a message from rank 2; "
          "rank 2 waits for a message from rank 0");
    REQUIRE(report.unmatched.size() == 3);
    CHECK(report.unmatched[0].kind == Unmatched::Kind::receive);
}

TEST_CASE("a message that nobody receives is reported")
{
    std::vector<std::byte> data(7);
    const Report report = simulate(2, Settings{}, [&](Group& group) { return send_and_forget(group, data); });
    CHECK(report.deadlock == "");
    REQUIRE(report.unmatched.size() == 1);
    CHECK(report.unmatched[0].kind == Unmatched::Kind::send);
    CHECK(report.unmatched[0].rank == 0);
    CHECK(report.unmatched[0].peer == 1);
    CHECK(report.unmatched[0].size_bytes == 7);
    CHECK(report.problems() == "rank 0 sent 7 bytes to rank 1 without an answer");
}

TEST_CASE("an operation that is dropped unfinished is reported")
{
    std::vector<std::byte> data(7);
    const Report report = simulate(2, Settings{}, [&](Group& group) { return start_and_drop(group, data); });
    CHECK(report.abandoned == 1);
    CHECK(report.unmatched.empty());
    CHECK(report.problems() == "1 operations were destroyed unfinished");
}

TEST_CASE("a synchronous send reads its data when it is received, an eager one at once")
{
    for (const SendMode mode : kModes) {
        std::vector<std::vector<std::byte>> data(2, std::vector<std::byte>(1));
        const Report report = simulate(2, settings_for(mode), [&](Group& group) {
            return overwrite_before_sent(group, data[static_cast<std::size_t>(group.rank())]);
        });
        CHECK(report.problems() == "");
        CHECK(data[1][0] == (mode == SendMode::eager ? std::byte{0} : std::byte{99}));
    }
}

TEST_CASE("sizes that differ are an error at the receiver")
{
    std::vector<std::byte> data(8);
    const Report report =
        simulate(2, Settings{}, [&](Group& group) { return receive_less_than_sent(group, data); });
    REQUIRE(report.ranks[1].error);
    try {
        std::rethrow_exception(report.ranks[1].error);
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::truncated);
        CHECK(error.peer() == 0);
    }
    CHECK(!report.ranks[0].error);
}

TEST_CASE("an exception ends its own rank only, and a peer out of range is one")
{
    const Report thrown = simulate(3, Settings{}, throw_at_rank_1);
    CHECK(thrown.problems() == "rank 1: no luck");
    CHECK(thrown.ranks[2].finished);

    std::vector<std::byte> data(1);
    const Report alone =
        simulate(1, Settings{}, [&](Group& group) { return send_from_0_to_1(group, data, 1); });
    CHECK(alone.problems().find("invalid rank") != std::string::npos);
}

TEST_CASE("4,096 ranks, and the same report every time")
{
    const auto run = [] {
        std::vector<std::vector<std::int32_t>> data(4096, std::vector<std::int32_t>(2, 1));
        Settings settings = settings_for(SendMode::synchronous);
        settings.costs = {.latency_ns = 90, .overhead_ns = 20, .gap_ns = 3, .ns_per_byte = 0.02};
        Report report = simulate(4096, settings, [&](Group& group) {
            const Buffer own = buffer_of(data[static_cast<std::size_t>(group.rank())]);
            return allreduce_recursive_doubling(group, own.data, own, kIntegerSum);
        });
        REQUIRE(report.problems() == "");
        REQUIRE(data[4095] == std::vector<std::int32_t>(2, 4096));
        return report;
    };
    const Report first = run();
    const Report second = run();
    CHECK(first.longest_chain == 12);
    for (std::size_t rank = 0; rank < first.ranks.size(); ++rank) {
        REQUIRE(first.ranks[rank].finish_ns == second.ranks[rank].finish_ns);
    }
}

}  // namespace tutti::collectives::test
