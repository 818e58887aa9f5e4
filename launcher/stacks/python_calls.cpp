#include "launcher/stacks/python_calls.hpp"

#include <optional>
#include <utility>

#include "lib/foundation/base/python_frames.hpp"

namespace tutti::launcher {

std::map<pid_t, std::vector<CodePlace>> python_calls(pid_t process, const PythonSymbols& symbols,
                                                     std::size_t most)
{
    std::map<pid_t, std::vector<CodePlace>> calls;
    if (!symbols.are_known())
        return calls;
    const std::optional<base::PythonFrames> frames = base::PythonFrames::of(process, symbols.version);
    if (!frames)
        return calls;
    for (const auto& [thread, state] : frames->threads_of(symbols.runtime)) {
        std::vector<CodePlace> places;
        for (base::PythonCall& call : frames->calls_of(state, most)) {
            places.push_back({std::move(call.file), 0, std::move(call.function)});
            places.back().line = call.line;
        }
        if (!places.empty())
            calls.emplace(thread, std::move(places));
    }
    return calls;
}

}  // namespace tutti::launcher
