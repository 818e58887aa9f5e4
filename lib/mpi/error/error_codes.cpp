// Error classes and codes: what they mean, and those that the program adds.
#include <fmt/format.h>

#include <algorithm>

#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/strings.hpp"
#include "lib/mpi/object/user_codes.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

bool is_class(const UserCode& entry, int code) noexcept
{
    return entry.error_class == code;
}

/// `body` gets all codes, locked.
template <class Body>
int with_codes(const char* call, Body&& body)
{
    return guard(call, [&] {
        const std::lock_guard lock(user_codes().mutex);
        body(user_codes());
    });
}

}  // namespace

int error_class(int code, int* error_class)
{
    return guard_result("MPI_Error_class", error_class, "errorclass", [&] { return class_of(code); });
}

int error_string(int code, char* string, int* length)
{
    return guard("MPI_Error_string", [&] { copy_out(words_of(code), string, length, MPI_MAX_ERROR_STRING); });
}

int add_error_class(int* error_class)
{
    return with_codes("MPI_Add_error_class", [&](UserCodes& codes) {
        check_not_null(error_class, "errorclass");
        *error_class = codes.add(0);
    });
}

int add_error_code(int error_class, int* code)
{
    return with_codes("MPI_Add_error_code", [&](UserCodes& codes) {
        check_not_null(code, "errorcode");
        const bool is_predefined_class = error_class > MPI_SUCCESS && error_class <= MPI_ERR_ABI;
        if (!is_predefined_class && !is_class(codes.at(error_class), error_class))
            fail(MPI_ERR_ARG, fmt::format("{} is an error code; pass its class", error_class));
        *code = codes.add(error_class);
    });
}

int add_error_string(int code, const char* string)
{
    return with_codes("MPI_Add_error_string", [&](UserCodes& codes) {
        check_not_null(string, "string");
        codes.at(code).words = std::string(string).substr(0, MPI_MAX_ERROR_STRING - 1);
    });
}

int remove_error_class(int error_class)
{
    return with_codes("MPI_Remove_error_class", [&](UserCodes& codes) {
        if (!is_class(codes.at(error_class), error_class))
            fail(MPI_ERR_ARG, fmt::format("{} is an error code; call MPI_Remove_error_code", error_class));
        const auto in_class = [&](const auto& each) { return each.second.error_class == error_class; };
        if (std::ranges::count_if(codes.all, in_class) > 1)
            fail(MPI_ERR_OTHER,
                 fmt::format("class {} still has error codes; remove them first", error_class));
        codes.all.erase(error_class);
    });
}

int remove_error_code(int code)
{
    return with_codes("MPI_Remove_error_code", [&](UserCodes& codes) {
        if (is_class(codes.at(code), code))
            fail(MPI_ERR_ARG, fmt::format("{} is an error class; call MPI_Remove_error_class", code));
        codes.all.erase(code);
    });
}

int remove_error_string(int code)
{
    return with_codes("MPI_Remove_error_string", [&](UserCodes& codes) {
        if (!codes.at(code).words)
            fail(MPI_ERR_ARG, fmt::format("error code {} has no string; add one first", code));
        codes.at(code).words.reset();
    });
}

}  // namespace tutti::mpi
