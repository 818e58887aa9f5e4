#include "lib/core/windows/window_accesses.hpp"

#include <algorithm>
#include <iterator>

namespace tutti::detail {

namespace {

bool do_conflict(WindowUse one, WindowUse other) noexcept
{
    return one != other || one == WindowUse::put;
}

// The first range that ends behind `place`.
template <class Map>
auto first_behind(Map& ranges, std::ptrdiff_t place)
{
    auto found = ranges.upper_bound(place);
    if (found != ranges.begin() && std::prev(found)->second > place)
        --found;
    return found;
}

}  // namespace

std::string_view in_words(WindowUse access) noexcept
{
    switch (access) {
        case WindowUse::get:
            return "an earlier get()";
        case WindowUse::put:
            return "an earlier put()";
        case WindowUse::update:
            break;
    }
    return "an earlier accumulate() or its like";
}

std::optional<WindowAccesses::Conflict> WindowAccesses::conflict(WindowUse access, std::ptrdiff_t begin,
                                                                 std::ptrdiff_t end) const
{
    std::optional<Conflict> first;
    if (begin == end)
        return first;
    for (const WindowUse earlier : {WindowUse::get, WindowUse::put, WindowUse::update}) {
        if (!do_conflict(access, earlier))
            continue;
        const auto found = first_behind(of(earlier), begin);
        if (found == of(earlier).end() || found->first >= end)
            continue;
        const Conflict next{earlier, std::max(begin, found->first), std::min(end, found->second)};
        if (!first || next.begin < first->begin)
            first = next;
    }
    return first;
}

void WindowAccesses::note(WindowUse access, std::ptrdiff_t begin, std::ptrdiff_t end)
{
    if (begin == end)
        return;
    // Ranges that touch become one: a loop over elements takes the memory of one range.
    Ranges& ranges = of(access);
    auto next = first_behind(ranges, begin);
    if (next != ranges.begin() && std::prev(next)->second == begin)
        --next;
    while (next != ranges.end() && next->first <= end) {
        begin = std::min(begin, next->first);
        end = std::max(end, next->second);
        next = ranges.erase(next);
    }
    ranges.emplace_hint(next, begin, end);
}

void WindowAccesses::forget() noexcept
{
    for (Ranges& ranges : ranges_)
        ranges.clear();
}

}  // namespace tutti::detail
