// Runs ranks as threads of one process.
#include <fmt/format.h>

#include <mutex>
#include <thread>
#include <vector>

#include "lib/core/job/conclude.hpp"
#include "lib/core/job/make_process.hpp"
#include "lib/core/process/process.hpp"
#include "lib/engine/bootstrap/inproc.hpp"
#include "lib/foundation/base/job_aborted.hpp"
#include "transports/inproc/inproc_transport.hpp"
#include "tutti/environment.hpp"

namespace tutti {

void run_threads(int ranks, const std::function<void(Environment&)>& body, EnvironmentOptions options)
{
    if (ranks < 1 || ranks > 4096)
        throw Error(ErrorCode::invalid_argument, "run_threads",
                    fmt::format("{} ranks requested; 1 to 4096 are possible", ranks));
    auto hub = std::make_shared<transport::InprocHub>(ranks);
    auto job =
        std::make_shared<bootstrap::InprocJob>(ranks, [hub](const std::string& why) { hub->abort(why); });

    std::mutex mutex;
    std::exception_ptr first_error;
    bool is_cause = false;
    const auto failed = [&](int rank, bool caused) {
        const std::lock_guard lock(mutex);
        // The rank whose exception ended the job may report later than ranks that it stopped.
        if (!first_error || (caused && !is_cause)) {
            first_error = std::current_exception();
            is_cause = caused;
        }
        job->abort(fmt::format("rank {} ended with an exception", rank));
    };
    const auto run_rank = [&](int rank) {
        const auto guarded = [&](auto&& part) {
            try {
                part();
            } catch (const base::JobAborted&) {
                failed(rank, false);
            } catch (...) {
                failed(rank, true);
            }
        };
        guarded([&] {
            Environment environment(
                detail::make_process(std::make_unique<bootstrap::InprocBootstrap>(job, rank), options, hub));
            // The failure is reported before the rank leaves: others must not take its leaving for the cause.
            guarded([&] {
                body(environment);
                detail::conclude(*environment.process_);
            });
        });
    };
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back(run_rank, rank);
    threads.clear();
    if (first_error)
        std::rethrow_exception(first_error);
}

}  // namespace tutti
