// Threads that sleep while others add transports. The thread sanitizer looks on.
#include <catch2/catch.hpp>

#include <sys/eventfd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "lib/engine/progress/sleeper.hpp"
#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::progress {

namespace {

constexpr std::int64_t kForEverNs = 60'000'000'000;

// Arrivals are what a test writes to its descriptor, or rings at its bell.
class Arrivals final : public transport::Doorbell {
public:
    enum class By { descriptor, bell };

    explicit Arrivals(By by) : by_(by), fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

    void arrive() { eventfd_write(fd_.get(), 1); }
    bool armed() const noexcept { return armed_ > 0; }

    std::atomic<std::uint32_t>* word() noexcept override { return by_ == By::bell ? &bell_ : nullptr; }
    int wait_fd() noexcept override { return fd_.get(); }
    void arm() override { ++armed_; }
    void disarm() noexcept override { --armed_; }

private:
    By by_;
    base::UniqueFd fd_;
    std::atomic<std::uint32_t> bell_{0};
    int armed_ = 0;
};

// A thread that sleeps, and sleeps again, until it is told to end; as the engine does, under a lock of its
// own.
class Sleeping {
public:
    explicit Sleeping(Sleeper& sleeper, std::mutex& lock) : sleeper_(sleeper), lock_(lock) {}
    ~Sleeping()
    {
        {
            const std::lock_guard held(lock_);
            ends_ = true;
            sleeper_.wake();
        }
        thread_.join();
    }
    Sleeping(const Sleeping&) = delete;
    Sleeping& operator=(const Sleeping&) = delete;

    /// Waits until it has been asleep, or about to be, `times` times.
    void wait_for_sleeps(unsigned times) const
    {
        while (sleeps_.load() < times)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    unsigned sleeps() const { return sleeps_.load(); }

private:
    void run()
    {
        std::unique_lock held(lock_);
        while (!ends_) {
            sleeper_.arm();
            const Sleeper::Ticket ticket = sleeper_.ticket();
            ++sleeps_;
            held.unlock();
            Sleeper::sleep(ticket, kForEverNs);
            held.lock();
            sleeper_.disarm();
        }
    }

    Sleeper& sleeper_;
    std::mutex& lock_;
    bool ends_ = false;
    std::atomic<unsigned> sleeps_{0};
    std::thread thread_{[this] { run(); }};
};

}  // namespace

TEST_CASE("a transport that is added ends the sleeps that do not look at it")
{
    using By = Arrivals::By;
    const std::vector<By> order = GENERATE(std::vector{By::descriptor, By::descriptor, By::bell},
                                           std::vector{By::bell, By::descriptor, By::descriptor},
                                           std::vector{By::descriptor, By::bell, By::descriptor});
    Sleeper sleeper;
    std::mutex lock;
    std::vector<std::unique_ptr<Arrivals>> transports;
    Sleeping thread(sleeper, lock);
    for (const By by : order) {
        thread.wait_for_sleeps(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // for most: it is asleep
        transports.push_back(std::make_unique<Arrivals>(by));
        unsigned before = 0;
        {
            const std::lock_guard held(lock);
            before = thread.sleeps();
            sleeper.add(*transports.back());
        }
        thread.wait_for_sleeps(before + 1);
        // It now sleeps on the new one, too: what arrives there ends that sleep.
        const bool is_answered = by == By::descriptor || transports.size() > 1;
        if (is_answered) {
            before = thread.sleeps();
            transports.back()->arrive();
            thread.wait_for_sleeps(before + 1);
            const std::lock_guard held(lock);
            CHECK(transports.back()->armed() == sleeper.anybody());
        }
    }
}

TEST_CASE("transports are added while several threads sleep")
{
    Sleeper sleeper;
    std::mutex lock;
    std::vector<std::unique_ptr<Arrivals>> transports;
    Sleeping one(sleeper, lock);
    Sleeping two(sleeper, lock);
    // Nothing would end the first sleep of a thread that starts behind the last transport.
    one.wait_for_sleeps(1);
    two.wait_for_sleeps(1);
    for (int i = 0; i < 6; ++i) {
        transports.push_back(std::make_unique<Arrivals>(Arrivals::By::descriptor));
        const std::lock_guard held(lock);
        sleeper.add(*transports.back());
    }
    one.wait_for_sleeps(2);
    two.wait_for_sleeps(2);
    CHECK(transports.size() == 6);
}

}  // namespace tutti::progress
