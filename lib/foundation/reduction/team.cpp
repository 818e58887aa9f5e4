#include "lib/foundation/reduction/team.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

#include "lib/foundation/base/futex.hpp"
#include "lib/foundation/base/helper_thread.hpp"
#include "lib/foundation/settings/settings.hpp"
#include "tutti/error.hpp"

namespace tutti::reduction {

namespace {

// Small enough that the caller waits briefly for the last one, large enough that taking it costs nothing.
constexpr std::size_t kChunkBytes = 128u << 10;
constexpr int kMostThreads = 8;
constexpr int kMostWanted = 1024;

// Stored with release once the Team is made, loaded with acquire by each reduction.
std::atomic<Team*> team_of_process{nullptr};

// The number in a variable's value, or the first one of a list; 0: it is invalid.
std::optional<int> number_in(const char* text, bool may_be_list)
{
    if (text == nullptr || *text == '\0')
        return std::nullopt;
    const std::string_view all = text;
    int number = 0;
    const auto [end, error] = std::from_chars(all.begin(), all.end(), number);
    const bool whole = end == all.end() || (may_be_list && *end == ',');
    return error == std::errc() && whole ? number : 0;
}

}  // namespace

Team::Team(int threads) : threads_(threads)
{
    Team* nobody = nullptr;
    if (threads_ > 1)
        team_of_process.compare_exchange_strong(nobody, this, std::memory_order_release,
                                                std::memory_order_relaxed);
}

Team::~Team()
{
    Team* self = this;
    // No reduction runs now: relaxed.
    team_of_process.compare_exchange_strong(self, nullptr, std::memory_order_relaxed);
    stopping_.store(true);
    ring();
    for (std::thread& helper : helpers_)
        helper.join();
}

void Team::reduce(Kernel kernel, void* dst, const void* a, const void* b, std::size_t count,
                  std::size_t element_bytes)
{
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) {
        kernel(dst, a, b, count);
        return;
    }
    if (!started_)
        start_helpers();
    job_ = {kernel,
            static_cast<std::byte*>(dst),
            static_cast<const std::byte*>(a),
            static_cast<const std::byte*>(b),
            count,
            element_bytes,
            std::max<std::size_t>(1, kChunkBytes / element_bytes)};
    next_.store(0, std::memory_order_relaxed);
    open_.store(true);
    ring();
    take_chunks();
    open_.store(false);
    while (present_.load() != 0)  // helpers at their last chunks
        sched_yield();
}

// If some threads cannot be started, the caller does more.
void Team::start_helpers() noexcept
{
    started_ = true;
    try {
        for (int i = 1; i < threads_; ++i)
            helpers_.push_back(base::start_helper_thread("tutti-reduce", [this] { help(); }));
    } catch (const std::system_error&) {
    }
}

void Team::help() noexcept
{
    while (!stopping_.load()) {
        const std::uint32_t rung = bell_.load();
        present_.fetch_add(1);
        if (open_.load())
            take_chunks();
        present_.fetch_sub(1);
        if (!stopping_.load())
            base::futex_wait(bell_, rung, -1);
    }
}

void Team::take_chunks() noexcept
{
    for (;;) {
        const std::size_t first = next_.fetch_add(job_.chunk, std::memory_order_relaxed);
        if (first >= job_.count)
            return;
        const std::size_t offset = first * job_.element_bytes;
        job_.kernel(job_.dst + offset, job_.a + offset, job_.b + offset,
                    std::min(job_.chunk, job_.count - first));
    }
}

void Team::ring() noexcept
{
    bell_.fetch_add(1);
    base::futex_wake_all(bell_);
}

void reduce_shared(Kernel kernel, void* dst, const void* a, const void* b, std::size_t count,
                   std::size_t element_bytes)
{
    if (Team* const team = team_of_process.load(std::memory_order_acquire))
        team->reduce(kernel, dst, a, b, count, element_bytes);
    else
        kernel(dst, a, b, count);
}

int reduction_threads(int cores)
{
    if (const auto wanted = number_in(settings::value_of("TUTTI_REDUCE_THREADS"), false)) {
        if (*wanted < 1 || *wanted > kMostWanted)
            throw Error(
                ErrorCode::invalid_argument, "environment",
                fmt::format("TUTTI_REDUCE_THREADS={}{} is no number of threads from 1 to {}; 1 makes every "
                            "rank reduce alone",
                            settings::value_of("TUTTI_REDUCE_THREADS"),
                            settings::origin_of("TUTTI_REDUCE_THREADS"), kMostWanted));
        return *wanted;
    }
    const int bound = number_in(std::getenv("OMP_NUM_THREADS"), true).value_or(kMostThreads);
    return std::clamp(std::min(cores, bound), 1, kMostThreads);
}

}  // namespace tutti::reduction
