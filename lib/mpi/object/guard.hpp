// The frame of every body that may fail.
#pragma once

#include <exception>
#include <string_view>
#include <type_traits>

#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

/// Calls `body` and returns MPI_SUCCESS, or the code that `body` returns. What it throws goes to the error
/// handler of `object`, an MPI_Comm, MPI_File or MPI_Win. `call` is the function's name, for the sentence.
/// Costs nothing where nothing is thrown.
template <class Handle, class Body>
[[gnu::always_inline]] inline int guard(const char* call, Handle object, Body&& body)
{
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
            body();
            return MPI_SUCCESS;
        } else {
            return body();
        }
    } catch (...) {
        return raise(call, object, std::current_exception());
    }
}
/// For calls without a communicator: MPI_COMM_SELF's error handler, or what the facade has in its place.
template <class Body>
[[gnu::always_inline]] inline int guard(const char* call, Body&& body)
{
    return guard(call, MPI_COMM_NULL, body);
}

/// For bodies with one result: answer() makes it, for `place`, which is the argument `name`.
template <class Handle, class T, class Answer>
[[gnu::always_inline]] inline int guard_result(const char* call, Handle object, T* place,
                                               std::string_view name, Answer&& answer)
{
    return guard(
        call, object, [&]() __attribute__((always_inline)) {
            check_not_null(place, name);
            *place = answer();
        });
}
template <class T, class Answer>
int guard_result(const char* call, T* place, std::string_view name, Answer&& answer)
{
    return guard_result(call, MPI_COMM_NULL, place, name, answer);
}

/// For calls that are given the error handler of what they make: it takes their errors too. `body` gets it.
template <class Body>
int guard_by(const char* call, MPI_Errhandler given, Body&& body)
{
    try {
        body(error_handler_of(given));
        return MPI_SUCCESS;
    } catch (...) {
        return raise_by(call, given, std::current_exception());
    }
}

}  // namespace tutti::mpi
