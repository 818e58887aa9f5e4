// Where threads are in programs of Python: read from the interpreter's memory, of this process or another, as
// the stack of its machine code says nothing of them. Nothing is run, and nothing is relied on: what cannot
// be read, or makes no sense, is left out.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::observe {

struct PythonCall {
    std::string file;
    std::string function;
    int line = 0;
};

/// Where CPython has things, in bytes: offsetof in its internal headers.
struct PythonLayout;

/// Whether the file belongs to Python or to what is installed for it, not to the user's program.
bool is_of_python_package(std::string_view file) noexcept;

/// The calls in a process that runs CPython 3.11 to 3.13 with its global lock.
class PythonFrames {
public:
    /// `version`: the address of Py_Version there. Empty for versions whose layout is not known.
    static std::optional<PythonFrames> of(pid_t process, std::uint64_t version);

    /// The kernel's number and the state of each thread of all interpreters. `runtime`: the address of
    /// _PyRuntime.
    std::vector<std::pair<pid_t, std::uint64_t>> threads_of(std::uint64_t runtime) const;
    /// The calls of a thread with that state, from the innermost out, `most` at most.
    std::vector<PythonCall> calls_of(std::uint64_t state, std::size_t most) const;

    /// A place in a program, by which it is known again.
    struct Site {
        std::uint64_t code = 0;
        std::uint64_t lines = 0;  // another code at that address has another table or first line
        std::uint64_t instruction = 0;
    };
    /// The call behind a site of this process.
    PythonCall call_at(const Site& site) const;
    /// The sites of the calling thread, whose state this is, from the innermost out: fills `sites` and
    /// returns how many there are. Reads memory without asking the kernel: only where calls_of() has found
    /// calls.
    std::size_t own_sites(std::uint64_t state, Site* sites, std::size_t most) const noexcept;

private:
    PythonFrames(pid_t process, const PythonLayout& layout) noexcept : process_(process), layout_(&layout) {}

    bool read(std::uint64_t from, void* to, std::size_t bytes) const;
    template <class Value>
    Value value(std::uint64_t from) const
    {
        Value result{};
        return read(from, &result, sizeof result) ? result : Value{};
    }
    std::uint64_t pointer(std::uint64_t from) const { return value<std::uint64_t>(from); }
    bool is_code(std::uint64_t object) const;
    std::string text(std::uint64_t object) const;
    std::optional<int> line(std::uint64_t code, std::uint64_t instruction) const;

    pid_t process_;
    const PythonLayout* layout_;
};

}  // namespace tutti::observe
