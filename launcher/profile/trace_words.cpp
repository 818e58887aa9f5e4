#include "launcher/profile/trace_words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "launcher/report/names.hpp"

namespace tutti::launcher {

using nlohmann::ordered_json;

namespace {

using observe::Operation;

TraceKind trace_kind_of(Operation operation) noexcept
{
    switch (operation) {
        case Operation::send:
        case Operation::isend:
            return TraceKind::send;
        case Operation::recv:
        case Operation::irecv:
        case Operation::probe:
            return TraceKind::receive;
        case Operation::wait_send:
        case Operation::wait_recv:
        case Operation::wait_any:
        case Operation::wait_collective:
        case Operation::window_call:
        case Operation::file_call:
            return TraceKind::wait;
        case Operation::collective:
            return TraceKind::collective;
        case Operation::none:
            break;
    }
    return TraceKind::other;
}

}  // namespace

TraceName name_of(const observe::CallWords& call)
{
    return {name_of_operation(call.operation(), call.signature), trace_kind_of(call.operation()),
            call.is_collective() ? name_of_algorithm(call.signature) : ""};
}

bool has_peer(const observe::CallWords& call) noexcept
{
    return !call.is_collective() && call.operation() != Operation::none &&
           call.operation() != Operation::wait_any && call.operation() != Operation::file_call;
}

bool has_tag(const observe::CallWords& call) noexcept
{
    return has_peer(call) && call.operation() != Operation::window_call;
}

std::string communicator_of(const RankTrace& rank, std::uint64_t context)
{
    const auto found = rank.communicators.find(context & ~std::uint64_t{1});
    return name_of_communicator(context, found == rank.communicators.end() ? "" : found->second);
}

std::string line_name(int rank, std::uint32_t thread)
{
    return thread == 0 ? fmt::format("rank {}", rank) : fmt::format("rank {}, thread {}", rank, thread);
}

std::string dropped_in_words(const RankTrace& rank)
{
    if (rank.dropped_calls == 0 && rank.dropped_messages == 0)
        return {};
    return fmt::format("rank {}: {} older calls and {} older messages were dropped", rank.rank,
                       rank.dropped_calls, rank.dropped_messages);
}

std::vector<std::string> notes_of(const JobTrace& trace)
{
    constexpr std::size_t kMostRanks = 4;
    std::vector<std::string> notes;
    std::size_t more = 0;
    for (const RankTrace& rank : trace.ranks) {
        const std::string words = dropped_in_words(rank);
        if (!words.empty() && notes.size() < kMostRanks)
            notes.push_back(words);
        else if (!words.empty())
            ++more;
    }
    if (more > 0)
        notes.push_back(fmt::format("likewise for {} more ranks", more));
    if (trace.clock_error_ns > 0)
        notes.push_back(fmt::format("clocks of the hosts agree with this one within {} us",
                                    trace.clock_error_ns / 1000 + 1));
    if (trace.most_shifted_ns > 0)
        notes.push_back(
            fmt::format("times of hosts were moved by up to {} us, since messages would have "
                        "arrived before they were sent",
                        trace.most_shifted_ns / 1000 + 1));
    if (trace.arrived_before_sent > 0)
        notes.push_back(
            fmt::format("{} messages arrive before they are sent, by up to {} us: times are no "
                        "more exact than that",
                        trace.arrived_before_sent, trace.most_before_sent_ns / 1000 + 1));
    return notes;
}

std::string valid_text(std::string_view text)
{
    const std::string plain = ordered_json(text).dump(-1, ' ', true, ordered_json::error_handler_t::replace);
    return ordered_json::parse(plain).get<std::string>();
}

std::string json_text(std::string_view text)
{
    const std::string plain = ordered_json(text).dump(-1, ' ', true, ordered_json::error_handler_t::replace);
    std::string safe;
    for (const char letter : plain) {
        if (letter == '<')
            safe += "\\u003c";
        else
            safe += letter;
    }
    return safe;
}

}  // namespace tutti::launcher
