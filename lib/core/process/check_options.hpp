// Which mistakes are looked for at run time: TUTTI_CHECK, which tuttirun --check sets.
#pragma once

#include <string_view>

namespace tutti::check {

struct Options {
    bool types = false;     // messages received as another type
    bool buffers = false;   // buffers changed while they are sent or received
    bool requests = false;  // operations never completed
    bool messages = false;  // messages never received
    bool handles = false;   // communicators and MPI objects never freed
    bool windows = false;   // accesses to windows that conflict
    bool threads = false;   // calls of threads that the thread level does not allow
    bool races = false;     // receives that depend on the order of arrival
    bool fails = true;      // whether findings change the exit status

    bool any() const noexcept
    {
        return types || buffers || requests || messages || handles || windows || threads || races;
    }
};

/// "", "0", "off": nothing. "1", "on": all but races. Else a list of the names above, where "all" is
/// everything, and "report" leaves the exit status as it is. Throws ErrorCode::invalid_argument for others.
Options parse_options(std::string_view text);

/// Those of this process, read once. Throws as parse_options().
const Options& options();

}  // namespace tutti::check
