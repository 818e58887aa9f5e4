#include "launcher/profile/summary.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/job/job_plan.hpp"
#include "lib/foundation/base/quantity.hpp"

namespace tutti::launcher {

namespace {

using Rank = Statistics::Rank;

constexpr std::size_t kShownOperations = 5;
constexpr std::size_t kShownLines = 3;
constexpr std::size_t kShownChoices = 3;
constexpr std::size_t kShownPairs = 3;

std::string number_of_calls(std::uint64_t calls)
{
    return fmt::format("{} call{}", calls, calls == 1 ? "" : "s");
}

std::string operation_in_words(const Statistics::Operation& operation)
{
    std::string text = operation.name;
    if (operation.size_class != 0)
        text += ", " + size_class_in_words(operation.size_class);
    return operation.communicator.empty() ? text : fmt::format("{}, on {}", text, operation.communicator);
}

std::string classes_in_words(const Statistics::Choice& choice)
{
    return choice.least_class == choice.most_class
               ? size_class_in_words(choice.least_class)
               : fmt::format("{} to {}", size_class_in_words(choice.least_class),
                             size_class_in_words(choice.most_class));
}

void add_balance(std::string& text, const Statistics& statistics)
{
    const double mean = statistics.total(&Rank::computing) /
                        static_cast<double>(std::max<std::size_t>(1, statistics.ranks.size()));
    text += fmt::format("  imbalance {:.2f}: a rank computes {} at most, {} in the mean\n",
                        statistics.imbalance(), short_time(mean * statistics.imbalance()), short_time(mean));
    if (const Rank* const slow = statistics.slow())
        text += fmt::format("  the others wait for rank {} (on {}): it waits {}, they {} in the mean\n",
                            slow->rank, slow->host, short_time(slow->waiting),
                            short_time(statistics.others_waiting(*slow)));
    const auto most = std::ranges::max_element(statistics.ranks, std::ranges::less(), &Rank::awaited);
    if (most != statistics.ranks.end() && most->awaited > 0)
        text += fmt::format("  messages are waited for longest of rank {}: {} by all others together\n",
                            most->rank, short_time(most->awaited));
}

/// The first of the list, a line each.
template <class Entry, class InWords>
void add_top(std::string& text, const char* title, const std::vector<Entry>& list, std::size_t most,
             InWords in_words)
{
    if (list.empty())
        return;
    text += fmt::format("  {}\n", title);
    for (std::size_t i = 0; i < std::min(most, list.size()); ++i)
        text += fmt::format("    {}\n", in_words(list[i]));
}

void add_protocols(std::string& text, const Statistics& statistics)
{
    std::vector<std::string> used;
    for (std::size_t i = 0; i < statistics.protocols.size(); ++i)
        if (const Statistics::Protocol& one = statistics.protocols[i]; one.messages != 0)
            used.push_back(fmt::format("{} {} ({})", observe::kMessageProtocolNames[i], one.messages,
                                       base::bytes_in_words(one.bytes)));
    if (!used.empty())
        text += fmt::format("  messages by their protocol: {}\n", fmt::join(used, ", "));
}

}  // namespace

std::string summary_of(const Statistics& statistics)
{
    if (statistics.ranks.empty())
        return "statistics: no rank has joined the job, so there are none\n";
    std::string text = fmt::format(
        "statistics: {} rank{}, {}: {} computing, {} waiting, {} moving data\n", statistics.ranks.size(),
        statistics.ranks.size() == 1 ? "" : "s", short_time(statistics.seconds),
        share_in_words(statistics.share(&Rank::computing)), share_in_words(statistics.share(&Rank::waiting)),
        share_in_words(1 - statistics.share(&Rank::computing) - statistics.share(&Rank::waiting)));
    if (!statistics.missing.empty())
        text += fmt::format("  without ranks {}, which have not joined, or whose host is lost\n",
                            format_cpu_list(statistics.missing));
    add_balance(text, statistics);
    const double all = statistics.total(&Rank::seconds);
    add_top(text, "operations by their time:", statistics.operations, kShownOperations,
            [all](const Statistics::Operation& operation) {
                return fmt::format(
                    "{:>6}  {}: {}, {} of it waiting, {}",
                    share_in_words(all > 0 ? operation.seconds / all : 0), operation_in_words(operation),
                    short_time(operation.seconds),
                    share_in_words(operation.seconds > 0 ? operation.waiting / operation.seconds : 0),
                    number_of_calls(operation.calls));
            });
    add_top(text, "lines that call:", statistics.lines, kShownLines, [all](const Statistics::Line& line) {
        return fmt::format("{:>6}  {}: {}, {}", share_in_words(all > 0 ? line.seconds / all : 0), line.place,
                           short_time(line.seconds), number_of_calls(line.calls));
    });
    add_top(text, "algorithms:", statistics.choices, kShownChoices, [](const Statistics::Choice& choice) {
        return fmt::format("{} by {}: {}, {}", choice.collective, choice.algorithm, classes_in_words(choice),
                           number_of_calls(choice.calls));
    });
    add_top(text, "who sends most to whom:", statistics.pairs, kShownPairs, [](const Statistics::Pair& pair) {
        return fmt::format("{} to {}: {}, {} message{}", pair.from,
                           pair.to < 0 ? "ranks without an entry of their own" : std::to_string(pair.to),
                           base::bytes_in_words(pair.all_bytes()), pair.all_messages(),
                           pair.all_messages() == 1 ? "" : "s");
    });
    add_protocols(text, statistics);
    if (statistics.left_out_calls != 0)
        text += fmt::format("  {} had no place in the tables above\n",
                            number_of_calls(statistics.left_out_calls));
    return text;
}

}  // namespace tutti::launcher
