// Accesses of this rank that conflict, for checked jobs.
#include <fmt/format.h>

#include "lib/core/job/process.hpp"
#include "lib/core/windows/window.hpp"
#include "lib/foundation/datatype/runs.hpp"

namespace tutti::detail {

namespace {

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

Window::Failure Window::look_for_conflict(std::string_view operation, WindowUse use, const TargetBlock& block,
                                          std::ptrdiff_t offset) const
{
    if (accesses_.empty()) [[likely]]
        return nullptr;
    const Engine::Lock held = process_.engine().lock();
    const WindowAccesses& accesses = accesses_[static_cast<std::size_t>(block.rank)];
    std::optional<WindowAccesses::Conflict> found;
    for_each_range(block, offset, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        if (!found)
            found = accesses.conflict(use, begin, end);
    });
    if (!found)
        return nullptr;
    const std::string range = flavor_ == WindowFlavor::dynamic
                                  ? fmt::format("addresses {:#x} to {:#x}", found->begin, found->end)
                                  : fmt::format("bytes {} to {}", found->begin, found->end);
    return wrong(
        WindowFault::conflict, operation, block.rank,
        fmt::format("{} are those of {} that is not complete; {} must come between them (in the "
                    "epoch {})",
                    range, in_words(found->earlier),
                    epoch_ == Epoch::locks || epoch_ == Epoch::all_locked ? "flush() or the end of the epoch"
                                                                          : "the end of the epoch",
                    epoch_in_words()));
}

// Not for operations of which a request tells the program that they are complete at the target: whether it
// has waited, nothing here sees.
void Window::note_use(WindowUse use, const TargetBlock& block, std::ptrdiff_t offset)
{
    if (accesses_.empty()) [[likely]]
        return;
    const Engine::Lock held = process_.engine().lock();
    for_each_range(block, offset, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        accesses_[static_cast<std::size_t>(block.rank)].note(use, begin, end);
    });
}

// Under the lock. Accesses to `rank` are complete: gets, or `all`.
void Window::forget_accesses(int rank, bool all)
{
    if (accesses_.empty()) [[likely]]
        return;
    WindowAccesses& complete = accesses_[static_cast<std::size_t>(rank)];
    if (all)
        complete.forget();
    else
        complete.forget_gets();
}

}  // namespace tutti::detail
