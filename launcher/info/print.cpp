#include "launcher/info/print.hpp"

#include <fmt/format.h>

#include <map>

#include <nlohmann/json.hpp>

#include "collectives/choice/parse_bytes.hpp"
#include "transports/shm/node_board.hpp"

namespace tutti::info {

using collectives::in_bytes;

namespace {

using nlohmann::ordered_json;

std::string with_segments(std::string_view algorithm, std::size_t segment_bytes)
{
    return segment_bytes == 0 ? std::string(algorithm)
                              : fmt::format("{} in segments of {}", algorithm, in_bytes(segment_bytes));
}

std::string situation(const InfoOptions& options)
{
    return fmt::format("{} of {}, {} rank{} on {} node{}{}{}", options.explain,
                       in_bytes(options.sizes_bytes.front()), options.ranks, options.ranks == 1 ? "" : "s",
                       options.nodes, options.nodes == 1 ? "" : "s",
                       options.crowded ? ", more ranks than cores" : "",
                       options.commutative ? "" : ", an operator that does not commute");
}

}  // namespace

std::string in_time(double time_ns)
{
    constexpr std::string_view kUnits[] = {"ns", "us", "ms", "s"};
    std::size_t unit = 0;
    // From where three digits would be written as the next unit's 1.00.
    while (time_ns >= 999.5 && unit + 1 < std::size(kUnits)) {
        time_ns /= 1000;
        ++unit;
    }
    const int decimals = time_ns == 0 || time_ns >= 99.95 ? 0 : time_ns >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", time_ns, decimals, kUnits[unit]);
}

std::string as_text(const Overview& overview)
{
    std::string text = fmt::format(
        "Tutti {}\n"
        "  compiler           {}\n"
        "  reductions use     {}\n"
        "  transports         {}\n"
        "\nEnvironment variables (the default in brackets):\n",
        overview.version, overview.compiler, overview.instruction_set, overview.transports);
    for (const Variable& variable : overview.variables) {
        text += fmt::format("  {:<23} {}\n", variable.name, variable.meaning);
        if (!variable.value.empty())
            text += fmt::format("  {:<23} is set: {}\n", "", variable.value);
    }
    return text;
}

std::string as_json(const Overview& overview)
{
    ordered_json json{{"version", overview.version},
                      {"compiler", overview.compiler},
                      {"instruction_set", overview.instruction_set},
                      {"transports", overview.transports},
                      {"variables", ordered_json::array()}};
    for (const Variable& variable : overview.variables) {
        ordered_json entry{{"name", variable.name}, {"meaning", variable.meaning}};
        if (!variable.value.empty())
            entry["value"] = variable.value;
        json["variables"].push_back(std::move(entry));
    }
    return json.dump(2) + "\n";
}

std::string as_text(const Answer& answer)
{
    const Explanation& explanation = answer.explanation;
    const std::vector<std::string>& assumed = answer.options.assumed;
    std::string text = situation(answer.options) + "\n";
    if (!assumed.empty())
        text += fmt::format("  taken for want of others: {}\n", fmt::join(assumed, ", "));
    text +=
        fmt::format("  uses {}\n  because of {}\n",
                    with_segments(explanation.algorithm, explanation.segment_bytes), explanation.decided_by);
    if (!explanation.where_copied.empty())
        text += fmt::format("  where neither rank has memory that the other reads in place: {}\n",
                            explanation.where_copied);
    if (!explanation.passed_over.empty())
        text += "\nAsked before, and why not:\n";
    for (const PassedOver& passed : explanation.passed_over)
        text += fmt::format("  {}\n      {}\n", passed.what, passed.reason);
    text +=
        fmt::format("\nPredicted by the cost model, a core for every rank:\n  {:<34} {:>9} {:>10} {:>15}\n",
                    "algorithm", "time", "messages", "between nodes");
    for (const AlgorithmCandidate& candidate : answer.candidates) {
        const std::string name = with_segments(candidate.algorithm, candidate.segment_bytes);
        const char mark = candidate.algorithm == explanation.algorithm ? '*' : ' ';
        if (candidate.prediction)
            text += fmt::format("{} {:<34} {:>9} {:>10} {:>15}\n", mark, name,
                                in_time(candidate.prediction->time_ns), candidate.prediction->messages,
                                candidate.prediction->messages_between_nodes);
        else
            text += fmt::format("{} {:<34} {}\n", mark, name, candidate.remark);
    }
    return text;
}

std::string as_json(const Answer& answer)
{
    const InfoOptions& options = answer.options;
    const Explanation& explanation = answer.explanation;
    ordered_json json{{"collective", options.explain},
                      {"ranks", options.ranks},
                      {"nodes", options.nodes},
                      {"bytes", options.sizes_bytes.front()},
                      {"commutative", options.commutative},
                      {"crowded", options.crowded},
                      {"algorithm", explanation.algorithm},
                      {"segment_bytes", explanation.segment_bytes},
                      {"decided_by", explanation.decided_by},
                      {"where_copied", explanation.where_copied},
                      {"passed_over", ordered_json::array()},
                      {"candidates", ordered_json::array()}};
    for (const PassedOver& passed : explanation.passed_over)
        json["passed_over"].push_back({{"rule", passed.what}, {"reason", passed.reason}});
    for (const AlgorithmCandidate& candidate : answer.candidates) {
        ordered_json entry{{"algorithm", candidate.algorithm}};
        if (candidate.segment_bytes != 0)
            entry["segment_bytes"] = candidate.segment_bytes;
        if (candidate.prediction) {
            entry["time_us"] = candidate.prediction->time_ns / 1000;
            entry["messages"] = candidate.prediction->messages;
            entry["bytes"] = candidate.prediction->bytes;
            entry["messages_between_nodes"] = candidate.prediction->messages_between_nodes;
            entry["bytes_between_nodes"] = candidate.prediction->bytes_between_nodes;
        } else {
            entry["remark"] = candidate.remark;
        }
        json["candidates"].push_back(std::move(entry));
    }
    return json.dump(2) + "\n";
}

collectives::Situation situation_of(const InfoOptions& options, std::size_t size_bytes,
                                    const collectives::NodeMap* nodes)
{
    collectives::Situation situation;
    situation.ranks = options.ranks;
    situation.size_bytes = size_bytes;
    situation.commutative = options.commutative;
    situation.read_in_place = options.ranks == 2 && nodes == nullptr && !options.crowded;
    situation.placement.one_node = nodes == nullptr;
    situation.placement.nodes = nodes;
    situation.placement.more_ranks_than_cores = options.crowded;
    if (nodes == nullptr && options.ranks > 1)
        situation.placement.add_board<transport::shm::NodeBoard>();
    return situation;
}

std::string prediction_table(const InfoOptions& options, unsigned collective,
                             const collectives::Choice& choice, const collectives::NodeMap* nodes,
                             const collectives::simulator::CostModel& model)
{
    const collectives::CollectiveEntry& entry = collectives::catalogue()[collective];
    // A barrier has no sizes, and no rank of an alltoallv knows one.
    std::vector<std::size_t> sizes = options.sizes_bytes;
    if (entry.name == "barrier")
        sizes = {0};
    std::map<std::string_view, std::vector<std::string>> cells;
    std::string header = fmt::format("| {} |", entry.name);
    std::string line = "|---|";
    for (const std::size_t size : sizes) {
        header += entry.name == "barrier" ? " |" : fmt::format(" {} |", in_bytes(size));
        line += "---:|";
        const collectives::Situation situation = situation_of(options, size, nodes);
        const Explanation chosen = explain(choice, collective, situation);
        for (const AlgorithmCandidate& candidate :
             candidates(collective, situation, chosen, options.most_messages, model)) {
            const std::string time = candidate.prediction ? in_time(candidate.prediction->time_ns) : "-";
            cells[candidate.algorithm].push_back(
                candidate.algorithm == chosen.algorithm ? fmt::format("**{}**", time) : time);
        }
    }
    std::string text = header + "\n" + line + "\n";
    for (const collectives::AlgorithmTraits& algorithm : entry.algorithms) {
        const std::vector<std::string>& own = cells[algorithm.name];
        if (!needs_board(algorithm.needs))
            text += fmt::format("| {} | {} |\n", algorithm.name, fmt::join(own, " | "));
    }
    return text;
}

}  // namespace tutti::info
