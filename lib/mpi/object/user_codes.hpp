// Error classes and codes that the program adds. They lie above MPI_ERR_LASTCODE.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi {

struct UserCode {
    int error_class;                   // a class is a code of its own class
    std::optional<std::string> words;  // for MPI_Error_string
};

/// Under the mutex, but for `last`, the value of MPI_LASTUSEDCODE: only calls that add codes change it.
struct UserCodes {
    /// Throws Failure for a code that is none of the program's.
    UserCode& at(int code);
    /// `error_class` 0: a new class. Numbers are never used again.
    int add(int error_class);

    std::mutex mutex;
    std::map<int, UserCode> all;
    int last = MPI_ERR_LASTCODE;
};

UserCodes& user_codes() noexcept;

/// nullopt for a code that is none of the program's. Any thread.
std::optional<UserCode> find_user_code(int code);

}  // namespace tutti::mpi
