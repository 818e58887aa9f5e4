#include "collectives/choice/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "collectives/choice/algorithms.hpp"

namespace tutti::collectives {

namespace {

template <class Collective>
CollectiveEntry entry_of()
{
    std::string name(std::string_view(Collective::kVariable).substr(std::string_view("TUTTI_").size()));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return {.name = std::move(name),
            .variable = Collective::kVariable,
            .algorithms = {std::begin(Collective::kAlgorithms), std::end(Collective::kAlgorithms)},
            .rules = kTable<Collective>};
}

std::vector<std::string_view> names_of(const auto& entries)
{
    std::vector<std::string_view> names;
    for (const auto& entry : entries)
        names.push_back(entry.name);
    return names;
}

}  // namespace

std::span<const CollectiveEntry> catalogue()
{
    static const std::vector<CollectiveEntry> kEntries =
        []<class... Collectives>(std::tuple<Collectives...>) {
            return std::vector{entry_of<Collectives>()...};
        }(AllCollectives{});
    return kEntries;
}

std::vector<std::string_view> names_of_collectives()
{
    return names_of(catalogue());
}

std::vector<std::string_view> names_of_algorithms(const CollectiveEntry& collective)
{
    return names_of(collective.algorithms);
}

}  // namespace tutti::collectives
