#include "lib/mpi/user_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

/// A class is a code of its own class.
struct UserCode {
    int error_class;
    std::optional<std::string> words;
};

struct UserCodes {
    // Throws Failure for a code that is none of the program's.
    UserCode& at(int code);
    // `error_class` 0: a new class. Numbers are never used again.
    int add(int error_class);

    std::mutex mutex;
    std::map<int, UserCode> all;
    int last = MPI_ERR_LASTCODE;
};

// Never destroyed: other threads may fail after main.
UserCodes& user_codes()
{
    static UserCodes& all = *new UserCodes;
    return all;
}

UserCode& UserCodes::at(int code)
{
    const auto found = all.find(code);
    if (found == all.end())
        fail(MPI_ERR_ARG, fmt::format("{} is no error class or code that the program added", code));
    return found->second;
}

int UserCodes::add(int error_class)
{
    ++last;
    all.emplace(last, UserCode{error_class == 0 ? last : error_class, std::nullopt});
    return last;
}

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

std::optional<int> class_of_user_code(int code)
{
    const std::lock_guard lock(user_codes().mutex);
    const auto found = user_codes().all.find(code);
    return found == user_codes().all.end() ? std::nullopt : std::optional(found->second.error_class);
}

std::optional<std::string> words_of_user_code(int code)
{
    const std::lock_guard lock(user_codes().mutex);
    const auto found = user_codes().all.find(code);
    return found == user_codes().all.end() ? std::nullopt
                                           : std::optional(found->second.words.value_or(std::string()));
}

int& last_used_code() noexcept
{
    return user_codes().last;
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
