// The board that ranks of a node share: any number of calls, whoever is last, and cards that lead nowhere.
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
                                                                : NodeBoard::open(boards[0]->card())));
            boards[i]->join(i, inboxes[i].card());
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

ErrorCode error_of_open(const BoardCard& card)
{
    try {
        NodeBoard::open(card);
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

TEST_CASE("a process has boards up to a limit, and again once some are gone")
{
    constexpr std::uint32_t kMembers = 60;  // some two megabytes each
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
    CHECK(error_of_open(boards.front().card()) == ErrorCode::out_of_memory);
    boards.pop_back();
    CHECK(error_of_open(boards.front().card()) == ErrorCode::success);
    boards.clear();
    fill();
    CHECK(boards.size() == most);
}

TEST_CASE("a card of another board, or none, is refused")
{
    NodeBoard board = NodeBoard::create(2);
    BoardCard card = board.card();
    CHECK(error_of_open(card) == ErrorCode::success);
    card.nonce ^= 1;
    CHECK(error_of_open(card) == ErrorCode::peer_lost);
    card = board.card();
    card.members = 3;  // another size
    CHECK(error_of_open(card) == ErrorCode::peer_lost);
    card = board.card();
    card.descriptor = 9999;
    CHECK(error_of_open(card) == ErrorCode::peer_lost);

    const auto parsed = [](BoardCard bytes) {
        return BoardCard::parse(std::as_bytes(std::span(&bytes, 1))).has_value();
    };
    CHECK(parsed(board.card()));
    CHECK_FALSE(parsed(BoardCard{}));
    card = board.card();
    card.members = 0;
    CHECK_FALSE(parsed(card));
    CHECK_FALSE(BoardCard::parse(std::as_bytes(std::span(&card, 1)).first(8)).has_value());
}
