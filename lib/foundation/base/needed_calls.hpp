// System calls that cannot be done without. A filter (seccomp), of a container or a service, may deny them:
// then jobs would hang, or end without a reason.
#pragma once

#include <optional>
#include <string>

namespace tutti::base {

enum class Caller { launcher, rank, libpmix };

/// Tries all that the caller needs, in ways that change nothing. A sentence about those that are denied.
std::optional<std::string> denied_calls(Caller caller);

/// Writes a line to standard error, also where write() is denied.
void say_without_write(const std::string& line) noexcept;

}  // namespace tutti::base
