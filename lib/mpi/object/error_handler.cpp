#include "lib/mpi/object/error_handler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <type_traits>
#include <utility>

#include "lib/core/process/process.hpp"
#include "lib/foundation/base/say.hpp"
#include "lib/mpi/object/callbacks.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/runtime.hpp"

namespace tutti::mpi {

using Action = ErrorHandler::Action;

namespace {

ErrorHandler& predefined_handler(Action action, std::uintptr_t handle)
{
    return *new ErrorHandler(action, handle);
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

template <class Handle>
int take_code(const char* call, const ErrorHandler& handler, Handle object, int code)
{
    switch (handler.action) {
        case Action::end_job:
            end_job(code);
        case Action::give_back:
            break;
        case Action::call:
            call_error_handler(handler, object, code, call);
            break;
        case Action::throw_exception:
            throw_error(object, code, call);
            break;
    }
    return code;
}

template <class Handle>
int code_on(const char* call, Handle object, const std::exception_ptr& error)
{
    const Reason reason = reason_of(error);
    std::string words = described(object);
    if (std::is_same_v<Handle, MPI_File> && reason.detail.find(words) != reason.detail.npos)
        words.clear();  // the core's errors name the file
    return make_code(reason.error_class,
                     fmt::format("{}{}{}: {}", call, words.empty() ? "" : " on ", words, reason.detail));
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

ErrorHandler& returned_errors() noexcept
{
    return *ErrorHandler::predefined[3];
}

ErrorHandler& error_handler_of(MPI_Errhandler handle)
{
    ErrorHandler* const found = find<ErrorHandler>(handle);
    if (found == nullptr) [[unlikely]]
        fail(MPI_ERR_ERRHANDLER,
             "the error handler was freed, or is none; take a predefined one or create one");
    return *found;
}

ErrorHandler& error_handler_of(MPI_Errhandler handle, ErrorHandler::Objects objects)
{
    using Objects = ErrorHandler::Objects;
    struct Words {
        Objects objects;
        std::string_view name;
        std::string_view prefix;
    };
    static constexpr Words kWords[] = {{Objects::communicators, "communicators", "MPI_Comm"},
                                       {Objects::files, "files", "MPI_File"},
                                       {Objects::windows, "windows", "MPI_Win"}};
    ErrorHandler& found = error_handler_of(handle);
    if (found.objects != Objects::all && found.objects != objects)
        fail(MPI_ERR_ERRHANDLER,
             fmt::format("the error handler is one of {}; make one with {}_create_errhandler",
                         std::ranges::find(kWords, found.objects, &Words::objects)->name,
                         std::ranges::find(kWords, objects, &Words::objects)->prefix));
    return found;
}

std::string ErrorOwner::name() const
{
    const std::lock_guard lock(mutex_);
    return name_;
}

Ref<ErrorHandler> ErrorOwner::error_handler() const
{
    const std::lock_guard lock(mutex_);
    return error_handler_;
}

void ErrorOwner::set_error_handler(ErrorHandler& handler)
{
    Ref<ErrorHandler> taken(&handler);
    const std::lock_guard lock(mutex_);
    std::swap(error_handler_, taken);
}

// The handler may free itself, or its owner.
int hand_over(const char* call, MPI_Comm comm, int code)
{
    Ref<ErrorHandler> handler = handler_of(comm);
    if (!handler) {
        comm = comm_of_other_errors();
        handler = handler_of(comm);
    }
    if (!handler)
        end_job(code);  // MPI is not running
    return take_code(call, *handler, comm, code);
}

int hand_over(const char* call, MPI_Win window, int code)
{
    const Ref<ErrorHandler> handler = handler_of(window);
    return handler ? take_code(call, *handler, window, code) : hand_over(call, MPI_COMM_NULL, code);
}

int hand_over(const char* call, MPI_File file, int code)
{
    const Ref<ErrorHandler> handler = handler_of_file(file);
    return take_code(call, *handler, file, code);
}

int code_of(const char* call, MPI_File file, const std::exception_ptr& error)
{
    return code_on(call, file, error);
}

int code_of(const char* call, MPI_Comm comm, const std::exception_ptr& error)
{
    return code_on(call, comm, error);
}

int raise(const char* call, MPI_Comm comm, const std::exception_ptr& error)
{
    return hand_over(call, comm, code_on(call, comm, error));
}

int raise(const char* call, MPI_File file, const std::exception_ptr& error)
{
    return hand_over(call, file, code_on(call, file, error));
}

int raise(const char* call, MPI_Win window, const std::exception_ptr& error)
{
    return hand_over(call, window, code_on(call, window, error));
}

int raise_by(const char* call, MPI_Errhandler given, const std::exception_ptr& error)
{
    const Ref<ErrorHandler> handler(find<ErrorHandler>(given));
    return handler ? take_code(call, *handler, MPI_COMM_NULL, code_of(call, MPI_COMM_NULL, error))
                   : raise(call, MPI_COMM_NULL, error);
}

}  // namespace tutti::mpi
