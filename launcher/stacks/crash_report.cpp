#include "launcher/stacks/crash_report.hpp"

#include <signal.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace tutti::launcher {

namespace {

/// A pointer to a member or an element of nothing is not exactly null.
constexpr std::uint64_t kNullPageBytes = 4096;
/// How far from the stack pointer a call on a full stack may touch.
constexpr std::uint64_t kStackReachBytes = std::uint64_t{64} << 10;

bool is_stack_overflow(const control::Crash& crash)
{
    return crash.stack_pointer != 0 && crash.address + kStackReachBytes >= crash.stack_pointer &&
           crash.address <= crash.stack_pointer + kStackReachBytes;
}

const char* arithmetic(int code)
{
    switch (code) {
        case FPE_INTDIV:
            return "integer division by zero";
        case FPE_INTOVF:
            return "integer overflow";
        case FPE_FLTDIV:
            return "division by zero";
        case FPE_FLTOVF:
            return "overflow of a floating-point number";
        case FPE_FLTUND:
            return "underflow of a floating-point number";
        case FPE_FLTINV:
            return "an invalid floating-point operation";
        default:
            return "an arithmetic error";
    }
}

/// What follows the signal's name.
std::string cause(const control::Crash& crash)
{
    const std::string place = fmt::format(" at address 0x{:x}", crash.address);
    if (crash.signal == SIGFPE)
        return fmt::format(": {}", arithmetic(crash.code));
    if (crash.signal == SIGILL)
        return place;
    if (crash.signal == SIGBUS)
        return place + (crash.code == BUS_ADRALN
                            ? ", which is misaligned"
                            : ", which has no memory behind it (a file that is too short?)");
    if (crash.code == SI_KERNEL)
        return " through a pointer that is no address";
    if (is_stack_overflow(crash))
        return place + ": the stack has overflowed (ulimit -s)";
    if (crash.address < kNullPageBytes)
        return place + ", through a null pointer";
    return place + (crash.code == SEGV_ACCERR ? ", which must not be accessed so" : "");
}

const StackFrame* place_of_user(const CrashReport& report)
{
    const auto found = std::ranges::find_if(report.frames, &StackFrame::of_user);
    return found == report.frames.end() ? nullptr : &*found;
}

}  // namespace

std::string describe_crash(const control::Crash& crash)
{
    const std::string name = ::strsignal(crash.signal);
    if (crash.code <= 0)  // abort() and raise() send it, too
        return crash.signal == SIGABRT || crash.sender == 0
                   ? name
                   : fmt::format("{}, sent by process {}", name, crash.sender);
    return name + cause(crash);
}

std::string describe_place(const CrashReport& report)
{
    std::string text = "\n" + describe_frames(report.frames, "    ");
    text.pop_back();
    if (text.empty() && !report.missing.empty())
        text = "\n    (no stack: " + report.missing + ")";
    if (const std::string hint = hint_at_lines(report.frames); report.missing.empty() && !hint.empty())
        text += "\n    (" + hint + ")";
    if (!report.last_call.empty() && (report.signal != 0 || !report.frames.empty()))
        text += "\n    its last call of Tutti: " + report.last_call;
    return text;
}

bool alike(const CrashReport& a, const CrashReport& b)
{
    if (a.signal != b.signal || a.was_for_memory() != b.was_for_memory())
        return false;
    const StackFrame* const one = place_of_user(a);
    const StackFrame* const other = place_of_user(b);
    return one == nullptr || other == nullptr ||
           (one->function == other->function && one->line == other->line);
}

}  // namespace tutti::launcher
