// Error handlers: what becomes of a call's error.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/object.hpp"
#include "lib/mpi/object/views.hpp"

namespace tutti::mpi {

struct ErrorHandler final : ObjectOf<ErrorHandler> {
    using Handle = MPI_Errhandler;
    static constexpr std::uintptr_t kFirst = 0x140;
    static constexpr std::size_t kPredefined = 8;
    static constexpr Kind kKind = Kind::error_handler;
    static const Predefined<ErrorHandler, kPredefined> predefined;

    enum class Action { end_job, give_back, call, throw_exception };
    /// The objects whose errors it takes.
    enum class Objects { all, communicators, files, windows };
    /// MPI::ERRORS_THROW_EXCEPTIONS of the old C++ bindings: for facades alone.
    static constexpr std::uintptr_t kThrows = 0x144;

    explicit ErrorHandler(Action what, std::uintptr_t handle = 0) noexcept : ObjectOf(handle), action(what) {}
    explicit ErrorHandler(MPI_Comm_errhandler_function* called, Language of = Language::c) noexcept
        : action(Action::call), objects(Objects::communicators), language(of), function(called)
    {
    }
    explicit ErrorHandler(MPI_File_errhandler_function* called, Language of = Language::c) noexcept
        : action(Action::call), objects(Objects::files), language(of), file_function(called)
    {
    }
    explicit ErrorHandler(MPI_Win_errhandler_function* called, Language of = Language::c) noexcept
        : action(Action::call), objects(Objects::windows), language(of), window_function(called)
    {
    }

    Action action;
    Objects objects = Objects::all;
    Language language = Language::c;
    void (*cxx_caller)() = nullptr;  // of a function in C++
    MPI_Comm_errhandler_function* function = nullptr;
    MPI_File_errhandler_function* file_function = nullptr;
    MPI_Win_errhandler_function* window_function = nullptr;
};

/// What communicators, files and windows have in common: a name, and the handler of their errors. Any thread.
class ErrorOwner {
public:
    explicit ErrorOwner(ErrorHandler& handler) noexcept : error_handler_(&handler) {}

    std::string name() const;
    Ref<ErrorHandler> error_handler() const;
    void set_error_handler(ErrorHandler& handler);

protected:
    mutable std::mutex mutex_;
    std::string name_;  // under the mutex

private:
    Ref<ErrorHandler> error_handler_;
};

// Defined by the code of communicators, files and windows. Any thread.

/// The error handler of a communicator or window; empty for a handle that is none.
Ref<ErrorHandler> handler_of(MPI_Comm comm);
Ref<ErrorHandler> handler_of(MPI_Win window);
/// The error handler of a file; that of MPI_FILE_NULL, and MPI_FILE_NULL in `file`, for a handle that is
/// none.
Ref<ErrorHandler> handler_of_file(MPI_File& file);
/// The name of a communicator, file or window, or what it is in words; empty for a handle that is none.
std::string described(MPI_Comm comm);
std::string described(MPI_File file);
std::string described(MPI_Win window);
/// The communicator of messages and collectives with this context; MPI_COMM_NULL if it was freed.
MPI_Comm communicator_with(std::uint64_t context) noexcept;

/// MPI_ERRORS_ARE_FATAL.
ErrorHandler& fatal_errors() noexcept;
/// MPI_ERRORS_RETURN.
ErrorHandler& returned_errors() noexcept;
ErrorHandler& error_handler_of(MPI_Errhandler handle);
/// error_handler_of() for one of such objects. Throws Failure for a handler that was made for others.
ErrorHandler& error_handler_of(MPI_Errhandler handle, ErrorHandler::Objects objects);

/// The code of an exception that ended `call` on `comm`, which may be no communicator.
int code_of(const char* call, MPI_Comm comm, const std::exception_ptr& error);
/// Makes a code of the exception and gives it to the error handler of `comm`, or of comm_of_other_errors() if
/// that is no communicator. Returns the code if the handler returns.
int raise(const char* call, MPI_Comm comm, const std::exception_ptr& error);
/// raise() to the error handler of what `call` would have made, or of comm_of_other_errors() if it is none.
int raise_by(const char* call, MPI_Errhandler given, const std::exception_ptr& error);
/// raise() for a code that exists already.
int hand_over(const char* call, MPI_Comm comm, int code);

/// To a window's error handler, or that of comm_of_other_errors() if it is no window.
int raise(const char* call, MPI_Win window, const std::exception_ptr& error);
int hand_over(const char* call, MPI_Win window, int code);

/// To a file's error handler, or that of MPI_FILE_NULL if it is no file.
int raise(const char* call, MPI_File file, const std::exception_ptr& error);
int hand_over(const char* call, MPI_File file, int code);
int code_of(const char* call, MPI_File file, const std::exception_ptr& error);

}  // namespace tutti::mpi
