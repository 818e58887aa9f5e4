// A helper that is stopped in the middle of its piece of a copy delays that copy alone.
#include <catch2/catch.hpp>

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "tests/conformance/copies.hpp"
#include "transports/shm/shm_transport.hpp"

using namespace tutti::test;
using tutti::ErrorCode;
using tutti::transport::RemoteRegion;
using tutti::transport::shm::ShmTransport;

namespace {

constexpr std::array<int, 3> kThree = {0, 1, 2};
constexpr std::size_t kStoppedBytes = 1u << 20;
constexpr std::size_t kGuardBytes = 4096;

// What the helper cannot read before it was stopped.
void* guarded = nullptr;

void stop_at_guard(int)
{
    mprotect(guarded, kGuardBytes, PROT_READ | PROT_WRITE);
    kill(getpid(), SIGSTOP);
}

// Rank 1, which has a part in copies out of `source`, and is stopped in its first piece.
[[noreturn]] void help_and_be_stopped(const Bytes& receiver, const Memory& source, int tell)
{
    try {
        ShmTransport helper(1, kThree);
        struct sigaction action {};
        action.sa_handler = stop_at_guard;
        sigaction(SIGSEGV, &action, nullptr);
        // A whole page of the last piece, which is the first that a helper claims.
        const auto end = reinterpret_cast<std::uintptr_t>(source.bytes().data() + kStoppedBytes);
        guarded = reinterpret_cast<void*>((end / kGuardBytes - 1) * kGuardBytes);
        mprotect(guarded, kGuardBytes, PROT_NONE);
        const Bytes contact = helper.address();
        const RemoteRegion region = helper.expose(source.bytes());
        helper.connect(0, receiver);
        if (write(tell, contact.data(), contact.size()) > 0 && write(tell, &region, sizeof region) > 0) {
            Recorder sink;
            for (sink.in_progress = true;;)
                if (helper.progress(sink) == 0)
                    sched_yield();
        }
    } catch (...) {
    }
    _exit(9);
}

/// Ranks 0 and 2 of this process, and rank 1, the helper, in one of its own.
class Three {
public:
    Three() : source_(kStoppedBytes, true), content_(filled(source_)), receiver_(0, kThree), third_(2, kThree)
    {
        Bytes contact = receiver_.address();
        std::array<int, 2> reported{};
        REQUIRE(pipe(reported.data()) == 0);
        helper_ = fork();
        if (helper_ == 0)
            help_and_be_stopped(contact, source_, reported[1]);
        REQUIRE(read(reported[0], contact.data(), contact.size()) == static_cast<ssize_t>(contact.size()));
        REQUIRE(read(reported[0], &region_, sizeof region_) == static_cast<ssize_t>(sizeof region_));
        close(reported[0]);
        close(reported[1]);
        receiver_.connect(1, contact);
        receiver_.connect(2, third_.address());
        third_.connect(0, receiver_.address());
    }
    ~Three()
    {
        kill(helper_, SIGKILL);
        waitpid(helper_, nullptr, 0);
    }
    Three(const Three&) = delete;
    Three& operator=(const Three&) = delete;

    ShmTransport& receiver() { return receiver_; }
    const Bytes& content() const { return content_; }
    SendResult get(const Memory& target, Reported& reported)
    {
        return receiver_.get(1, region_, target.bytes(), reported);
    }
    /// Copies to `target` until the helper is stopped in its piece; false when it never has one.
    bool stop_helper(const Memory& target, Reported& reported)
    {
        const auto deadline = std::chrono::steady_clock::now() + kLongestCopy;
        while (std::chrono::steady_clock::now() < deadline)
            if (get(target, reported) == SendResult::pending)
                return is_stopped();
        return false;
    }
    void continue_helper() const { kill(helper_, SIGCONT); }
    /// A frame from the third rank to the receiver, and one back.
    bool exchange(std::uint64_t number)
    {
        OutFrame frame(number, 16, 100);
        return third_.send(0, frame.header, frame.payload, frame) == SendResult::done &&
               progress(receiver_, at_receiver_) == 1 &&
               is_frame(at_receiver_.frames.back(), number, 16, 100) &&
               receiver_.send(2, frame.header, frame.payload, frame) == SendResult::done &&
               progress(third_, at_third_) == 1 && is_frame(at_third_.frames.back(), number, 16, 100);
    }
    std::size_t progress() { return progress(receiver_, at_receiver_); }

private:
    static std::size_t progress(ShmTransport& rank, Recorder& sink)
    {
        sink.in_progress = true;
        const std::size_t events = rank.progress(sink);
        sink.in_progress = false;
        return events;
    }
    bool is_stopped() const
    {
        int status = 0;
        return waitpid(helper_, &status, WUNTRACED) == helper_ && WIFSTOPPED(status);
    }

    Memory source_;
    Bytes content_;
    ShmTransport receiver_;
    ShmTransport third_;
    Recorder at_receiver_;
    Recorder at_third_;
    pid_t helper_ = 0;
    RemoteRegion region_{};
};

}  // namespace

TEST_CASE("shm: while a helper is stopped in its piece the receiver exchanges frames, and then the copy ends")
{
    Three ranks;
    const Memory target(kStoppedBytes, true);
    const Memory other(kStoppedBytes, true);
    Reported reported;
    REQUIRE(ranks.stop_helper(target, reported));
    for (std::uint64_t number = 0; number < 100; ++number)
        REQUIRE(ranks.exchange(number));
    // Another copy out of the same memory needs no helper.
    Reported at_once;
    CHECK(ranks.get(other, at_once) == SendResult::done);
    CHECK(other.holds(ranks.content()));
    CHECK(reported.fired == 0);
    // A receiver that has fallen asleep meanwhile is woken by the end of the piece.
    ranks.receiver().arm();
    const Bell bell(ranks.receiver());
    CHECK(ranks.progress() == 0);
    ranks.continue_helper();
    CHECK(bell.sleep());
    ranks.receiver().disarm();
    CHECK(ranks.progress() == 1);
    CHECK(reported.fired == 1);
    CHECK(reported.result == ErrorCode::success);
    CHECK(target.holds(ranks.content()));
}

TEST_CASE("shm: who gives up a copy has its memory to itself once the stopped helper has gone on")
{
    const bool closes = GENERATE(false, true);
    CAPTURE(closes);
    Three ranks;
    Reported reported;
    std::optional<Memory> target(std::in_place, kStoppedBytes, true);
    REQUIRE(ranks.stop_helper(*target, reported));
    std::atomic<bool> went_on{false};
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        went_on = true;
        ranks.continue_helper();
    });
    if (closes)
        ranks.receiver().close();
    else
        ranks.receiver().abandon(reported);
    CHECK(went_on);
    CHECK(target->holds(ranks.content()));
    target.reset();
    CHECK(reported.fired == (closes ? 1 : 0));
    CHECK(reported.result == (closes ? ErrorCode::cancelled : ErrorCode::success));
    if (!closes)
        CHECK(ranks.progress() == 0);
}
