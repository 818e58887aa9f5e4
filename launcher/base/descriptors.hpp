// Descriptors, the limit of open files (ulimit -n), and errors that name it.
#pragma once

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::launcher {

using base::UniqueFd;

/// The ends of a pipe, to read and to write. Closed by exec. Throws std::system_error that begins with
/// `what`.
std::pair<UniqueFd, UniqueFd> make_pipe(const char* what);
/// Both ends of a pair of local sockets of this type, closed by exec. Throws like make_pipe().
std::pair<UniqueFd, UniqueFd> make_socket_pair(int type, const char* what);

/// The same with a number that neither scripts nor shells use.
UniqueFd move_up(UniqueFd fd);

/// Opens /dev/null in place of these descriptors.
void redirect_to_null(std::initializer_list<int> descriptors);

/// Closes all descriptors above standard error but `kept`, which gets the first number there.
UniqueFd keep_only(UniqueFd kept);

/// Throws std::runtime_error with the limit and the remedy when this process cannot open `more`
/// descriptors. `what` needs them: "starting 2 ranks here".
void require_open_files(int more, const std::string& what);

/// Opens a file to write to it; creates it where there is none. `flags`: O_TRUNC or O_APPEND. The kernel
/// would wait for a reader of a pipe for ever: here it has to come soon. Without one, as with other errors,
/// errno is set.
UniqueFd open_to_write(const std::string& path, int flags);
/// Why a file that an option names could not be opened or written, in words.
std::string why_not_written(const std::string& path, int error_number);
bool is_regular_file(int fd) noexcept;
/// Writes all of `text`, waiting for room. Returns 0 or the system's error.
int write_fully(int fd, std::string_view text);

/// The system's text for an error, with the remedy where open files are the cause.
std::string describe_system_error(int error_number);
/// The text of an error, with the remedy where open files are the cause.
std::string describe(const std::exception& error);

}  // namespace tutti::launcher
