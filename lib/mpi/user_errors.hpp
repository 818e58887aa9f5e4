// Error classes and codes that the program adds. They lie above MPI_ERR_LASTCODE.
#pragma once

#include <optional>
#include <string>

namespace tutti::mpi {

/// The class of such a code; nullopt for one that is none. Any thread.
std::optional<int> class_of_user_code(int code);
/// What the program says of it, which may be nothing; nullopt for one that is none. Any thread.
std::optional<std::string> words_of_user_code(int code);

/// The value of MPI_LASTUSEDCODE, which only calls that add change.
int& last_used_code() noexcept;

}  // namespace tutti::mpi
