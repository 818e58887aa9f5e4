// What is known of where a process is: the stacks of its threads, as its debug information names them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace tutti::launcher {

struct StackFrame {
    std::string function;  // demangled, or an address where no symbol is known
    std::string file;      // empty without debug information
    int line = 0;
    std::string object;    // the program or library that it is in, without its folder
    bool of_user = false;  // neither of Tutti, nor of the system's libraries

    static auto fields(auto& self)
    {
        return std::tie(self.function, self.file, self.line, self.object, self.of_user);
    }
};

/// An address in the file of a program or library; or in memory that belongs to no file.
struct CodePlace {
    std::string object;  // path; empty: none
    std::uint64_t address = 0;
    std::string symbol{};  // what its process calls it, where the file cannot be read any more
    int line = 0;          // of a program in Python: the object is its file, the symbol its function

    friend auto operator<=>(const CodePlace&, const CodePlace&) = default;
    static auto fields(auto& self) { return std::tie(self.object, self.address, self.symbol, self.line); }
};

/// The frame of a place in a program in Python.
StackFrame frame_of_python(const CodePlace& place);

/// Puts the calls of Python, from the innermost out, in place of those of their interpreter, whose file is
/// `interpreter`.
void put_python_calls(std::vector<CodePlace>& places, std::vector<CodePlace> calls,
                      const std::string& interpreter);

/// The frame of a place about which nothing else is known.
StackFrame unnamed(const CodePlace& place);

/// Of the frames at one place the innermost of the user, or else the outermost.
StackFrame most_informative(const CodePlace& place, const std::vector<StackFrame>& frames);

/// Frames from the innermost out.
struct ThreadStack {
    pid_t thread = 0;
    std::string name;
    std::vector<StackFrame> frames;

    static auto fields(auto& self) { return std::tie(self.thread, self.name, self.frames); }
};

struct ProcessStacks {
    std::vector<ThreadStack> threads;
    std::string missing;  // why some or all are missing, with the remedy; empty: nothing is

    static auto fields(auto& self) { return std::tie(self.threads, self.missing); }
};

/// A thread's calls as they are read from its process: by their places, which others may have named already.
struct UnwoundThread {
    pid_t thread = 0;
    std::string name;
    std::vector<CodePlace> places;  // from the innermost out

    static auto fields(auto& self) { return std::tie(self.thread, self.name, self.places); }
};

struct UnwoundProcess {
    std::vector<UnwoundThread> threads;
    std::string missing;  // as in ProcessStacks

    static auto fields(auto& self) { return std::tie(self.threads, self.missing); }
};

struct StackLimits {
    pid_t thread = 0;             // only this one; 0: the main thread first, then the others
    bool behind_handler = false;  // leave out the signal handler that the thread is in
    std::size_t threads = 16;
    std::size_t frames = 64;  // a thread
    std::chrono::milliseconds time{2000};
};

/// One line a frame, each beginning with `indent`: those of the user's program first, then one line for the
/// calls of libraries above them. Recursion is one line, with its depth. At most `most` frames are shown.
std::string describe_frames(const std::vector<StackFrame>& frames, const std::string& indent,
                            std::size_t most = 12);

/// For a whole stack: that its program has to be compiled with -g, so that lines are shown. Empty where they
/// are, and where no function of the program is in it.
std::string hint_at_lines(const std::vector<StackFrame>& frames);

/// Whether a frame is of the user's program.
bool is_of_user(const StackFrame& frame);

}  // namespace tutti::launcher
