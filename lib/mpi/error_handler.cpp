#include "lib/mpi/error_handler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "lib/core/job/process.hpp"
#include "lib/foundation/base/say.hpp"
#include "lib/mpi/callbacks.hpp"
#include "lib/mpi/communicator.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/runtime.hpp"
#include "lib/mpi/window.hpp"

namespace tutti::mpi {

using Action = ErrorHandler::Action;

namespace {

ErrorHandler& predefined_handler(Action action, std::uintptr_t handle)
{
    return *new ErrorHandler(action, handle);
}

// nullptr if `comm` is none, and MPI does not run.
Communicator* raiser(MPI_Comm comm) noexcept
{
    Communicator* const given = find<Communicator>(comm);
    return given != nullptr ? given : find<Communicator>(comm_of_other_errors());
}

[[noreturn]] void end_job(int code)
{
    const int status = class_of(code) < 256 ? class_of(code) : 1;
    std::fflush(nullptr);
    if (Runtime::is_running())
        Runtime::process().abort(status, words_of(code));
    base::say(fmt::format("tutti: {}\n", words_of(code)));
    _exit(status);
}

void call_function(const ErrorHandler& handler, MPI_Comm comm, int& code, const char* call)
{
    call_error_handler(handler.function, comm, code, call);
}

void call_function(const ErrorHandler& handler, MPI_Win window, int& code, const char* call)
{
    call_error_handler(handler.window_function, window, code, call);
}

template <class Handle>
int take_code(const char* call, const ErrorHandler& handler, Handle object, int code)
{
    switch (handler.action) {
        case Action::end_job:
            end_job(code);
        case Action::give_back:
            break;
        case Action::call:
            call_function(handler, object, code, call);
            break;
        case Action::throw_exception:
            throw_error(object, code, call);
            break;
    }
    return code;
}

}  // namespace

const Predefined<ErrorHandler, ErrorHandler::kPredefined> ErrorHandler::predefined = {
    nullptr,
    &predefined_handler(Action::end_job, 0x141),
    &predefined_handler(Action::end_job, 0x142),
    &predefined_handler(Action::give_back, 0x143),
    &predefined_handler(Action::throw_exception, kThrows),
};

ErrorHandler& fatal_errors() noexcept
{
    return *ErrorHandler::predefined[1];
}

ErrorHandler& error_handler_of(MPI_Errhandler handle)
{
    ErrorHandler* const found = find<ErrorHandler>(handle);
    if (found == nullptr) [[unlikely]]
        fail(MPI_ERR_ERRHANDLER,
             "the error handler was freed, or is none; take a predefined one or create one");
    return *found;
}

int hand_over(const char* call, MPI_Comm comm, int code)
{
    const Communicator* const communicator = raiser(comm);
    if (communicator == nullptr)
        end_job(code);
    // The handler may free itself, or the communicator.
    const Ref<ErrorHandler> handler = communicator->error_handler();
    return take_code(call, *handler, handle_of(*communicator), code);
}

int code_of(const char* call, MPI_Comm comm, const std::exception_ptr& error)
{
    const Reason reason = reason_of(error);
    const Communicator* const communicator = find<Communicator>(comm);
    const std::string on =
        communicator == nullptr ? std::string() : fmt::format(" on {}", described(*communicator));
    return make_code(reason.error_class, fmt::format("{}{}: {}", call, on, reason.detail));
}

int raise(const char* call, MPI_Comm comm, const std::exception_ptr& error)
{
    return hand_over(call, comm, code_of(call, comm, error));
}

int hand_over(const char* call, MPI_Win window, int code)
{
    const Window* const found = find<Window>(window);
    if (found == nullptr)
        return hand_over(call, MPI_COMM_NULL, code);
    const Ref<ErrorHandler> handler = found->error_handler();
    return take_code(call, *handler, window, code);
}

int raise(const char* call, MPI_Win window, const std::exception_ptr& error)
{
    const Window* const found = find<Window>(window);
    if (found == nullptr)
        return raise(call, MPI_COMM_NULL, error);
    const Reason reason = reason_of(error);
    return hand_over(
        call, window,
        make_code(reason.error_class, fmt::format("{} on {}: {}", call, described(*found), reason.detail)));
}

int raise_by(const char* call, MPI_Errhandler given, const std::exception_ptr& error)
{
    const Ref<ErrorHandler> handler(find<ErrorHandler>(given));
    return handler ? take_code(call, *handler, MPI_COMM_NULL, code_of(call, MPI_COMM_NULL, error))
                   : raise(call, MPI_COMM_NULL, error);
}

}  // namespace tutti::mpi
