// All ranks add to one counter: what deals out work, and what an update costs that many ranks want at once.
#pragma once

#include <cstdint>
#include <optional>

#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

/// Rounds of fetch_and_op by all ranks, each of which waits for its value before it asks for the next. The
/// round is over with the last rank.
template <Backend B>
void shared_counter(Session<B>& session)
{
    B& job = session.job();
    session.open(Start::barrier);
    session.expect_rows(1);
    session.begin_row();
    std::int64_t counter = 0;
    auto window = job.window(session.options().window_kind, std::span(&counter, job.rank() == 0 ? 1 : 0));
    if (job.rank() == 0)
        window.local().front() = 0;
    job.barrier();
    std::int64_t made = 0;
    std::int64_t wrong = 0;
    Series series = [&] {
        const auto all = window.lock_all();
        const auto target = all[0];
        const auto count = [&](int operations) {
            std::int64_t last = -1;
            for (int i = 0; i < operations; ++i) {
                std::int64_t ticket = 0;
                B::next_of(target, std::int64_t{1}, ticket);
                wrong += ticket > last ? 0 : 1;
                last = ticket;
            }
            made += operations;
        };
        return session.sampler().rounds(Over::slowest, {2000, 200}, [&](LoopCount loop) {
            count(loop.warmup);
            job.barrier();
            const double begin = now_us();
            count(loop.iterations);
            return (now_us() - begin) / loop.iterations;
        });
    }();
    const std::optional<bool> valid = session.checked([&] {
        const std::vector<std::int64_t> all = gathered(job, std::span<const std::int64_t>(&made, 1));
        std::int64_t counted = 0;
        if (job.rank() == 0) {
            const auto own = window.lock(0);
            counted = window.local().front();
        }
        const bool lost =
            job.rank() == 0 && counted != std::accumulate(all.begin(), all.end(), std::int64_t{0});
        return none_wrong(job, static_cast<std::size_t>(wrong) + (lost ? 1 : 0));
    });
    session.row(
        {}, series, [&](double us) { return 1e6 * job.size() / us; }, valid);
}

}  // namespace tutti::bench
