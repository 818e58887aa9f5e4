// Stacks of another process: a program that waits at a known place.
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

#include "launcher/stacks/read_stacks.hpp"
#include "launcher/stacks/stack_reader.hpp"
#include "launcher/stacks/stopped_threads.hpp"
#include "lib/foundation/observe/fortran_names.hpp"
#include "tests/temporary_folder.hpp"

using namespace tutti::launcher;

namespace {

/// known_stack, until the end of the test.
class Child {
public:
    explicit Child(const std::string& how, const std::string& program = std::getenv("TUTTI_KNOWN_STACK"))
    {
        auto [ours, theirs] = make_pipe("pipe");
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(theirs.get(), STDOUT_FILENO);
            ::execl(program.c_str(), program.c_str(), how.c_str(), nullptr);
            ::_exit(127);
        }
        theirs.reset();
        char byte = 0;
        // Both threads have said that they are there.
        for (int i = 0; i < (how == "threads" ? 2 : 1); ++i)
            REQUIRE(::read(ours.get(), &byte, 1) == 1);
        REQUIRE(falls_asleep());
    }
    ~Child()
    {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    pid_t pid() const { return pid_; }
    /// Whether its main thread waits in a call within 20 s. What was let go runs for a moment, to begin its
    /// call again; what is stopped or traced never does.
    bool falls_asleep() const
    {
        for (int i = 0; i < 20'000; ++i) {
            if (state() == 'S')
                return true;
            ::usleep(1000);
        }
        return false;
    }

private:
    /// The state of its main thread, as /proc has it.
    char state() const
    {
        const UniqueFd file(::open(("/proc/" + std::to_string(pid_) + "/stat").c_str(), O_RDONLY));
        char text[256] = {};
        [[maybe_unused]] const ssize_t bytes = ::read(file.get(), text, sizeof text - 1);
        const std::string line = text;
        return line.at(line.rfind(')') + 2);
    }

    pid_t pid_ = -1;
};

StackLimits limits_for_tests()
{
    StackLimits limits;
    limits.time = std::chrono::seconds(20);  // a busy machine
    return limits;
}

/// "function:line" of each frame of the user's.
std::vector<std::string> places(const ThreadStack& stack)
{
    std::vector<std::string> result;
    for (const StackFrame& frame : stack.frames)
        if (frame.of_user)
            result.push_back(frame.function.substr(frame.function.rfind(':') + 1) + ":" +
                             std::to_string(frame.line));
    return result;
}

/// Readers that end within 20 s, up to `most` of them.
int ended_readers(int most)
{
    int ended = 0;
    for (int i = 0; i < 20'000 && ended < most; ++i)
        if (::waitpid(-1, nullptr, WNOHANG) > 0)
            ++ended;
        else
            ::usleep(1000);
    return ended;
}

/// As the daemon reads them.
ProcessStacks read_stacks(pid_t process, const StackLimits& limits)
{
    EventLoop loop;
    StackReader reader(loop);
    std::optional<ProcessStacks> answer;
    reader.read(process, limits, [&](ProcessStacks stacks) {
        answer = std::move(stacks);
        loop.stop();
    });
    CHECK_FALSE(answer);  // it has not waited
    loop.run();
    ended_readers(answer->threads.empty() ? 1 : 2);
    return *answer;
}

ThreadStack main_stack(const Child& child, StackLimits limits = limits_for_tests())
{
    const ProcessStacks stacks = read_stacks(child.pid(), limits);
    INFO(stacks.missing);
    REQUIRE(!stacks.threads.empty());
    CHECK(stacks.missing.empty());
    CHECK(stacks.threads.front().thread == child.pid());
    return stacks.threads.front();
}

bool stacks_can_be_read()
{
    if (const std::string why = why_no_stacks(); !why.empty()) {
        WARN("not tested: " << why);
        return false;
    }
    return true;
}

}  // namespace

TEST_CASE("a stack has function, file and line of the user's calls, and the process goes on", "[stacks]")
{
    if (!stacks_can_be_read())
        return;
    const Child child("plain");
    const ThreadStack stack = main_stack(child);
    CHECK(stack.name == "known_stack");
    CHECK(places(stack) == std::vector<std::string>{"wait_here():18", "middle(int):23", "main:71"});
    CHECK(stack.frames.front().object.starts_with("libc.so"));
    CHECK_FALSE(stack.frames.front().of_user);
    const auto middle = std::ranges::find_if(stack.frames, [](const StackFrame& f) { return f.line == 23; });
    REQUIRE(middle != stack.frames.end());
    CHECK(middle->file == "known_stack.cpp");
    CHECK(middle->object == "known_stack");
    CHECK(child.falls_asleep());  // not stopped, not traced
    CHECK(places(main_stack(child)).size() == 3);
}

TEST_CASE("functions that the compiler has put into their callers are reported", "[stacks]")
{
    if (!stacks_can_be_read())
        return;
    const Child child("inline");
    // g++ names it without its parameters.
    const std::string inlined = places(main_stack(child)).at(2);
    CHECK((inlined == "put_into_its_caller:29" || inlined == "put_into_its_caller(int):29"));
    CHECK(places(main_stack(child)) ==
          std::vector<std::string>{"wait_here():18", "middle(int):23", inlined, "main:60"});
}

TEST_CASE("what a signal has interrupted is reported without its handler", "[stacks]")
{
    if (!stacks_can_be_read())
        return;
    const Child child("handler");
    CHECK(places(main_stack(child)).at(0) == "wait_here():18");
    StackLimits limits = limits_for_tests();
    limits.behind_handler = true;
    const std::vector<std::string> found = places(main_stack(child, limits));
    REQUIRE(found.size() == 2);
    CHECK(found.at(0).starts_with("interrupted():"));
    CHECK(found.at(1) == "main:65");
}

TEST_CASE("a deep recursion is cut, and told in one line", "[stacks]")
{
    if (!stacks_can_be_read())
        return;
    const Child child("recursion");
    StackLimits limits = limits_for_tests();
    limits.frames = 40;
    const ThreadStack stack = main_stack(child, limits);
    CHECK(stack.frames.size() == 40);
    const std::string text = describe_frames(stack.frames, "  ");
    CHECK(text.find("recurse(int) at known_stack.cpp:36, which has called itself 37 times\n") !=
          std::string::npos);
    INFO(text);
    CHECK(std::ranges::count(text, '\n') == 3);
}

TEST_CASE("all threads are reported, as far as the limit goes", "[stacks]")
{
    if (!stacks_can_be_read())
        return;
    const Child child("threads");
    StackLimits limits = limits_for_tests();
    const ProcessStacks both = read_stacks(child.pid(), limits);
    REQUIRE(both.threads.size() == 2);
    CHECK(places(both.threads.at(1)).at(1) == "middle(int):23");
    limits.thread = both.threads.at(1).thread;
    const ProcessStacks one = read_stacks(child.pid(), limits);
    REQUIRE(one.threads.size() == 1);
    CHECK(one.threads.at(0).thread == limits.thread);
    limits.thread = 0;
    limits.threads = 1;
    const ProcessStacks cut = read_stacks(child.pid(), limits);
    CHECK(cut.threads.size() == 1);
    CHECK(cut.missing == "1 of 2 threads are not shown");
}

TEST_CASE("a stack that is not to be had is missing with its reason", "[stacks]")
{
    if (!stacks_can_be_read())
        return;
    SECTION("a debugger has the process")
    {
        const Child child("plain");
        REQUIRE(::ptrace(PTRACE_SEIZE, child.pid(), nullptr, nullptr) == 0);
        // Another process tries: the kernel answers EPERM as where a policy forbids it.
        const ProcessStacks answer = read_stacks(child.pid(), limits_for_tests());
        CHECK(answer.threads.empty());
        CHECK(answer.missing == "a debugger has the process (pid " + std::to_string(::getpid()) + ")");
        ::ptrace(PTRACE_DETACH, child.pid(), nullptr, nullptr);
    }
    SECTION("there is no such process")
    {
        CHECK(read_stacks(0x3fffffff, limits_for_tests()).missing == "the process is gone");
    }
}

TEST_CASE("why no process may look into another, and what allows it", "[stacks]")
{
    CHECK(why_ptrace_is_forbidden(0) ==
          "no process may look into another here; in a container allow ptrace (--cap-add=SYS_PTRACE)");
    const auto yama = [](int scope) {
        const std::string words = why_ptrace_is_forbidden(scope);
        return words.substr(words.find("(kernel"));
    };
    CHECK(yama(1) == "(kernel.yama.ptrace_scope is 1); root allows it by: sysctl kernel.yama.ptrace_scope=0");
    CHECK(yama(2) == "(kernel.yama.ptrace_scope is 2); root allows it by: sysctl kernel.yama.ptrace_scope=1");
    CHECK(yama(3) == "(kernel.yama.ptrace_scope is 3); it stays so until the next boot");
}

TEST_CASE("where there is no libdw, the reader says so", "[stacks]")
{
    if (why_no_stacks().empty())
        return;
    CHECK(read_stacks(::getpid(), limits_for_tests()).missing == why_no_stacks());
}

TEST_CASE("names are read once for all processes of a program, and kept", "[stacks]")
{
    if (!stacks_can_be_read())
        return;
    EventLoop loop;
    StackReader reader(loop);
    const Child first("plain");
    const Child second("plain");
    std::vector<ProcessStacks> answers;
    int readers_of_two = 0;
    const std::function<void(ProcessStacks)> done = [&](ProcessStacks stacks) {
        answers.push_back(std::move(stacks));
        if (answers.size() == 2) {
            readers_of_two = ended_readers(3);
            reader.read(first.pid(), limits_for_tests(), done);
        }
        if (answers.size() == 3)
            loop.stop();
    };
    reader.read(first.pid(), limits_for_tests(), done);
    reader.read(second.pid(), limits_for_tests(), done);
    loop.run();
    CHECK(readers_of_two == 3);  // each process's own, and one that has read names
    CHECK(ended_readers(1) == 1);
    ::usleep(50'000);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == 0);
    for (const ProcessStacks& stacks : answers) {
        INFO(stacks.missing);
        REQUIRE(stacks.threads.size() == 1);
        CHECK(places(stacks.threads.at(0)) ==
              std::vector<std::string>{"wait_here():18", "middle(int):23", "main:71"});
    }
}

TEST_CASE("of a program whose file is gone the functions are told that it exports", "[stacks]")
{
    if (!stacks_can_be_read())
        return;
    const tutti::test::TemporaryFolder folder;
    const std::filesystem::path program = folder.path() / "known_stack";
    std::filesystem::copy(std::getenv("TUTTI_KNOWN_STACK"), program);
    const Child child("plain", program);
    std::filesystem::remove(program);
    const ThreadStack stack = main_stack(child);
    CHECK(stack.frames.front().object.starts_with("libc.so"));
    CHECK(std::ranges::any_of(stack.frames,
                              [](const StackFrame& f) { return f.object.starts_with("known_stack"); }));
}

TEST_CASE("frames of libraries are folded, the user's come first", "[stacks]")
{
    const auto frame = [](const char* function, const char* object, const char* file = "", int line = 0) {
        StackFrame result{function, file, line, object, false};
        result.of_user = is_of_user(result);
        return result;
    };
    const std::vector<StackFrame> frames = {
        frame("memcpy", "libc.so.6"),
        frame("memcpy", "libtutti_heap.so"),
        frame("tutti::Communicator::send_bytes(int)", "libtutti.so.0"),
        frame("void tutti::send<std::vector<int> >(int)", "a.out", "communicator.hpp", 12),
        frame("solve(std::vector<int>&)", "a.out", "solver.cpp", 41),
        frame("main", "a.out", "main.cpp", 7),
        frame("__libc_start_main", "libc.so.6"),
        frame("_start", "a.out")};
    CHECK(describe_frames(frames, "  ") ==
          "  solve(std::vector<int>&) at solver.cpp:41\n"
          "  main at main.cpp:7\n"
          "  in libraries: void tutti::send<std::vector<int> >(int) at communicator.hpp:12, ..., memcpy in "
          "libc.so.6\n");
    CHECK(describe_frames({frame("abort", "libc.so.6")}, "  ") == "  abort in libc.so.6\n");
    CHECK(describe_frames(frames, "", 1) ==
          "solve(std::vector<int>&) at solver.cpp:41\n"
          "... 1 more\n"
          "in libraries: void tutti::send<std::vector<int> >(int) at communicator.hpp:12, ..., memcpy in "
          "libc.so.6\n");
}

TEST_CASE("procedures of Fortran have the program's names, and its compiler's library is no user's")
{
    using tutti::observe::name_in_fortran;
    CHECK(name_in_fortran("__halo_MOD_exchange") == "exchange (module halo)");
    CHECK(name_in_fortran("_QMhaloPexchange") == "exchange (module halo)");
    CHECK(name_in_fortran("MAIN__") == "the main program");
    CHECK(name_in_fortran("_QQmain") == "the main program");
    CHECK(name_in_fortran("_QPexchange") == "exchange");
    for (const char* const other : {"main", "exchange_", "_ZN5tutti4waitEv", "_MOD_", "_QM"})
        CHECK(name_in_fortran(other) == std::nullopt);
    for (const char* const library : {"libgfortran.so.5", "libmpifort_abi.so.1", "libFortranRuntime.so"}) {
        const StackFrame frame{"_gfortran_internal_pack", "", 0, library, false};
        CHECK_FALSE(is_of_user(frame));
    }
}

TEST_CASE("of a program without lines it is reported how to get them")
{
    const auto frame = [](const char* function, const char* object, const char* file = "") {
        StackFrame result{function, file, 0, object, false};
        result.of_user = is_of_user(result);
        return result;
    };
    const std::vector<StackFrame> without = {frame("recv", "libc.so.6"), frame("solve", "a.out"),
                                             frame("main", "a.out"), frame("__libc_start_main", "libc.so.6"),
                                             frame("_start", "a.out")};
    CHECK(hint_at_lines(without) == "compile a.out with -g: then its lines are named, too");
    std::vector<StackFrame> with = without;
    with[1].file = "solver.cpp";
    CHECK(hint_at_lines(with).empty());
    // A library of others has no lines, and nothing of the program is known.
    CHECK(hint_at_lines({frame("dgemm_", "libblas.so.3"), frame("_start", "a.out")}).empty());
    CHECK(hint_at_lines({frame("main", "python3.11"), frame("_start", "python3.11")}).empty());
    CHECK(hint_at_lines({}).empty());
}

TEST_CASE("calls of Python stand where their interpreter's are", "[stacks]")
{
    const auto in_python = [](const char* file, const char* function, int line) {
        return CodePlace{file, 0, function, line};
    };
    const std::vector<CodePlace> calls = {in_python("/usr/lib/python3.11/socket.py", "accept", 294),
                                          in_python("/home/me/train.py", "Trainer.step", 12),
                                          in_python("<frozen runpy>", "_run_code", 88)};
    const auto reported = [](const std::vector<CodePlace>& places) {
        std::string text;
        for (const CodePlace& place : places)
            text += most_informative(place, {}).function + ' ';
        return text;
    };
    const std::string python = "/usr/bin/python3.11";
    std::vector<CodePlace> places = {
        {"/lib/libc.so.6", 1}, {python, 2}, {"/x/own.so", 3}, {python, 4}, {"/x/main", 5}};
    put_python_calls(places, calls, python);
    CHECK(reported(places) == "0x1 accept Trainer.step _run_code 0x5 ");
    // The stack has not been read to there.
    places = {{"/lib/libc.so.6", 1}};
    put_python_calls(places, calls, python);
    CHECK(reported(places) == "0x1 accept Trainer.step _run_code ");

    const std::vector<std::vector<StackFrame>> named = name_places(calls);
    REQUIRE(named.size() == 3);
    CHECK_FALSE(named[0].front().of_user);
    CHECK(named[1].front().of_user);
    CHECK_FALSE(named[2].front().of_user);
    CHECK(describe_frames({named[0].front(), named[1].front(), named[2].front()}, "") ==
          "Trainer.step at train.py:12\nin a library: accept at socket.py:294\n");
}
