// Reads that the owner of the memory has a part in, from within its progress(): whole, whoever copies what,
// and also where it must not.
#include <catch2/catch.hpp>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <thread>
#include <utility>

#include "tests/conformance/copies.hpp"
#include "tests/unit/transports/child.hpp"
#include "transports/shm/shm_transport.hpp"

using namespace tutti::transport::shm;
using namespace tutti::test;
using tutti::transport::Completion;
using tutti::transport::RemoteRegion;

namespace {

constexpr std::array<int, 2> kLocal = {0, 1};

/// Two ranks of this process; the second makes progress on a thread of its own, after `prepare()`.
class Pair {
public:
    template <class Prepare>
    explicit Pair(Prepare prepare, ShmOptions receiver = {})
        : receiver_(0, kLocal, receiver),
          sender_(1, kLocal),
          thread_([this, prepare](const std::stop_token& stop) {
              prepare();
              connected_.wait(false);
              tutti::test::Recorder sink;
              sink.in_progress = true;
              while (!stop.stop_requested()) {
                  if (const std::size_t events = sender_.progress(sink); events != 0)
                      helped_.fetch_add(events, std::memory_order_relaxed);
                  else
                      sched_yield();
              }
          })
    {
    }

    void connect()
    {
        sender_.connect(0, receiver_.address());
        receiver_.connect(1, sender_.address());
        connected_ = true;
        connected_.notify_one();
    }
    ShmTransport& receiver() { return receiver_; }
    const ShmTransport& sender() const { return sender_; }
    std::size_t helped() const { return helped_.load(std::memory_order_relaxed); }

private:
    ShmTransport receiver_;
    ShmTransport sender_;
    std::atomic<bool> connected_{false};
    std::atomic<std::size_t> helped_{0};
    std::jthread thread_;
};

// Until the sender has had a part in `times` calls of copy(), which takes both to have a core at the same
// time; false when one leaves a wrong byte in the target.
template <class Copy>
bool until_helped(Pair& pair, const Bytes& content, const Memory& target, std::size_t times, int most,
                  Copy copy)
{
    const auto deadline = std::chrono::steady_clock::now() + kLongestCopy;
    for (int round = 0; round < most && pair.helped() < times && std::chrono::steady_clock::now() < deadline;
         ++round) {
        std::memset(target.bytes().data(), round, target.bytes().size());
        if (!copy() || !target.holds(content))
            return false;
    }
    return true;
}

bool copy_until_helped(Pair& pair, const Memory& source, const Bytes& content, const Memory& target,
                       std::size_t times, int most = std::numeric_limits<int>::max())
{
    const RemoteRegion region = pair.sender().expose(source.bytes());
    return until_helped(pair, content, target, times, most, [&] {
        return copy_to_its_end(pair.receiver(), [&](Completion& completion) {
            return pair.receiver().get(1, region, target.bytes(), completion);
        });
    });
}

// For the calling thread alone.
bool forbid_writing_to_processes()
{
    std::array<sock_filter, 4> program = {{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
                                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog filter{program.size(), program.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

TEST_CASE("shm: a sender that makes progress copies its part, between memory of any kind", "[threads]")
{
    const bool source_mappable = GENERATE(true, false);
    const bool target_mappable = GENERATE(true, false);
    const std::size_t bytes = GENERATE(65'537u, 1'000'003u);
    CAPTURE(source_mappable, target_mappable, bytes);
    if (bytes < 512u << 10 && source_mappable && !target_mappable)
        return;  // the receiver alone is faster
    const Memory source(bytes, source_mappable);
    const Memory target(bytes, target_mappable);
    const Bytes content = filled(source);
    Pair pair([] {});
    pair.connect();
    CHECK(copy_until_helped(pair, source, content, target, 3));
    CHECK(pair.helped() >= 3);
}

TEST_CASE("shm: a peer has a part in a copy within a rank's own memory, where it can map all of it",
          "[threads]")
{
    const bool source_mappable = GENERATE(true, false);
    const bool target_mappable = GENERATE(true, false);
    const std::size_t bytes = GENERATE(65'537u, 1'000'003u);
    CAPTURE(source_mappable, target_mappable, bytes);
    const bool helps = source_mappable && target_mappable;
    const Memory source(bytes, source_mappable);
    const Memory target(bytes, target_mappable);
    const Bytes content = filled(source);
    Pair pair([] {});
    pair.connect();
    const auto copy = [&] {
        return copy_to_its_end(pair.receiver(), [&](Completion& completion) {
            const SendResult result = pair.receiver().copy_own(1, target.bytes(), source.bytes(), completion);
            REQUIRE((result != SendResult::again) == helps);
            if (!helps)
                std::memcpy(target.bytes().data(), source.bytes().data(), bytes);
            return helps ? result : SendResult::done;
        });
    };
    CHECK(until_helped(pair, content, target, 3, helps ? std::numeric_limits<int>::max() : 100, copy));
    CHECK((pair.helped() >= 3) == helps);
}

TEST_CASE("shm: where ranks share cores nobody is asked to help", "[threads]")
{
    const Memory source(1u << 20, true);
    const Memory target(1u << 20, true);
    const Bytes content = filled(source);
    Pair pair([] {}, {.shares_copies = false});
    pair.connect();
    CHECK(copy_until_helped(pair, source, content, target, 1, 200));
    CHECK(pair.helped() == 0);
}

TEST_CASE("shm: a sender that must not write to the receiver's memory says so, and the receiver copies all")
{
    const auto copies = [] {
        const Memory source(1u << 20, false);
        const Memory target(1u << 20, false);
        const Bytes content = filled(source);
        std::atomic<bool> tried{false};
        bool forbidden = false;
        Pair pair([&] {
            forbidden = forbid_writing_to_processes();
            tried = true;
        });
        while (!tried)
            sched_yield();
        pair.connect();
        if (!forbidden)
            return 4;
        if (!copy_until_helped(pair, source, content, target, 1))
            return 1;  // wrong bytes
        if (pair.helped() != 1)
            return 2;  // it was never asked
        return copy_until_helped(pair, source, content, target, 2, 200) && pair.helped() == 1 ? 0 : 3;
    };
    CHECK(tutti::test::in_child(copies) == 0);
}

namespace {

// A sender in a process of its own, which claims one piece of what is copied out of its memory, and dies of
// it.
[[noreturn]] void die_of_a_piece(const Bytes& receiver, const Memory& source, int tell)
{
    try {
        ShmTransport sender(1, kLocal);
        const Bytes contact = sender.address();
        const RemoteRegion region = sender.expose(source.bytes());
        Inbox inbox = Inbox::open(*InboxContact::parse(receiver), 1);
        inbox.announce_producer(1);
        if (write(tell, contact.data(), contact.size()) > 0 && write(tell, &region, sizeof region) > 0) {
            while (!inbox.slot(1).copy.claim_back())
                sched_yield();
            _exit(0);  // with its memory as it is
        }
    } catch (...) {
    }
    _exit(9);
}

}  // namespace

TEST_CASE("shm: of a sender that dies with a piece begun the receiver copies all, also while it is a zombie")
{
    // Before the fork, as a child adds nothing to the heap.
    const Memory source(1u << 20, true);
    const Bytes expected = filled(source);
    const Memory target(expected.size(), true);
    ShmTransport receiver(0, kLocal);
    Bytes contact = receiver.address();
    std::array<int, 2> reported{};
    REQUIRE(pipe(reported.data()) == 0);
    const pid_t child = fork();
    if (child == 0)
        die_of_a_piece(contact, source, reported[1]);
    RemoteRegion region{};
    REQUIRE(read(reported[0], contact.data(), contact.size()) == static_cast<ssize_t>(contact.size()));
    REQUIRE(read(reported[0], &region, sizeof region) == static_cast<ssize_t>(sizeof region));
    receiver.connect(1, contact);
    bool whole = true;
    do {
        std::memset(target.bytes().data(), 0x77, expected.size());
        whole = copy_to_its_end(receiver,
                                [&](Completion& completion) {
                                    return receiver.get(1, region, target.bytes(), completion);
                                }) &&
                target.holds(expected);
    } while (whole && !InboxContact::parse(contact)->owner.has_ended());  // a zombie from then on
    CHECK(whole);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(reported[0]);
    close(reported[1]);
}
