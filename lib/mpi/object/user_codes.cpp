#include "lib/mpi/object/user_codes.hpp"

#include <fmt/format.h>

#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

// Never destroyed: other threads may fail after main.
UserCodes& user_codes() noexcept
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

std::optional<UserCode> find_user_code(int code)
{
    const std::lock_guard lock(user_codes().mutex);
    const auto found = user_codes().all.find(code);
    return found == user_codes().all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tutti::mpi
