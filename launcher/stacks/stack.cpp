#include "launcher/stacks/stack.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "lib/foundation/observe/own_library.hpp"
#include "lib/foundation/observe/python_frames.hpp"

namespace tutti::launcher {

namespace {

/// Where a C or C++ program begins and calls back: no user looks for a mistake there.
constexpr std::array<std::string_view, 5> kStartFunctions = {"_start", "__libc_start_main", "clone",
                                                             "__clone", "start_thread"};
/// Of the system, and those that Tutti stands on.
constexpr std::array<std::string_view, 9> kLibraries = {"libpthread", "ld-linux",  "linux-vdso.so",
                                                        "libpmix",    "libfabric", "libevent",
                                                        "libasan",    "libtsan",   "Python's packages"};
/// What templates of Tutti and of the standard library put into the user's own program.
constexpr std::array<std::string_view, 5> kNamespaces = {
    "tutti::", "std::", "__gnu_cxx::", "__cxxabiv1::", "PMPI_"};

/// Without the type that a template's instance returns: "void std::sort<...>(...)".
bool begins_with_namespace(std::string_view function)
{
    const std::string_view head = function.substr(0, function.find_first_of("<("));
    const std::size_t space = head.rfind(' ');
    const std::string_view name = space == std::string_view::npos ? head : head.substr(space + 1);
    return std::ranges::any_of(kNamespaces,
                               [name](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string describe(const StackFrame& frame)
{
    if (frame.file.empty())
        return fmt::format("{} in {}", frame.function, frame.object);
    return fmt::format("{} at {}:{}", frame.function, frame.file, frame.line);
}

bool same_function(const StackFrame& a, const StackFrame& b)
{
    return a.function == b.function && a.file == b.file;
}

}  // namespace

bool is_of_user(const StackFrame& frame)
{
    const auto of_library = [&frame](std::string_view prefix) { return frame.object.starts_with(prefix); };
    return !observe::is_own_library(frame.object.c_str()) &&
           !observe::is_run_time_library(frame.object.c_str()) &&
           !std::ranges::any_of(kLibraries, of_library) &&
           std::ranges::find(kStartFunctions, frame.function) == kStartFunctions.end() &&
           !begins_with_namespace(frame.function);
}

StackFrame unnamed(const CodePlace& place)
{
    if (place.line > 0)
        return frame_of_python(place);
    StackFrame frame;
    frame.object = place.object.substr(place.object.rfind('/') + 1);
    frame.function = !place.symbol.empty() ? place.symbol
                     : place.address == 0  ? "?"
                                           : fmt::format("0x{:x}", place.address);
    if (place.object.empty() && place.address != 0)
        frame.object = "no program or library";
    frame.of_user = is_of_user(frame);
    return frame;
}

StackFrame frame_of_python(const CodePlace& place)
{
    StackFrame frame{place.symbol, place.object.substr(place.object.rfind('/') + 1), place.line, "Python"};
    if (observe::is_of_python_package(place.object))
        frame.object = "Python's packages";
    frame.of_user = is_of_user(frame);
    return frame;
}

void put_python_calls(std::vector<CodePlace>& places, std::vector<CodePlace> calls,
                      const std::string& interpreter)
{
    const auto of_interpreter = [&](const CodePlace& place) { return place.object == interpreter; };
    const auto first = std::ranges::find_if(places, of_interpreter);
    const auto end = std::find_if(places.rbegin(), std::make_reverse_iterator(first), of_interpreter).base();
    const auto at = places.erase(first, end);
    places.insert(at, std::make_move_iterator(calls.begin()), std::make_move_iterator(calls.end()));
}

StackFrame most_informative(const CodePlace& place, const std::vector<StackFrame>& frames)
{
    const auto of_user = std::ranges::find_if(frames, is_of_user);
    return of_user != frames.end() ? *of_user : !frames.empty() ? frames.back() : unnamed(place);
}

std::string describe_frames(const std::vector<StackFrame>& frames, const std::string& indent,
                            std::size_t most)
{
    const auto first_of_user = std::ranges::find_if(frames, &StackFrame::of_user);
    const bool all_of_libraries = first_of_user == frames.end();
    std::string text;
    std::size_t count = 0;
    for (auto frame = frames.begin(); frame != frames.end();) {
        auto next = frame + 1;
        while (next != frames.end() && same_function(*frame, *next))
            ++next;
        if ((frame->of_user || all_of_libraries) && count++ < most) {
            text += indent + describe(*frame);
            if (const auto more = next - frame - 1; more > 0)
                text += fmt::format(", which has called itself {} time{}", more, more == 1 ? "" : "s");
            text += '\n';
        }
        frame = next;
    }
    if (count > most)
        text += fmt::format("{}... {} more\n", indent, count - most);
    if (const auto above = first_of_user - frames.begin(); above > 0 && !all_of_libraries) {
        text += fmt::format("{}in {}: {}", indent, above == 1 ? "a library" : "libraries",
                            describe(first_of_user[-1]));
        if (above > 1)
            text += fmt::format("{}, {}", above > 2 ? ", ..." : "", describe(frames.front()));
        text += '\n';
    }
    return text;
}

std::string hint_at_lines(const std::vector<StackFrame>& frames)
{
    if (frames.empty())
        return {};
    // The outermost function is the program's own start. Interpreters are nobody's to compile.
    const std::string& program = frames.back().object;
    const auto of_program = [&program](const StackFrame& frame) {
        return frame.of_user && frame.object == program;
    };
    const bool has_lines = std::ranges::any_of(
        frames, [&](const StackFrame& frame) { return of_program(frame) && !frame.file.empty(); });
    return has_lines || program.starts_with("python") || std::ranges::none_of(frames, of_program)
               ? ""
               : fmt::format("compile {} with -g: then its lines are named, too", program);
}

}  // namespace tutti::launcher
