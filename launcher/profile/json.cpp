#include <nlohmann/json.hpp>

#include "launcher/profile/summary.hpp"

namespace tutti::launcher {

namespace {

using nlohmann::ordered_json;

void add_numbers(ordered_json& entry, const Statistics::Calls& calls)
{
    entry["calls"] = calls.calls;
    entry["bytes"] = calls.bytes;
    entry["seconds"] = calls.seconds;
    entry["waiting_seconds"] = calls.waiting;
    entry["least_seconds"] = calls.least;
    entry["most_seconds"] = calls.most;
}

/// The smallest size of the class.
std::uint64_t least_bytes(int size_class)
{
    return size_class == 0 ? 0 : std::uint64_t{1} << (size_class - 1);
}

ordered_json ranks_of(const Statistics& statistics)
{
    ordered_json list = ordered_json::array();
    for (const Statistics::Rank& rank : statistics.ranks) {
        ordered_json& entry = list.emplace_back(ordered_json{{"rank", rank.rank},
                                                             {"host", rank.host},
                                                             {"left", rank.left},
                                                             {"seconds", rank.seconds},
                                                             {"computing_seconds", rank.computing},
                                                             {"waiting_seconds", rank.waiting},
                                                             {"moving_seconds", rank.moving()},
                                                             {"awaited_seconds", rank.awaited}});
        if (rank.awaited_most >= 0)
            entry["waits_most_for"] = {{"rank", rank.awaited_most}, {"seconds", rank.awaited_most_seconds}};
    }
    return list;
}

ordered_json pairs_of(const Statistics& statistics)
{
    ordered_json list = ordered_json::array();
    for (const Statistics::Pair& pair : statistics.pairs) {
        ordered_json& entry = list.emplace_back(ordered_json{{"from", pair.from}, {"to", pair.to}});
        if (pair.to < 0)
            entry["to"] = "others";
        entry["messages"] = pair.messages;
        entry["bytes"] = pair.bytes;
        entry["collective_messages"] = pair.collective_messages;
        entry["collective_bytes"] = pair.collective_bytes;
    }
    return list;
}

}  // namespace

std::string json_of(const Statistics& statistics, const std::vector<std::vector<std::string>>& programs)
{
    using Rank = Statistics::Rank;
    ordered_json document{{"programs", programs},
                          {"ranks", statistics.job_ranks},
                          {"seconds", statistics.seconds},
                          {"computing_share", statistics.share(&Rank::computing)},
                          {"waiting_share", statistics.share(&Rank::waiting)},
                          {"imbalance", statistics.imbalance()},
                          {"slow_rank", nullptr},
                          {"ranks_without_profile", statistics.missing},
                          {"by_rank", ranks_of(statistics)}};
    if (const Rank* const slow = statistics.slow())
        document["slow_rank"] = slow->rank;
    ordered_json& operations = document["operations"] = ordered_json::array();
    for (const Statistics::Operation& operation : statistics.operations) {
        ordered_json& entry =
            operations.emplace_back(ordered_json{{"operation", operation.name},
                                                 {"from_bytes", least_bytes(operation.size_class)},
                                                 {"communicator", operation.communicator}});
        add_numbers(entry, operation);
    }
    ordered_json& lines = document["lines"] = ordered_json::array();
    for (const Statistics::Line& line : statistics.lines)
        add_numbers(lines.emplace_back(ordered_json{{"place", line.place}}), line);
    ordered_json& choices = document["algorithms"] = ordered_json::array();
    for (const Statistics::Choice& choice : statistics.choices) {
        ordered_json& entry = choices.emplace_back(
            ordered_json{{"collective", choice.collective}, {"algorithm", choice.algorithm}});
        add_numbers(entry, choice);
    }
    document["messages"] = pairs_of(statistics);
    ordered_json& protocols = document["protocols"] = ordered_json::array();
    for (std::size_t i = 0; i < statistics.protocols.size(); ++i)
        protocols.push_back({{"protocol", observe::kMessageProtocolNames[i]},
                             {"messages", statistics.protocols[i].messages},
                             {"bytes", statistics.protocols[i].bytes}});
    document["left_out_calls"] = statistics.left_out_calls;
    // Names of files and arguments need not be UTF-8.
    return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tutti::launcher
