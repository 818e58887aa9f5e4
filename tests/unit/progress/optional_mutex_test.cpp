// The engine's lock: one holder at a time, whichever thread it is biased to, and to whom it is biased.
#include "lib/engine/progress/optional_mutex.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

using tutti::progress::OptionalMutex;

namespace {

void lock_often(OptionalMutex& mutex, long times, long& counter)
{
    for (long i = 0; i < times; ++i) {
        mutex.lock();
        const long before = counter;
        counter = before + 1;
        mutex.unlock();
    }
}

/// Whether the kernel has what it takes.
bool can_lean()
{
    OptionalMutex mutex(true);
    mutex.lock();
    mutex.unlock();
    return mutex.is_biased_here();
}

}  // namespace

TEST_CASE("a lock is biased to its first thread until another one wants it")
{
    if (!can_lean())
        return;
    OptionalMutex mutex(true);
    long counter = 0;
    lock_often(mutex, 1, counter);
    CHECK(mutex.is_biased_here());
    std::thread([&] {
        CHECK_FALSE(mutex.is_biased_here());
        lock_often(mutex, 1, counter);
        CHECK_FALSE(mutex.is_biased_here());
    }).join();
    CHECK_FALSE(mutex.is_biased_here());
    lock_often(mutex, 1000, counter);
    CHECK_FALSE(mutex.is_biased_here());
    lock_often(mutex, 100, counter);
    CHECK(mutex.is_biased_here());
    CHECK(counter == 1102);
}

TEST_CASE("a thread that wants the lock waits for the one that holds it by its bias")
{
    OptionalMutex mutex(true);
    mutex.lock();
    std::atomic<bool> has_it{false};
    std::thread other([&] {
        mutex.lock();
        has_it = true;
        mutex.unlock();
    });
    while (!mutex.is_wanted())
        std::this_thread::yield();
    CHECK_FALSE(has_it);
    mutex.unlock();
    other.join();
    CHECK(has_it);
    CHECK_FALSE(mutex.is_wanted());
}

TEST_CASE("several threads at once, in turns, and after the first has ended")
{
    OptionalMutex mutex(true);
    long counter = 0;
    long expected = 0;
    for (int round = 0; round < 20; ++round) {
        std::thread([&] { lock_often(mutex, 3000, counter); }).join();
        lock_often(mutex, 3000, counter);
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&, i] { lock_often(mutex, i == 0 ? 5000 : 50, counter); });
        lock_often(mutex, 3000, counter);
        for (std::thread& thread : threads)
            thread.join();
        expected += 3 * 3000 + 5000 + 3 * 50;
        REQUIRE(counter == expected);
    }
}

TEST_CASE("a bias that is revoked again and again lets nobody in beside another")
{
    for (int round = 0; round < 300; ++round) {
        OptionalMutex mutex(true);
        long counter = 0;
        std::atomic<bool> go{false};
        std::thread other([&] {
            while (!go)
                ;
            lock_often(mutex, 20, counter);
        });
        lock_often(mutex, 1, counter);
        go = true;
        lock_often(mutex, 200, counter);
        other.join();
        REQUIRE(counter == 221);
    }
}
