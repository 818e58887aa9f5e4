// tutti-info: what this Tutti is, which algorithm a call uses and why, and what it costs. Needs no job.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "collectives/choice/choice.hpp"
#include "collectives/framework/nodes.hpp"
#include "launcher/info/explain.hpp"
#include "launcher/info/explain_send.hpp"
#include "launcher/info/info_options.hpp"
#include "launcher/info/print.hpp"
#include "launcher/info/shown_settings.hpp"
#include "lib/foundation/base/say.hpp"
#include "lib/foundation/settings/settings.hpp"

namespace {

using namespace tutti::info;
namespace collectives = tutti::collectives;

unsigned place_of(const std::string& collective)
{
    const auto all = collectives::catalogue();
    return static_cast<unsigned>(std::ranges::find(all, collective, &collectives::CollectiveEntry::name) -
                                 all.begin());
}

void print(const std::string& text)
{
    fmt::print("{}", text);
}

void answer(const InfoOptions& options)
{
    const collectives::Choice choice(tutti::settings::value_of);
    const auto model = options.costs_file.empty()
                           ? collectives::simulator::CostModel{}
                           : collectives::simulator::read_cost_model(options.costs_file);
    std::optional<collectives::NodeMap> several;
    if (options.nodes > 1)
        several = collectives::NodeMap::in_blocks(options.ranks, options.nodes);
    const collectives::NodeMap* const nodes = several ? &*several : nullptr;

    if (options.explain == kSend) {
        const auto sends =
            explain_send(options.sizes_bytes.front(), options.ranks, options.nodes, options.crowded);
        print(options.json ? as_json(options.sizes_bytes.front(), sends)
                           : as_text(options.sizes_bytes.front(), sends));
        return;
    }
    if (!options.explain.empty()) {
        const unsigned collective = place_of(options.explain);
        const auto situation = situation_of(options, options.sizes_bytes.front(), nodes);
        const Explanation explanation = explain(choice, collective, situation);
        const auto all = candidates(collective, situation, explanation, options.most_messages, model);
        print(options.json ? as_json({options, explanation, all}) : as_text({options, explanation, all}));
        return;
    }
    for (unsigned collective = 0; collective < collectives::catalogue().size(); ++collective)
        if (options.predict == "all" || place_of(options.predict) == collective)
            print(prediction_table(options, collective, choice, nodes, model) + "\n");
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const InfoOptions options = parse_command_line(argc, argv);
        if (!options.message.empty())
            print(options.message);
        else if (options.config)
            print(options.json ? as_json(configuration()) : as_text(configuration()));
        else if (!options.explain.empty() || !options.predict.empty())
            answer(options);
        else
            print(options.json ? as_json(overview(tutti::settings::value_of))
                               : as_text(overview(tutti::settings::value_of)));
        return 0;
    } catch (const InfoUsageError& error) {
        tutti::base::say(fmt::format("tutti-info: {}\n", error.what()));
        return 2;
    } catch (const std::exception& error) {
        tutti::base::say(fmt::format("tutti-info: {}\n", error.what()));
        return 1;
    }
}
