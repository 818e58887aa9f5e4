#include "launcher/info/info_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "collectives/choice/catalogue.hpp"
#include "collectives/choice/parse_bytes.hpp"
#include "lib/foundation/base/suggest.hpp"

namespace tutti::info {

namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  tutti-info\n"
    "  tutti-info --config\n"
    "  tutti-info --explain allreduce --ranks 64 --nodes 8 --bytes 1M\n"
    "  tutti-info --explain reduce --ranks 16 --bytes 8 --op non-commutative --json\n"
    "  tutti-info --explain send --bytes 64K\n"
    "  tutti-info --predict all --ranks 1024 --nodes 16 --bytes 8,1K,64K,1M --costs costs.json\n"
    "Sizes are those by which the algorithm is chosen: of the buffer; of all blocks for gather, scatter,\n"
    "allgather and reduce_scatter; of one block for alltoall.";

/// A question ends its sentence; `remedy` then begins one of its own.
std::string with_remedy(const std::string& complaint, const std::string& question, std::string remedy)
{
    if (!question.empty())
        remedy.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(remedy.front())));
    return fmt::format("{}{}{} {}", complaint, question, question.empty() ? ";" : "", remedy);
}

/// Throws InfoUsageError where there is no such collective, and it is not `besides`.
void check_collective(const std::string& option, const std::string& name, std::string_view besides)
{
    std::vector<std::string_view> known = collectives::names_of_collectives();
    known.push_back(besides);
    if (std::ranges::find(known, name) == known.end())
        throw InfoUsageError(with_remedy(fmt::format("{}: there is no collective \"{}\"", option, name),
                                         base::did_you_mean(name, known),
                                         fmt::format("there is {}", fmt::join(known, ", "))));
}

std::vector<std::size_t> parse_sizes(const std::vector<std::string>& texts)
{
    constexpr std::size_t kMost = std::size_t{1} << 50;
    std::vector<std::size_t> sizes;
    for (const std::string& text : texts) {
        const auto size = collectives::parse_bytes(text);
        if (!size || *size > kMost)
            throw InfoUsageError(
                fmt::format("--bytes: \"{}\" is no size; write for example 8, 64K or 1M", text));
        sizes.push_back(*size);
    }
    return sizes;
}

void check(const InfoOptions& options)
{
    if (!options.explain.empty() && !options.predict.empty())
        throw InfoUsageError("--explain and --predict cannot go together; use one");
    if (options.config && !(options.explain.empty() && options.predict.empty()))
        throw InfoUsageError("--config cannot go together with --explain or --predict; use one");
    if (!options.explain.empty())
        check_collective("--explain", options.explain, kSend);
    if (!options.predict.empty())
        check_collective("--predict", options.predict, "all");
    if (!options.explain.empty() && options.sizes_bytes.size() != 1)
        throw InfoUsageError("--explain takes one size; use --predict for a table over several");
    if (options.nodes > options.ranks)
        throw InfoUsageError(fmt::format("--nodes {} is more than --ranks {}: every node has a rank",
                                         options.nodes, options.ranks));
    if (options.crowded && options.nodes > 1)
        throw InfoUsageError("--crowded is for one node; leave --nodes out");
}

[[noreturn]] void reject_unknown(const CLI::App& app, const std::string& word)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string option = word.substr(0, word.find('='));
    throw InfoUsageError(
        with_remedy(fmt::format("unknown {} '{}'", word.starts_with("-") ? "option" : "argument", option),
                    base::did_you_mean(option, known), "see tutti-info --help"));
}

}  // namespace

InfoOptions parse_command_line(int argc, const char* const* argv)
{
    InfoOptions options;
    CLI::App app{"What this Tutti is, which algorithm a collective call uses and why, and what it costs."};
    app.name("tutti-info");
    app.footer(kExamples);
    app.allow_extras();
    app.set_version_flag("--version", "tutti-info " TUTTI_VERSION);
    constexpr int kMostRanks = 1 << 20;
    std::string op;
    std::vector<std::string> sizes;
    app.add_option(
           "--explain", options.explain,
           "Which algorithm a call of this collective uses, and why; 'send' for the protocol of a message")
        ->type_name("COLLECTIVE|send");
    app.add_option("--predict", options.predict, "A table of predicted times; 'all' for all collectives")
        ->type_name("COLLECTIVE");
    app.add_option("--ranks", options.ranks, "Ranks of the call")->check(CLI::Range(1, kMostRanks));
    app.add_option("--nodes", options.nodes, "Nodes that they are dealt over evenly, in rank order")
        ->check(CLI::Range(1, kMostRanks));
    app.add_option("--bytes", sizes, "Size of the data, with K, M or G")->delimiter(',')->type_name("SIZES");
    app.add_option("--op", op, "The operator of a reduction")
        ->check(CLI::IsMember({"commutative", "non-commutative"}));
    app.add_flag("--crowded", options.crowded, "There are more ranks than cores");
    app.add_option("--costs", options.costs_file, "JSON file with the costs of messages")->type_name("FILE");
    app.add_option("--messages", options.most_messages, "Give up on algorithms that send more messages")
        ->check(CLI::Range(1, 1'000'000'000));
    app.add_flag("--config", options.config, "Every setting: its value, and the file and line it comes from");
    app.add_flag("--json", options.json, "Print JSON");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        options.message = app.help();
        return options;
    } catch (const CLI::CallForVersion& version) {
        options.message = std::string(version.what()) + "\n";
        return options;
    } catch (const CLI::ParseError& error) {
        throw InfoUsageError(fmt::format("{}; see tutti-info --help", error.what()));
    }
    if (const std::vector<std::string> extras = app.remaining(); !extras.empty())
        reject_unknown(app, extras.front());
    options.commutative = op != "non-commutative";
    if (!sizes.empty())
        options.sizes_bytes = parse_sizes(sizes);
    if (app.count("--ranks") == 0 && options.explain != kSend)
        options.assumed.push_back(fmt::format("--ranks {}", options.ranks));
    if (sizes.empty())
        options.assumed.push_back(fmt::format("--bytes {}", options.sizes_bytes.front()));
    check(options);
    return options;
}

}  // namespace tutti::info
