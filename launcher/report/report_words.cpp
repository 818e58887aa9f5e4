#include "launcher/report/report_words.hpp"

#include <cmath>

#include <fmt/format.h>

#include "launcher/report/names.hpp"
#include "lib/foundation/base/quantity.hpp"
#include "tutti/status.hpp"

namespace tutti::launcher {

namespace {

using observe::Operation;

bool sends(Operation operation)
{
    return operation == Operation::send || operation == Operation::isend || operation == Operation::wait_send;
}

std::string peer_in_words(const RankGroup& group)
{
    if (group.peer == RankGroup::kVarious)
        return "different ranks";
    return group.peer == any_source ? "any rank" : std::to_string(group.peer);
}

std::string tag_in_words(const RankGroup& group)
{
    if (group.tag == RankGroup::kVarious)
        return "";
    return group.tag == any_tag ? ", any tag" : fmt::format(", tag {}", group.tag);
}

std::string name_of(const RankGroup& group)
{
    return name_of_operation(group.operation, group.kind);
}

std::string collective_in_words(const RankGroup& group)
{
    const std::string number =
        group.context == RankGroup::kVariousContexts ? "" : fmt::format(" #{}", group.number);
    return fmt::format("{}{} of {}", name_of(group), number, group.communicator);
}

std::string_view preposition_of(observe::WindowCall call)
{
    using observe::WindowCall;
    return call == WindowCall::get                                     ? " from "
           : call == WindowCall::lock                                  ? " of "
           : call == WindowCall::put || call == WindowCall::accumulate ? " to "
                                                                       : " at ";
}

std::string window_call_in_words(const RankGroup& group)
{
    const std::string peer = peer_in_words(group);
    const auto call = static_cast<observe::WindowCall>(group.kind);
    std::string text = name_of(group);
    if (call == observe::WindowCall::start)
        text += fmt::format(", until {} posts", peer);
    else if (call == observe::WindowCall::wait)
        text += fmt::format(", until {} completes", peer);
    else
        text += fmt::format("{}{}{}", group.bytes != 0 ? " of " + base::bytes_in_words(group.bytes) : "",
                            preposition_of(call), peer);
    text += group.holders.empty() ? "" : fmt::format(" ({})", group.holders);
    return fmt::format("{}, on {}{}{}", text, group.communicator, group.more.empty() ? "" : ", ", group.more);
}

std::string time_in_words(const RankGroup& group)
{
    const std::string most = duration_in_words(group.most_seconds);
    const std::string least = duration_in_words(group.least_seconds);
    return most == least ? "for " + most : fmt::format("for {} to {}", least, most);
}

}  // namespace

std::string duration_in_words(double seconds)
{
    constexpr long kMinute = 60;
    constexpr long kHour = 60 * kMinute;
    const auto whole = static_cast<long>(std::floor(seconds));
    if (whole < 1)
        return "less than 1 s";
    if (whole < 2 * kMinute)
        return fmt::format("{} s", whole);
    if (whole < kHour)
        return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
    return fmt::format("{} h {} min", whole / kHour, whole % kHour / kMinute);
}

std::string ranks_in_words(const Ranges& ranges)
{
    return (count_of(ranges) == 1 ? "rank " : "ranks ") + ranges_in_words(ranges);
}

std::string call_in_words(const RankGroup& group)
{
    if (group.is_collective())
        return collective_in_words(group) + (group.more.empty() ? "" : ", " + group.more);
    if (group.is_at_window())
        return window_call_in_words(group);
    if (group.is_at_file())
        return fmt::format("{}{}, {}", name_of(group),
                           group.bytes != 0 ? ", " + base::bytes_in_words(group.bytes) : "",
                           group.communicator);
    if (group.operation == Operation::wait_any)
        return group.bytes == 1 ? "wait for a request"
                                : fmt::format("wait for one of {} requests", group.bytes);
    std::string text = name_of(group);
    if (sends(group.operation))
        text += (group.bytes != 0 ? " of " + base::bytes_in_words(group.bytes) : "") + " to ";
    else
        text += " from ";
    text += peer_in_words(group) + tag_in_words(group);
    return group.context == 0 ? text : text + ", on " + group.communicator;
}

std::string short_call(const RankGroup& group)
{
    if (group.is_collective())
        return collective_in_words(group);
    if (group.is_at_window())
        return fmt::format("{}, on {}", name_of(group), group.communicator);
    if (group.is_at_file())
        return fmt::format("{}, {}", name_of(group), group.communicator);
    return name_of(group) + (group.operation == Operation::wait_any ? "" : tag_in_words(group));
}

std::string group_in_words(const RankGroup& group)
{
    const bool has_call = group.operation != Operation::none;
    const std::string last = has_call ? "; the last call: " + call_in_words(group) : "";
    const std::string time = time_in_words(group);
    switch (group.state) {
        case RankState::waiting:
            return fmt::format("{}, {}", has_call ? call_in_words(group) : "in a call", time);
        case RankState::computing:
            return fmt::format("computing {}{}", time, last);
        case RankState::polling:
            return fmt::format("polling {}{}", time, last);
        case RankState::sleeping:
            return fmt::format("asleep outside of Tutti {}{}", time, last);
        case RankState::stopped:
            return fmt::format("stopped {}{}", time, last);
        case RankState::traced:
            return fmt::format("held by a debugger {}{}", time, last);
        case RankState::left:
            return "has left the job";
        case RankState::ended:
            return "has ended";
        case RankState::unknown:
            break;
    }
    return "has not joined the job";
}

}  // namespace tutti::launcher
