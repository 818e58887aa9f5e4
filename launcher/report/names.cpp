#include "launcher/report/names.hpp"

#include <iterator>

#include <fmt/format.h>

#include "collectives/choice/algorithm_name.hpp"

namespace tutti::launcher {

using collectives::CallKind;
using observe::CollectiveWord;
using observe::Operation;

namespace {

constexpr std::uint64_t kSelfNumber = 2;  // the first context that a rank assigns

// Any number may stand there; 0: the rank has not said which collective it is.
CallKind kind_of(std::uint64_t signature) noexcept
{
    const std::uint8_t kind = CollectiveWord{signature}.kind();
    return static_cast<CallKind>(kind < collectives::kCallKinds ? kind : 0);
}

std::string name_of_collective(std::uint64_t signature)
{
    const CallKind kind = kind_of(signature);
    return kind == CallKind::unnamed ? "a collective"
                                     : std::string(collectives::kCallNames[static_cast<std::size_t>(kind)]);
}

}  // namespace

std::string name_of_operation(Operation operation, std::uint64_t signature)
{
    static constexpr const char* kNames[] = {
        "a call", "send", "isend", "recv", "irecv", "probe", "wait for a send", "wait for a receive", "wait"};
    if (operation == Operation::collective)
        return name_of_collective(signature);
    if (operation == Operation::wait_collective)
        return "wait for " + name_of_collective(signature);
    if (operation == Operation::window_call && signature < observe::kWindowCallNames.size())
        return std::string(observe::kWindowCallNames[signature]);
    if (operation == Operation::file_call && signature < observe::kFileCallNames.size())
        return std::string(observe::kFileCallNames[signature]);
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

std::string name_of_communicator(std::uint64_t context, const std::string& given)
{
    if (!given.empty())
        return given;
    context &= ~std::uint64_t{1};  // that of its collectives
    const std::uint64_t number = context >> 1 & 0xffffffff;
    return context == 0            ? "world"
           : number == kSelfNumber ? "self"
                                   : fmt::format("communicator {}.{}", context >> 33, number);
}

std::string communicator_in_words(std::uint64_t context, const std::string& given)
{
    const std::string name = name_of_communicator(context, given);
    return given.empty() || given.starts_with("window ") || given.starts_with("file ") ? name
                                                                                       : '"' + name + '"';
}

}  // namespace tutti::launcher
