#include "lib/core/windows/window_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lib/core/process/check_options.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/datatype/runs.hpp"

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

// Calls visit(begin, end) for the bytes of a block whose displacement leads to `offset`.
template <class Visit>
void for_each_range(const TargetBlock& block, std::ptrdiff_t offset, Visit&& visit)
{
    const auto run = [&](std::ptrdiff_t place, std::size_t bytes) {
        visit(offset + place, offset + place + static_cast<std::ptrdiff_t>(bytes));
    };
    if (block.type == nullptr)
        run(0, block.count);
    else
        datatype::for_each_run(*block.type, block.count, run);
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

WindowConflicts::WindowConflicts(const WindowIdentity& window)
    : window_(window), accesses_(check::options().windows ? static_cast<std::size_t>(window.size()) : 0)
{
}

void WindowConflicts::look_for(std::string_view operation, WindowUse use, const TargetBlock& block,
                               std::ptrdiff_t offset) const
{
    if (!are_checked()) [[likely]]
        return;
    const auto held = window_.process().engine().lock();
    const WindowAccesses& accesses = accesses_[static_cast<std::size_t>(block.rank)];
    std::optional<WindowAccesses::Conflict> found;
    for_each_range(block, offset, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        if (!found)
            found = accesses.conflict(use, begin, end);
    });
    if (!found)
        return;
    const bool may_flush =
        window_.epoch() == WindowEpoch::locks || window_.epoch() == WindowEpoch::all_locked;
    window_.refuse(
        WindowFault::conflict, operation, block.rank,
        fmt::format("{} are those of {} that is not complete; {} must come between them (in the epoch {})",
                    window_.range_in_words(found->begin, found->end), in_words(found->earlier),
                    may_flush ? "flush() or the end of the epoch" : "the end of the epoch",
                    window_.epoch_in_words()));
}

void WindowConflicts::note(WindowUse use, const TargetBlock& block, std::ptrdiff_t offset)
{
    if (!are_checked()) [[likely]]
        return;
    const auto held = window_.process().engine().lock();
    for_each_range(block, offset, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        accesses_[static_cast<std::size_t>(block.rank)].note(use, begin, end);
    });
}

void WindowConflicts::forget(int rank, bool all)
{
    if (!are_checked()) [[likely]]
        return;
    WindowAccesses& complete = accesses_[static_cast<std::size_t>(rank)];
    if (all)
        complete.forget();
    else
        complete.forget_gets();
}

}  // namespace tutti::detail
