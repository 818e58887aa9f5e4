#include "lib/mpi/runtime.hpp"

#include <memory>
#include <thread>

#include "lib/core/check/checker.hpp"
#include "lib/core/job/job.hpp"
#include "lib/core/job/process.hpp"
#include "lib/foundation/control/channel.hpp"
#include "lib/mpi/buffered.hpp"
#include "lib/mpi/communicator.hpp"
#include "lib/mpi/datatype.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/handle_check.hpp"
#include "lib/mpi/info.hpp"
#include "lib/mpi/op.hpp"
#include "lib/mpi/request.hpp"

namespace tutti::mpi {

namespace {

struct State {
    std::shared_ptr<detail::Process> process;
    std::thread::id main_thread;
};

// Never destroyed: a program may end without MPI_Finalize.
State& state() noexcept
{
    static State& all = *new State;
    return all;
}

// For reports of checks.
std::string name_of_communicator(std::uint64_t context)
{
    const MPI_Comm handle = communicator_with(context);
    if (handle != MPI_COMM_NULL)
        return described(communicator_of(handle));
    return context == detail::kWorldContext ? "MPI_COMM_WORLD" : "";
}

}  // namespace

void Runtime::begin(ThreadLevel threads)
{
    if (phase() != Phase::before)
        fail(MPI_ERR_OTHER, "MPI was initialised before; a process does it once");
    State& all = state();
    all.process = detail::Job::join(nullptr, {.threads = threads});
    process_ = all.process.get();
    if (control::Channel* const launcher = all.process->bootstrap().control())
        launcher->joined("MPI_Finalize");
    all.main_thread = std::this_thread::get_id();
    define_basic_types();
    define_operators();
    define_communicators(*all.process);
    define_done_request(*all.process);
    check::Checker::add_names(name_of_communicator);
    phase_.store(Phase::running, std::memory_order_release);
    define_info_of_start();
}

void Runtime::end()
{
    if (phase() != Phase::running)
        fail(MPI_ERR_OTHER, "MPI is not running: it was not initialised, or has been finalized");
    State& all = state();
    end_buffers();
    if (check::Checker* const checker = all.process->checker()) {
        const auto lock = all.process->engine().lock();
        report_handles(*checker);
    }
    forget_communicators();
    phase_.store(Phase::ended, std::memory_order_release);
    process_ = nullptr;
    detail::Job::leave(std::move(all.process), false);
}

bool Runtime::is_main_thread() noexcept
{
    return std::this_thread::get_id() == state().main_thread;
}

}  // namespace tutti::mpi
