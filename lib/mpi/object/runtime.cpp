#include "lib/mpi/object/runtime.hpp"

#include <thread>
#include <utility>

#include "lib/mpi/object/errors.hpp"

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

}  // namespace

void Runtime::set_running(std::shared_ptr<detail::Process> joined)
{
    process_ = joined.get();
    state() = {std::move(joined), std::this_thread::get_id()};
    phase_.store(Phase::running, std::memory_order_release);
}

std::shared_ptr<detail::Process> Runtime::set_ended()
{
    phase_.store(Phase::ended, std::memory_order_release);
    process_ = nullptr;
    return std::move(state().process);
}

void Runtime::check_running()
{
    if (!is_running())
        fail(MPI_ERR_OTHER, "MPI is not running: it was not initialised, or has been finalized");
}

bool Runtime::is_main_thread() noexcept
{
    return std::this_thread::get_id() == state().main_thread;
}

}  // namespace tutti::mpi
