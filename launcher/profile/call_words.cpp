#include "launcher/profile/call_words.hpp"

#include <iterator>

#include "collectives/choice/algorithm_name.hpp"

namespace tutti::launcher {

using base::CollectiveWord;
using base::Operation;
using collectives::CallKind;

namespace {

CallKind kind_of(std::uint64_t signature) noexcept
{
    const std::uint8_t kind = CollectiveWord{signature}.kind();
    return static_cast<CallKind>(kind < collectives::kCallKinds ? kind : 0);
}

}  // namespace

std::string name_of_operation(Operation operation, std::uint64_t signature)
{
    static constexpr const char* kNames[] = {
        "a call", "send", "isend", "recv", "irecv", "probe", "wait for a send", "wait for a receive", "wait"};
    const std::string collective(collectives::kCallNames[static_cast<std::size_t>(kind_of(signature))]);
    if (operation == Operation::collective)
        return collective;
    if (operation == Operation::wait_collective)
        return "wait for " + collective;
    if (operation == Operation::window_call)
        return signature < base::kWindowCallNames.size() ? std::string(base::kWindowCallNames[signature])
                                                         : kNames[0];
    const auto number = static_cast<std::size_t>(operation);
    return kNames[number < std::size(kNames) ? number : 0];
}

std::string name_of_algorithm(std::uint64_t signature)
{
    const CollectiveWord call{signature};
    if (call.algorithm() == 0)
        return call.is_on_board() ? "shared memory" : "";
    // The size of its segments is not known.
    const std::string name = collectives::describe(kind_of(signature), {call.algorithm(), 0});
    return name.substr(0, name.find(" in segments"));
}

}  // namespace tutti::launcher
