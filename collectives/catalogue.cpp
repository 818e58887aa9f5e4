#include "collectives/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "collectives/choice.hpp"

namespace tutti::collectives {

namespace {

template <class Collective>
CollectiveEntry entry_of()
{
    // Names live as long as the program, as those of algorithms do.
    static const std::string kName = [] {
        std::string name(std::string_view(Collective::kVariable).substr(std::string_view("TUTTI_").size()));
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        return name;
    }();
    CollectiveEntry entry{.name = kName,
                          .variable = Collective::kVariable,
                          .algorithms = {},
                          .rules = Collective::kRules,
                          .resolved = {}};
    for (const auto& algorithm : Collective::kAlgorithms)
        entry.algorithms.push_back(
            {algorithm.name, algorithm.operands, algorithm.segments, algorithm.through});
    static constexpr auto kResolved = detail::resolve<Collective>();
    entry.resolved.assign(kResolved.begin(), kResolved.end());
    return entry;
}

template <class Entry>
std::vector<std::string_view> names_of(std::span<const Entry> entries)
{
    std::vector<std::string_view> names;
    for (const Entry& entry : entries)
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
    return names_of(std::span<const AlgorithmEntry>(collective.algorithms));
}

}  // namespace tutti::collectives
