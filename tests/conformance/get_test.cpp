// Remote reads: exactly the bytes asked for, out of memory that another rank owns, and an error where there
// are none to read.
#include <catch2/catch.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "tests/conformance/harness.hpp"
#include "transports/inproc/inproc_transport.hpp"
#include "transports/shm/shm_transport.hpp"

using namespace tutti::test;
using tutti::ErrorCode;
using tutti::transport::Completion;
using tutti::transport::RemoteRegion;

namespace {

constexpr std::size_t kMargin = 64;
constexpr std::byte kUntouched{0x77};
constexpr std::array<std::size_t, 7> kSizes = {1, 100, 4095, 4096, 4097, 65'537, 1u << 20};
constexpr std::array<std::size_t, 4> kOffsets = {0, 1, 13, 4093};  // of source and of destination

RemoteRegion region_at(const void* address)
{
    return {reinterpret_cast<std::uintptr_t>(address), 0};
}

/// Reads, driving progress while the answer is `again` or the data is on its way.
ErrorCode get(Transport& transport, int peer, const RemoteRegion& remote, std::span<std::byte> local)
{
    Reported reported;
    Recorder sink;
    for (int attempt = 0; attempt < 100'000; ++attempt) {
        const SendResult result = transport.memory()->get(peer, remote, local, reported);
        if (result == SendResult::done) {
            REQUIRE(reported.fired == 0);
            return ErrorCode::success;
        }
        sink.in_progress = true;
        transport.progress(sink);
        if (result == SendResult::again)
            continue;
        // The peer's thread may have a part in it, and no core now.
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (reported.fired == 0 && std::chrono::steady_clock::now() < deadline) {
            transport.progress(sink);
            std::this_thread::yield();
        }
        REQUIRE(reported.fired == 1);
        return reported.result;
    }
    FAIL("a transport answers `again` for ever");
    return ErrorCode::internal;
}

/// Every size and offset, out of `memory` that lies at `remote` in the peer.
void check_reads(Transport& transport, int peer, RemoteRegion remote, const Bytes& memory)
{
    for (const std::size_t size : kSizes) {
        for (const std::size_t from : kOffsets) {
            const std::size_t to = from % kMargin;
            CAPTURE(size, from, to);
            Bytes local(to + size + kMargin, kUntouched);
            const RemoteRegion start{remote.address + from, remote.key};
            REQUIRE(get(transport, peer, start, std::span(local).subspan(to, size)) == ErrorCode::success);
            const std::byte* const end = local.data() + to + size;
            REQUIRE(std::memcmp(local.data() + to, memory.data() + from, size) == 0);
            REQUIRE(
                std::all_of(local.data(), local.data() + to, [](std::byte b) { return b == kUntouched; }));
            REQUIRE(std::all_of(end, end + kMargin, [](std::byte b) { return b == kUntouched; }));
        }
    }
}

/// A process with shared-memory transport 1 and a piece of memory of its own, connected with transport 0
/// here.
class Child {
public:
    explicit Child(const Bytes& content) : transport_(0, kLocal)
    {
        REQUIRE(pipe(to_child_.data()) == 0);
        REQUIRE(pipe(to_parent_.data()) == 0);
        pid_ = fork();
        if (pid_ == 0)
            run(content);
        Bytes contact = transport_.address();
        RemoteRegion region{};
        REQUIRE(read(to_parent_[0], contact.data(), contact.size()) == static_cast<ssize_t>(contact.size()));
        REQUIRE(read(to_parent_[0], &region, sizeof region) == static_cast<ssize_t>(sizeof region));
        region_ = region;
        transport_.connect(1, contact);
    }
    ~Child()
    {
        end();
        transport_.close();
        for (const int descriptor : {to_child_[0], to_child_[1], to_parent_[0], to_parent_[1]})
            close(descriptor);
    }

    Transport& transport() { return transport_; }
    RemoteRegion region() const { return region_; }
    /// The process has ended when this returns.
    void end()
    {
        if (pid_ <= 0)
            return;
        const pid_t pid = std::exchange(pid_, 0);
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }

private:
    static constexpr std::array<int, 2> kLocal = {0, 1};

    [[noreturn]] void run(const Bytes& content) const
    {
        // Memory of after the fork: nothing of it is at this place in the parent.
        void* memory =
            mmap(nullptr, content.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            _exit(9);
        std::memcpy(memory, content.data(), content.size());
        tutti::transport::shm::ShmTransport transport(1, kLocal);
        const Bytes contact = transport.address();
        const RemoteRegion region = region_at(memory);
        if (write(to_parent_[1], contact.data(), contact.size()) < 0 ||
            write(to_parent_[1], &region, sizeof region) < 0)
            _exit(9);
        close(to_child_[1]);
        char go = 0;
        _exit(read(to_child_[0], &go, 1) != 0);  // ends also when the parent does
    }

    std::array<int, 2> to_child_{};
    std::array<int, 2> to_parent_{};
    tutti::transport::shm::ShmTransport transport_;
    pid_t pid_ = 0;
    RemoteRegion region_{};
};

Bytes memory_of_peer()
{
    return pattern(3, kSizes.back() + kOffsets.back() + kMargin, 9);
}

}  // namespace

TEST_CASE("a remote read brings exactly the bytes asked for, of memory that another thread owns", "[threads]")
{
    const Setup setup = GENERATE(from_range(setups_between_ranks()));
    INFO(setup.name());
    Ranks ranks(setup);
    REQUIRE((ranks.at(0).memory() != nullptr) == (setup.transport != "tcp"));
    if (ranks.at(0).memory() == nullptr)
        return;
    Bytes memory;
    RemoteRegion region{};
    std::atomic<bool> filled{false};
    std::jthread owner([&](const std::stop_token& stop) {
        memory = memory_of_peer();
        region = ranks.at(1).memory()->expose(memory);
        ranks.at(1).memory()->register_region(memory, region);
        filled = true;
        filled.notify_one();
        // Some read with the owner's help.
        while (!stop.stop_requested()) {
            ranks.progress(1);
            std::this_thread::yield();
        }
    });
    filled.wait(false);
    check_reads(ranks.at(0), 1, region, memory);
    owner.request_stop();
    owner.join();
    ranks.at(1).memory()->release_region(region);
}

TEST_CASE("self: no remote reads, and that is said")
{
    Ranks ranks(Setup{"self", "plain", {}});
    CHECK(ranks.at(0).memory() == nullptr);
}

TEST_CASE("shm: a remote read brings exactly the bytes asked for, of memory that another process owns")
{
    const Bytes memory = memory_of_peer();
    Child child(memory);
    check_reads(child.transport(), 1, child.region(), memory);
}

TEST_CASE("shm: memory that the peer does not have is an error, and nothing is written behind the span")
{
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t pages = GENERATE(5u, 20u);  // those of a copy that the peer may help with, too
    const Bytes memory = pattern(1, page, 1);
    Child child(memory);
    Reported reported;
    Bytes local(pages * page + kMargin, kUntouched);
    const std::span wanted = std::span(local).first(pages * page);
    for (const std::uint64_t address :
         {std::uint64_t{0}, std::uint64_t{8}, ~std::uint64_t{0} - 7, std::uint64_t{1} << 63}) {
        CAPTURE(address);
        try {
            child.transport().memory()->get(1, {address, 0}, wanted, reported);
            FAIL("there is nothing to read");
        } catch (const tutti::Error& error) {
            CHECK(error.peer() == 1);
            CHECK(error.operation() == "get");
        }
    }
    CHECK(local == Bytes(local.size(), kUntouched));
    CHECK(reported.fired == 0);
    // The transport works on.
    CHECK(get(child.transport(), 1, child.region(), std::span(local).first(page)) == ErrorCode::success);
    CHECK(std::equal(memory.begin(), memory.end(), local.begin()));
}

TEST_CASE("shm: a process that has died is an error")
{
    const Bytes memory = pattern(1, 5000, 1);
    Child child(memory);
    child.end();
    Reported reported;
    Bytes local(5000 + kMargin, kUntouched);
    for (int attempt = 0; attempt < 2; ++attempt) {
        CHECK_THROWS_AS(
            child.transport().memory()->get(1, child.region(), std::span(local).first(5000), reported),
            tutti::Error);
    }
    CHECK(local == Bytes(local.size(), kUntouched));
    CHECK(reported.fired == 0);
}

TEST_CASE("inproc: the memory of a rank that has closed, or of an aborted job, is not read")
{
    const bool aborted = GENERATE(false, true);
    const auto hub = std::make_shared<tutti::transport::InprocHub>(2);
    tutti::transport::InprocTransport reader(hub, 0);
    tutti::transport::InprocTransport owner(hub, 1);
    const Bytes memory = pattern(1, 100, 1);
    Bytes local(100, kUntouched);
    Reported reported;
    if (aborted)
        hub->abort("rank 1 said so");
    else
        owner.close();
    CHECK_THROWS_AS(reader.get(1, region_at(memory.data()), local, reported), tutti::Error);
    CHECK(local == Bytes(100, kUntouched));
    CHECK(reported.fired == 0);
}

TEST_CASE("inproc: who knows that the job was aborted may free what others were reading", "[threads]")
{
    const auto hub = std::make_shared<tutti::transport::InprocHub>(2);
    tutti::transport::InprocTransport reader(hub, 0);
    const Bytes expected = pattern(1, 100'000, 1);
    Bytes memory = expected;
    const RemoteRegion region = region_at(memory.data());
    // Relaxed: the transport alone must order the reads before the end of the memory.
    std::atomic<int> reads{0};
    std::jthread owner([&](const std::stop_token& stop) {
        while (reads.load(std::memory_order_relaxed) < 3 && !stop.stop_requested())
            std::this_thread::yield();
        hub->abort("the owner said so");
        memory = Bytes();  // a read of it now would be one of freed memory
    });
    Reported reported;
    Bytes local(expected.size());
    try {
        for (;; reads.fetch_add(1, std::memory_order_relaxed)) {
            reader.get(1, region, local, reported);
            REQUIRE(local == expected);
        }
    } catch (const tutti::Error& error) {
        CHECK(error.code() == ErrorCode::peer_lost);
    }
}
