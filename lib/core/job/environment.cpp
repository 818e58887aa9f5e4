#include "tutti/environment.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/job.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/base/clock.hpp"

namespace tutti {

namespace {

// One Environment at a time. Only the main thread makes and ends it.
bool has_environment = false;

}  // namespace

Environment::Environment(int, char**, EnvironmentOptions options) : Environment(options) {}

Environment::Environment(EnvironmentOptions options) : Environment(std::unique_ptr<Bootstrap>(), options) {}

Environment::Environment(std::unique_ptr<Bootstrap> bootstrap, EnvironmentOptions options)
    : is_thread_(false), uncaught_at_start_(std::uncaught_exceptions())
{
    if (has_environment)
        throw Error(ErrorCode::invalid_argument, "Environment",
                    "this process has an Environment already; make one, in main, and pass it on");
    process_ = detail::Job::join(std::move(bootstrap), options);
    has_environment = true;
}

Environment::Environment(std::shared_ptr<detail::Process> process)
    : process_(std::move(process)), is_thread_(true), uncaught_at_start_(std::uncaught_exceptions())
{
}

Environment::~Environment()
{
    const bool unwinding = std::uncaught_exceptions() > uncaught_at_start_;
    if (is_thread_) {
        detail::leave_thread(*process_, unwinding);
    } else {
        has_environment = false;
        detail::Job::leave(std::move(process_), unwinding);
    }
}

Communicator Environment::world() const&
{
    return CommunicatorAccess::handle_of(process_->world());
}

Communicator Environment::self() const&
{
    return CommunicatorAccess::handle_of(process_->self());
}

ThreadLevel Environment::thread_level() const noexcept
{
    return process_->thread_level();
}

void Environment::abort(int status, const std::string& message) const
{
    process_->abort(status < 1 || status > 255 ? 1 : status,
                    message.empty() ? "called abort" : fmt::format("called abort: {}", message));
}

double wall_time() noexcept
{
    return static_cast<double>(base::now_ns()) * 1e-9;
}

}  // namespace tutti
