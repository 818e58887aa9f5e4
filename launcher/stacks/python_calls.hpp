// Where the threads of another process are in programs of Python: read from the interpreter's own memory, as
// the stack of its machine code says nothing of them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "launcher/stacks/stack.hpp"

namespace tutti::launcher {

/// What CPython 3.11 and later export, by its address in the process.
struct PythonSymbols {
    std::uint64_t runtime = 0;  // _PyRuntime
    std::uint64_t version = 0;  // Py_Version

    bool are_known() const noexcept { return runtime != 0 && version != 0; }
};

/// The calls of each thread that runs Python, from the innermost out, `most` at most. Nothing is run in the
/// process, and nothing of it is relied on: what cannot be read, or makes no sense, is left out. Of versions
/// whose layout is known, 3.11 to 3.13; of others nothing.
std::map<pid_t, std::vector<CodePlace>> python_calls(pid_t process, const PythonSymbols& symbols,
                                                     std::size_t most);

}  // namespace tutti::launcher
