// Memory of a peer that /proc does not lead to, and the exchange that hands it over.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "transports/shm/inbox.hpp"
#include "transports/shm/node_board.hpp"
#include "transports/shm/peer_arenas.hpp"
#include "transports/shm/shared_heap.hpp"
#include "tutti/error.hpp"

using tutti::Error;
using tutti::ErrorCode;
using namespace tutti::transport::shm;

namespace {

// Of rank 7 alone.
class FakeExchange final : public DescriptorExchange {
public:
    void deposit(int descriptor) noexcept override
    {
        files[descriptor] = tutti::base::UniqueFd(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    }
    void withdraw(int descriptor) noexcept override { files.erase(descriptor); }
    tutti::base::UniqueFd fetch(int rank, int descriptor) noexcept override
    {
        const auto found = files.find(descriptor);
        return tutti::base::UniqueFd(
            rank == 7 && found != files.end() ? fcntl(found->second.get(), F_DUPFD_CLOEXEC, 0) : -1);
    }

    std::map<int, tutti::base::UniqueFd> files;
};

// Rank 7, whose number of a process means another one here.
LocalProcess elsewhere()
{
    LocalProcess process = LocalProcess::self(7, true);
    process.pid_namespace ^= 1;
    return process;
}

template <class Open>
ErrorCode error_of(Open&& open, std::string* reported = nullptr)
{
    try {
        open();
        return ErrorCode::success;
    } catch (const Error& error) {
        if (reported != nullptr)
            *reported = error.what();
        return error.code();
    }
}

}  // namespace

TEST_CASE("what runs in another process namespace is in reach by an exchange only")
{
    FakeExchange exchange;
    LocalProcess process = elsewhere();
    CHECK(process.on_this_host());
    CHECK_FALSE(process.has_common_pids());
    CHECK(process.within_reach(&exchange));
    CHECK_FALSE(process.within_reach(nullptr));
    process.deposits = 0;
    CHECK_FALSE(process.within_reach(&exchange));
    CHECK(LocalProcess::self(7, false).within_reach(nullptr));
    process = LocalProcess::self(7, true);
    process.host ^= 1;
    CHECK_FALSE(process.within_reach(&exchange));
}

TEST_CASE("of a process in another namespace nobody says that it has ended")
{
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    LocalProcess process = LocalProcess::self(7, true);
    process.pid = child;
    CHECK(process.has_ended());
    CHECK(error_of([&] { process.open(1, O_RDWR, nullptr); }) == ErrorCode::peer_lost);
    process.pid_namespace ^= 1;
    CHECK_FALSE(process.has_ended());
    std::string reported;
    CHECK(error_of([&] { process.open(1, O_RDWR, nullptr); }, &reported) == ErrorCode::not_supported);
    CHECK(reported.find("another process namespace") != std::string::npos);
}

TEST_CASE("an inbox out of an exchange is the owner's, and so is the way to wake it")
{
    FakeExchange exchange;
    const Inbox mine = Inbox::create(2, 0, false, elsewhere());
    CHECK(error_of([&] { Inbox::open(mine.contact(), 1); }) == ErrorCode::not_supported);
    CHECK(error_of([&] { Inbox::open(mine.contact(), 1, &exchange); }) == ErrorCode::not_supported);
    exchange.deposit(mine.contact().descriptor);
    Inbox theirs = Inbox::open(mine.contact(), 1, &exchange);
    theirs.announce_producer(1);
    REQUIRE(mine.has_producer(1));
    Credits theirs_to_me;
    Credits mine_to_them;
    RingProducer out(theirs.ring(1), theirs_to_me);
    RingConsumer in(mine.ring(1), mine_to_them);
    const std::uint64_t sent = 0x1234567890;
    REQUIRE(out.try_write({}, std::as_bytes(std::span(&sent, 1))));
    std::uint64_t got = 0;
    in.poll([&](auto, auto payload) { std::memcpy(&got, payload.data(), sizeof got); });
    CHECK(got == sent);

    WakePipe pipe;
    REQUIRE(pipe.open());
    exchange.deposit(pipe.writing_end());
    mine.header().wake_pipe.store(pipe.writing_end());
    mine.header().sleeping.store(Sleep::on_descriptors);
    theirs.wake_owner();
    int waiting = 0;
    REQUIRE(ioctl(pipe.reading_end(), FIONREAD, &waiting) == 0);
    CHECK(waiting == 1);
    // The owner ends, and what it has handed over with it.
    pipe = WakePipe();
    exchange.files.clear();
    theirs.wake_owner();  // SIGPIPE would end this process
    CHECK(mine.header().bell.load() == 2);
}

TEST_CASE("a board and an arena out of an exchange, and a board that all have is withdrawn")
{
    FakeExchange exchange;
    NodeBoard board = NodeBoard::create(2, elsewhere(), &exchange);
    CHECK(exchange.files.size() == 1);
    {
        NodeBoard other = NodeBoard::open(board.contact(), &exchange);
        board.begin();
        other.begin();
        board.slot(0)[0] = std::byte{42};
        CHECK(other.slot(0)[0] == std::byte{42});
        other.close_descriptor();
    }
    CHECK(exchange.files.size() == 1);
    board.close_descriptor();
    CHECK(exchange.files.empty());

    auto* const memory = static_cast<std::byte*>(SharedHeap::instance().allocate(4096));
    const auto region = SharedHeap::instance().find(memory, 4096);
    REQUIRE(region);
    CHECK(PeerArenas{}.view(elsewhere(), *region, 4096, &exchange).empty());
    exchange.deposit(arena_descriptor(region->key));
    PeerArenas arenas;
    const auto view = arenas.view(elsewhere(), *region, 4096, &exchange);
    REQUIRE(view.size() == 4096);
    memory[4095] = std::byte{7};
    CHECK(view[4095] == std::byte{7});
    SharedHeap::instance().deallocate(memory);
}

TEST_CASE("a process that ends is lost, at whatever moment its memory is asked for")
{
    std::atomic<pid_t> child{0};
    std::atomic<bool> stops{false};
    std::thread parent([&] {
        while (!stops)
            if (const pid_t ended = child.exchange(0); ended != 0)
                waitpid(ended, nullptr, 0);
    });
    LocalProcess peer = LocalProcess::self(0, false);
    ErrorCode wrong = ErrorCode::peer_lost;
    for (int i = 0; i < 500; ++i) {
        peer.pid = fork();
        if (peer.pid == 0)
            _exit(0);
        child = peer.pid;
        // While it is there, too: it has no such descriptor.
        while (kill(peer.pid, 0) == 0)
            if (const ErrorCode code = error_of([&] { peer.open(999, O_RDWR, nullptr); });
                code != ErrorCode::peer_lost)
                wrong = code;
    }
    stops = true;
    parent.join();
    CHECK(wrong == ErrorCode::peer_lost);
}
