// What a user's variable says: the environment first, then files of configuration.
#pragma once

#include <string>

namespace tutti::settings {

/// The value of a variable of known_settings(), as std::getenv gives it; where that is unset or empty, what
/// the files of configuration say. tuttirun's ranks do not look at files: it has read them for all, so that
/// hosts with other files agree. Files are read once. Any thread may call. Throws tutti::Error where a file
/// is wrong, in the first call.
const char* value_of(const char* variable);

/// " (/etc/tutti/tutti.conf:3)" where the present value of the variable stands in a file, else empty: to
/// append to "NAME=VALUE" in messages.
std::string origin_of(const std::string& variable);

}  // namespace tutti::settings
