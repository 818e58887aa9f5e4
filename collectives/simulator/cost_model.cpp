#include "collectives/simulator/cost_model.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "collectives/choice/json_file.hpp"

namespace tutti::collectives::simulator {

namespace {

constexpr std::pair<std::string_view, double Costs::*> kCosts[] = {
    {"latency_ns", &Costs::latency_ns},
    {"overhead_ns", &Costs::overhead_ns},
    {"gap_ns", &Costs::gap_ns},
    {"ns_per_byte", &Costs::ns_per_byte},
};

void read_costs(const JsonFile& file, const std::string& place, const nlohmann::json& object, Costs& costs)
{
    file.require_object(object, place);
    for (const auto& [name, value] : object.items()) {
        const auto* const known =
            std::ranges::find(kCosts, name, &std::pair<std::string_view, double Costs::*>::first);
        if (known == std::end(kCosts)) {
            std::array<std::string_view, std::size(kCosts)> names;
            std::ranges::transform(kCosts, names.begin(), [](const auto& cost) { return cost.first; });
            throw file.unknown(place, name, names);
        }
        costs.*known->second = file.amount(value, place + "." + name);
    }
}

CostModel model_in(const JsonFile& file)
{
    CostModel model;
    file.require_object(file.root(), "the file");
    for (const auto& [name, value] : file.root().items()) {
        static constexpr std::string_view kNames[] = {"inside", "between", "reduce_ns_per_byte"};
        if (name == kNames[0])
            read_costs(file, name, value, model.inside);
        else if (name == kNames[1])
            read_costs(file, name, value, model.between);
        else if (name == kNames[2])
            model.reduce_ns_per_byte = file.amount(value, name);
        else
            throw file.unknown("", name, kNames);
    }
    return model;
}

}  // namespace

CostModel parse_cost_model(std::string_view text, std::string_view file)
{
    return model_in(JsonFile(text, file));
}

CostModel read_cost_model(const std::string& file)
{
    return model_in(JsonFile::read(file));
}

}  // namespace tutti::collectives::simulator
