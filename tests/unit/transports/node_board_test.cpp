// The board that ranks of a node share: any number of calls, whoever is last, and contacts that lead nowhere.
#include "transports/shm/node_board.hpp"

#include <catch2/catch.hpp>

#include <sched.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "tutti/error.hpp"

using namespace tutti::transport::shm;
using tutti::Error;
using tutti::ErrorCode;

namespace {

// Members as threads, each with a mapping of its own.
struct Members {
    explicit Members(std::uint32_t count)
    {
        for (std::uint32_t i = 0; i < count; ++i) {
            inboxes.push_back(Inbox::create(count, i));
            boards.push_back(std::make_unique<NodeBoard>(i == 0 ? NodeBoard::create(count)
                                                                : NodeBoard::open(boards[0]->contact())));
            boards[i]->join(i, inboxes[i].contact());
        }
        boards[0]->close_descriptor();
    }

    std::vector<Inbox> inboxes;
    std::vector<std::unique_ptr<NodeBoard>> boards;
};

std::uint64_t read(const std::byte* from)
{
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

void write(std::byte* to, std::uint64_t value)
{
    std::memcpy(to, &value, sizeof value);
}

ErrorCode error_of_open(const BoardContact& contact)
{
    try {
        NodeBoard::open(contact);
        return ErrorCode::success;
    } catch (const Error& error) {
        return error.code();
    }
}

}  // namespace

TEST_CASE("the last to arrive sees all slots, the others its result, call after call")
{
    constexpr std::uint64_t kCalls = 2000;
    const std::uint32_t count = GENERATE(1, 2, 3, 5);
    Members members(count);
    std::vector<std::uint64_t> wrong(count);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            NodeBoard& board = *members.boards[i];
            for (std::uint64_t call = 1; call <= kCalls; ++call) {
                board.begin();
                write(board.slot(i), call * (i + 1));
                write(board.slot(i) + NodeBoard::kSlotBytes - 8, ~call);
                if (board.arrive()) {
                    std::uint64_t sum = 0;
                    for (std::uint32_t other = 0; other < count; ++other) {
                        sum += read(board.slot(other));
                        wrong[i] += read(board.slot(other) + NodeBoard::kSlotBytes - 8) != ~call;
                    }
                    write(board.result(), sum);
                    board.release();
                }
                while (!board.released())
                    sched_yield();
                wrong[i] += read(board.result()) != call * count * (count + 1) / 2;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (std::uint32_t i = 0; i < count; ++i)
        CHECK(wrong[i] == 0);
}

TEST_CASE("a release rings for those that sleep, and for no others")
{
    Members members(3);
    members.inboxes[1].header().sleeping.store(tutti::transport::shm::Sleep::on_futex);
    for (auto& board : members.boards)
        board->begin();
    CHECK_FALSE(members.boards[1]->arrive());
    CHECK_FALSE(members.boards[0]->arrive());
    CHECK_FALSE(members.boards[1]->released());
    REQUIRE(members.boards[2]->arrive());
    members.boards[2]->release();
    CHECK(members.boards[0]->released());
    CHECK(members.inboxes[0].header().bell.load() == 0);
    CHECK(members.inboxes[1].header().bell.load() == 1);
}

TEST_CASE("the last to arrive rings for member 0 alone, which finds all there and releases them")
{
    Members members(3);
    for (auto& board : members.boards)
        board->begin();
    CHECK_FALSE(members.boards[0]->arrive());
    CHECK_FALSE(members.boards[2]->arrive());
    CHECK_FALSE(members.boards[0]->all_arrived());
    for (Inbox& inbox : members.inboxes)
        inbox.header().sleeping.store(tutti::transport::shm::Sleep::on_futex);
    CHECK(members.boards[1]->arrive());
    CHECK(members.boards[0]->all_arrived());
    CHECK_FALSE(members.boards[2]->released());
    members.boards[1]->wake_root();
    CHECK(members.inboxes[0].header().bell.load() == 1);
    CHECK(members.inboxes[2].header().bell.load() == 0);
    members.boards[0]->release();
    CHECK(members.boards[1]->released());
    CHECK(members.boards[2]->released());
    CHECK(members.inboxes[2].header().bell.load() == 1);
}

TEST_CASE("who is slow to wake the others does without those who have left")
{
    Members members(3);
    for (auto& board : members.boards) {
        board->begin();
        board->arrive();
    }
    members.inboxes.clear();
    CHECK_NOTHROW(members.boards[1]->wake_root());
    CHECK_NOTHROW(members.boards[1]->release());
    CHECK(members.boards[2]->released());
}

TEST_CASE("chunks arrive whole and in order, whoever writes, however far ahead")
{
    constexpr std::uint64_t kPositions = 3000;
    const std::uint32_t count = GENERATE(1, 2, 3, 5);
    Members members(count);
    std::vector<std::uint64_t> wrong(count);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            NodeBoard& board = *members.boards[i];
            for (std::uint64_t position = 1; position <= kPositions; ++position) {
                board.announce({position, 7});
                const auto writer = static_cast<std::uint32_t>(position * position % count);
                const std::size_t size_bytes =
                    position % 3 == 0 ? BoardStreams::kChunkBytes : 8 * (position % 9 + 1);
                const std::size_t said_bytes = position % 4 < 2 ? size_bytes : BoardStreams::kAnySize;
                if (i == writer) {
                    while (!board.streams().has_room())
                        sched_yield();
                    std::byte* const chunk = board.streams().own_chunk(said_bytes);
                    write(chunk, position);
                    write(chunk + size_bytes - 8, position * 5);
                    board.publish(std::nullopt);
                } else {
                    while (!board.streams().has_chunk(writer))
                        sched_yield();
                    const std::byte* const chunk = board.streams().chunk(writer, said_bytes);
                    wrong[i] += read(chunk + size_bytes - 8) != position * 5;
                    wrong[i] += size_bytes > 8 && read(chunk) != position;
                }
                board.pass();
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (std::uint32_t i = 0; i < count; ++i)
        CHECK(wrong[i] == 0);
}

TEST_CASE("a writer goes on alone until its cells are used, then waits for the slowest, who wakes it")
{
    Members members(3);
    NodeBoard& writer = *members.boards[0];
    for (std::uint64_t i = 0; i < BoardStreams::kCells; ++i) {
        REQUIRE(writer.await(NodeBoard::Event::room));
        writer.publish(1u);
        writer.pass();
        members.boards[1]->pass();
    }
    CHECK_FALSE(writer.await(NodeBoard::Event::room));
    CHECK(writer.waits_for(2));
    CHECK_FALSE(writer.waits_for(1));
    CHECK_FALSE(writer.waits_for(0));
    CHECK_FALSE(writer.has_come());
    members.inboxes[0].header().sleeping.store(Sleep::on_futex);
    members.boards[2]->pass();
    CHECK(members.inboxes[0].header().bell.load() == 1);
    CHECK(writer.has_come());
    CHECK(writer.streams().waiting().load() == 0);
    members.boards[2]->pass();  // nobody waits any more
    CHECK(members.inboxes[0].header().bell.load() == 1);
}

TEST_CASE("two members know alike whether one lends memory, from where both have last left chunks")
{
    Members members(2);
    BoardStreams& one = members.boards[0]->streams();
    BoardStreams& other = members.boards[1]->streams();
    const auto pass = [&] {
        one.pass();
        other.pass();
    };
    CHECK((one.any_lends() && other.any_lends()));  // nothing is known
    one.publish(false);
    other.publish(true);
    pass();
    CHECK((one.any_lends() && other.any_lends()));
    one.publish(false);
    other.publish(false);
    pass();
    CHECK_FALSE((one.any_lends() || other.any_lends()));
    one.publish(true);  // the other one leaves no chunk
    pass();
    CHECK_FALSE((one.any_lends() || other.any_lends()));
    one.publish(true);
    other.publish(false);
    pass();
    CHECK((one.any_lends() && other.any_lends()));
    // The other one stands at the position behind that exchange.
    for (std::uint64_t i = 0; i < BoardStreams::kCells; ++i) {
        CHECK(one.has_room());
        one.publish(false);
        one.pass();
    }
    CHECK_FALSE(one.has_room());
    other.pass();
    CHECK(one.has_room());
}

TEST_CASE("a chunk rings for its reader alone, or for all that sleep")
{
    Members members(3);
    for (Inbox& inbox : members.inboxes)
        inbox.header().sleeping.store(Sleep::on_futex);
    const auto rung = [&](std::size_t member) { return members.inboxes[member].header().bell.load(); };
    CHECK_FALSE(members.boards[2]->await(NodeBoard::Event::chunk, 0));
    CHECK(members.boards[2]->waits_for(0));
    CHECK_FALSE(members.boards[2]->waits_for(1));
    members.boards[0]->publish(2u);
    CHECK((rung(0) == 0 && rung(1) == 0 && rung(2) == 1));
    CHECK(members.boards[2]->has_come());
    CHECK_FALSE(members.boards[2]->waits_for(0));
    members.boards[1]->publish(std::nullopt);
    CHECK((rung(0) == 1 && rung(1) == 0 && rung(2) == 2));
}

TEST_CASE(
    "members whose calls differ do not see each other's chunks, and find the call, also of one that is ahead")
{
    Members members(2);
    NodeBoard& one = *members.boards[0];
    NodeBoard& other = *members.boards[1];
    for (NodeBoard* board : {&one, &other})
        board->announce({1, 1});
    one.announce({2, 3});
    one.announce({9, 9});
    one.publish(std::nullopt);
    CHECK_FALSE(one.disagreement());
    CHECK_FALSE(other.disagreement());
    CHECK_FALSE(other.streams().has_chunk(0));
    other.announce({2, 4});
    for (NodeBoard* board : {&one, &other}) {
        const auto found = board->disagreement();
        REQUIRE(found);
        CHECK(found->own == NodeBoard::Signature{2, board == &one ? 3u : 4u});
        CHECK(found->member == (board == &one ? 1u : 0u));
        CHECK(found->theirs == NodeBoard::Signature{2, board == &one ? 4u : 3u});
    }
    // The next calls agree: the earlier one is found, and chunks stay unseen.
    other.announce({9, 9});
    REQUIRE(other.disagreement());
    CHECK(other.disagreement()->own == NodeBoard::Signature{2, 4});
    CHECK_FALSE(other.streams().has_chunk(0));
}

TEST_CASE("a process has boards up to a limit, and again once some are gone")
{
    constexpr std::uint32_t kMembers = 60;  // some six megabytes each
    std::vector<NodeBoard> boards;
    const auto fill = [&] {
        while (boards.size() < 1000) {
            try {
                boards.push_back(NodeBoard::create(kMembers));
            } catch (const Error& error) {
                CHECK(error.code() == ErrorCode::out_of_memory);
                return;
            }
        }
    };
    fill();
    const std::size_t most = boards.size();
    CHECK(most > 32);
    CHECK(most < 128);
    // Whoever opens one has it mapped, too.
    CHECK(error_of_open(boards.front().contact()) == ErrorCode::out_of_memory);
    boards.pop_back();
    CHECK(error_of_open(boards.front().contact()) == ErrorCode::success);
    boards.clear();
    fill();
    CHECK(boards.size() == most);
}

TEST_CASE("a contact of another board, or none, is refused")
{
    NodeBoard board = NodeBoard::create(2);
    BoardContact contact = board.contact();
    CHECK(error_of_open(contact) == ErrorCode::success);
    contact.nonce ^= 1;
    CHECK(error_of_open(contact) == ErrorCode::peer_lost);
    contact = board.contact();
    contact.members = 3;  // another size
    CHECK(error_of_open(contact) == ErrorCode::peer_lost);
    contact = board.contact();
    contact.descriptor = 9999;
    CHECK(error_of_open(contact) == ErrorCode::peer_lost);

    const auto parsed = [](BoardContact bytes) {
        return BoardContact::parse(std::as_bytes(std::span(&bytes, 1))).has_value();
    };
    CHECK(parsed(board.contact()));
    CHECK_FALSE(parsed(BoardContact{}));
    contact = board.contact();
    contact.members = 0;
    CHECK_FALSE(parsed(contact));
    CHECK_FALSE(BoardContact::parse(std::as_bytes(std::span(&contact, 1)).first(8)).has_value());
}

TEST_CASE("a member that has announced a call and never arrives is waited for")
{
    Members members(2);
    NodeBoard& waiting = *members.boards[0];
    for (const auto& board : members.boards) {
        board->begin();
        board->announce({1, 1});
    }
    CHECK_FALSE(waiting.arrive());
    CHECK_FALSE(waiting.waits_for_arrivals());
    CHECK_FALSE(waiting.await(NodeBoard::Event::released));
    CHECK_FALSE(waiting.waits_for(1));
    CHECK(waiting.waits_for_arrivals());
    CHECK(members.boards[1]->arrive());
    CHECK(waiting.waits_for_arrivals());  // the last one releases
    members.boards[1]->release();
    CHECK_FALSE(waiting.waits_for_arrivals());
    CHECK(waiting.has_come());
}
