#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/base/host_names.hpp"
#include "launcher/job/job_plan.hpp"
#include "launcher/profile/pictures.hpp"
#include "launcher/profile/summary.hpp"
#include "lib/foundation/base/quantity.hpp"
#include "lib/foundation/observe/html_page.hpp"

namespace tutti::launcher {

namespace {

using observe::html_text;
using Rank = Statistics::Rank;

/// The rows of a table: a page with all lines of a large program would be too long to read.
constexpr std::size_t kMostTableRows = 60;

template <class... Values>
void add(std::string& page, fmt::format_string<Values...> format, Values&&... values)
{
    page += fmt::format(format, std::forward<Values>(values)...);
}

// Parts wider than the window scroll by themselves, with keys, too.
void add_picture(std::string& page, const char* name, const char* kind, const std::string& picture)
{
    add(page, "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">", name);
    page += kind + picture + (*kind != '\0' ? "</div></div>\n" : "</div>\n");
}

/// The first `names` columns are texts.
void add_table(std::string& page, const char* caption, std::size_t names,
               const std::vector<const char*>& columns, const std::vector<std::vector<std::string>>& rows)
{
    add(page,
        "<div class=\"box\" role=\"region\" tabindex=\"0\" "
        "aria-label=\"{0}\"><table><caption>{0}{1}</caption>\n"
        "<thead><tr>",
        caption,
        rows.size() > kMostTableRows ? fmt::format("; the first {} of {}", kMostTableRows, rows.size()) : "");
    const auto kind_of = [names](std::size_t column) { return column < names ? " class=\"name\"" : ""; };
    for (std::size_t i = 0; i < columns.size(); ++i)
        add(page, "<th scope=\"col\"{}>{}</th>", kind_of(i), columns[i]);
    page += "</tr></thead>\n<tbody>\n";
    for (std::size_t row = 0; row < std::min(kMostTableRows, rows.size()); ++row) {
        page += "<tr>";
        for (std::size_t i = 0; i < rows[row].size(); ++i)
            add(page, "<td{}>{}</td>", kind_of(i), html_text(rows[row][i]));
        page += "</tr>\n";
    }
    page += "</tbody></table></div>\n";
}

std::vector<std::string> row_of(const Statistics::Calls& calls, std::vector<std::string> names)
{
    const double mean = calls.calls == 0 ? 0 : calls.seconds / static_cast<double>(calls.calls);
    for (std::string text :
         {fmt::format("{}", calls.calls), base::bytes_in_words(calls.bytes), short_time(calls.seconds),
          short_time(calls.waiting), short_time(mean), short_time(calls.least), short_time(calls.most)})
        names.push_back(std::move(text));
    return names;
}

template <class Entry, class Names>
void add_calls(std::string& page, const char* caption, std::vector<const char*> columns,
               const std::vector<Entry>& list, Names names_of)
{
    const std::size_t names = columns.size();
    columns.insert(columns.end(), {"Calls", "Bytes", "Time", "Waiting", "Mean", "Least", "Most"});
    std::vector<std::vector<std::string>> rows;
    for (const Entry& entry : list)
        rows.push_back(row_of(entry, names_of(entry)));
    add_table(page, caption, names, columns, rows);
}

void add_tally(std::string& page, const Statistics& statistics)
{
    const double computing = statistics.share(&Rank::computing);
    const double waiting = statistics.share(&Rank::waiting);
    page += "<ul class=\"tally\">\n";
    for (const auto& [number, name] :
         {std::pair(short_time(statistics.seconds), "from joining to leaving"),
          std::pair(share_in_words(computing), "computing"), std::pair(share_in_words(waiting), "waiting"),
          std::pair(share_in_words(std::max(0.0, 1 - computing - waiting)), "moving data"),
          std::pair(fmt::format("{:.2f}", statistics.imbalance()),
                    "imbalance: most computing over the mean")})
        add(page, "<li><b>{}</b>{}</li>\n", number, name);
    page += "</ul>\n";
    if (const Rank* const slow = statistics.slow())
        add(page,
            "<p class=\"lead\">The others wait for rank {} (on {}): it waits {}, they {} in the mean.</p>\n",
            slow->rank, html_text(slow->host), short_time(slow->waiting),
            short_time(statistics.others_waiting(*slow)));
    if (!statistics.missing.empty())
        add(page, "<p>Without ranks {}: they have not joined the job, or their host is lost.</p>\n",
            format_cpu_list(statistics.missing));
    if (statistics.left_out_calls != 0)
        add(page, "<p>{} calls had no place in the tables.</p>\n", statistics.left_out_calls);
}

void add_ranks(std::string& page, const Statistics& statistics)
{
    page += "<section><h2>Ranks</h2>\n";
    add_picture(page, "What each rank has done", "", picture_of_ranks(statistics));
    std::vector<std::vector<std::string>> rows;
    std::vector<const Rank*> ranks;
    for (const Rank& rank : statistics.ranks)
        ranks.push_back(&rank);
    std::ranges::stable_sort(ranks, std::ranges::greater(), &Rank::computing);
    for (const Rank* const rank : ranks)
        rows.push_back({std::to_string(rank->rank), rank->host, short_time(rank->computing),
                        short_time(rank->moving()), short_time(rank->waiting),
                        rank->awaited_most < 0 ? ""
                                               : fmt::format("{} ({})", rank->awaited_most,
                                                             short_time(rank->awaited_most_seconds)),
                        short_time(rank->awaited), rank->left ? "" : "ended early"});
    add_table(
        page, "Ranks, those that compute longest first", 2,
        {"Rank", "Host", "Computing", "Moving data", "Waiting", "Waits most for", "Awaited by others", ""},
        rows);
    page += "</section>\n";
}

void add_protocols(std::string& page, const Statistics& statistics)
{
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < statistics.protocols.size(); ++i)
        if (const Statistics::Protocol& one = statistics.protocols[i]; one.messages != 0)
            rows.push_back({std::string(observe::kMessageProtocolNames[i]), std::to_string(one.messages),
                            base::bytes_in_words(one.bytes)});
    if (!rows.empty())
        add_table(page, "Messages by their protocol", 1, {"Protocol", "Messages", "Bytes"}, rows);
}

void add_messages(std::string& page, const Statistics& statistics)
{
    page +=
        "<section><h2>Messages</h2>\n<p>Those of collectives are among them, but not what collectives "
        "move through shared memory.</p>\n";
    add_picture(page, "Who sends how much to whom", "<div class=\"matrix\">",
                picture_of_messages(statistics));
    add_protocols(page, statistics);
    std::vector<std::vector<std::string>> rows;
    for (const Statistics::Pair& pair : statistics.pairs)
        rows.push_back({std::to_string(pair.from), pair.to < 0 ? "others" : std::to_string(pair.to),
                        std::to_string(pair.messages), base::bytes_in_words(pair.bytes),
                        std::to_string(pair.collective_messages),
                        base::bytes_in_words(pair.collective_bytes)});
    add_table(page, "Pairs of ranks, those with most bytes first", 2,
              {"From", "To", "Messages", "Bytes", "Of collectives", "Bytes"}, rows);
    page += "</section>\n";
}

std::string names_of(const std::vector<std::vector<std::string>>& programs)
{
    std::vector<std::string> names;
    for (const std::vector<std::string>& argv : programs)
        names.push_back(argv.empty() ? "" : argv.front().substr(argv.front().rfind('/') + 1));
    return fmt::format("{}", fmt::join(names, " : "));
}

std::string hosts_of(const Statistics& statistics)
{
    std::vector<std::string> hosts;
    for (const Rank& rank : statistics.ranks)
        hosts.push_back(rank.host);
    return hosts_in_words(hosts);
}

}  // namespace

std::string page_of(const Statistics& statistics, const std::vector<std::vector<std::string>>& programs)
{
    const std::string title = "Where time went: " + names_of(programs);
    std::string page = observe::begin_of_page(title, style_of_pictures());
    add(page, "<header><h1>{}</h1>\n<p class=\"quiet\">{} ranks on {}</p></header>\n<main>\n",
        html_text(title), statistics.job_ranks, html_text(hosts_of(statistics)));
    add_tally(page, statistics);
    add_ranks(page, statistics);
    page += "<section><h2>Operations</h2>\n";
    add_picture(page, "Time by operation", "", picture_of_operations(statistics));
    add_calls(page, "Operations by size and communicator, of all ranks together",
              {"Operation", "Bytes a call", "Communicator"}, statistics.operations,
              [](const Statistics::Operation& operation) -> std::vector<std::string> {
                  return {operation.name, size_class_in_words(operation.size_class), operation.communicator};
              });
    add_calls(page, "Algorithms of collectives", {"Collective", "Algorithm"}, statistics.choices,
              [](const Statistics::Choice& choice) -> std::vector<std::string> {
                  return {choice.collective, choice.algorithm};
              });
    page += "</section>\n<section><h2>Lines of the program</h2>\n";
    add_calls(page, "Lines that call Tutti or MPI", {"Line"}, statistics.lines,
              [](const Statistics::Line& line) -> std::vector<std::string> { return {line.place}; });
    page += "</section>\n";
    add_messages(page, statistics);
    return page.append("</main>\n").append(observe::kEndOfPage);
}

}  // namespace tutti::launcher
