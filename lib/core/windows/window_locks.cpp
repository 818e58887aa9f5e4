#include "lib/core/windows/window_locks.hpp"

#include <algorithm>
#include <atomic>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/windows/window_control.hpp"

namespace tutti::detail {

using observe::StatusLock;
using What = WindowHeader::What;

namespace {

bool is_locked(WindowCover cover) noexcept
{
    return cover == WindowCover::shared || cover == WindowCover::exclusive;
}

void show(observe::StatusWord& page, StatusLock::Held held) noexcept
{
    page.store(static_cast<std::uint64_t>(held), std::memory_order_relaxed);
}

}  // namespace

void WindowLocks::acquire(EngineLock& lock, WindowLock kind, int rank)
{
    enter(lock, kind, rank);
    show_held(rank, kind);
}

void WindowLocks::enter(EngineLock& lock, WindowLock kind, int rank)
{
    targets_.look_for(rank);
    WindowTarget& wanted = targets_[rank];
    const WindowAim aim{.target = rank, .lock = kind};
    if (wanted.control == nullptr)
        return questions_.ask(lock, "lock", aim,
                              kind == WindowLock::shared ? What::lock_shared : What::lock_exclusive,
                              holds_any() ? 1 : 0);
    WindowControl& control = *wanted.control;
    if (control.enter_at_once(kind)) [[likely]]
        return;
    const std::size_t slot = targets_.slot();
    WindowControl::Turn turn{kind, control.take_ticket(), false};
    control.await(slot, turn);
    // Behind await(): of ranks that wait for each other's locks, the last one finds that others wait for it.
    if (kind == WindowLock::shared && holds_one_others_may_want()) {
        turn.in_front = true;
        control.await(slot, turn);
    }
    bool entered = false;
    const std::exception_ptr failed = caught([&] {
        waits_.await(lock, "lock", WindowIdentity::kAnyRank, aim,
                     [&] { return entered = entered || control.enter_in_turn(slot, turn); });
    });
    if (failed && entered)
        control.leave(kind);
    else if (failed)
        control.give_up(slot);
    wake_next(wanted);
    if (failed)
        std::rethrow_exception(failed);
}

bool WindowLocks::holds_any() const noexcept
{
    return std::ranges::any_of(targets_, [](const WindowTarget& each) { return is_locked(each.cover); });
}

// Of a target whose control this process does not map, nobody here knows who waits.
bool WindowLocks::holds_one_others_may_want() const noexcept
{
    return std::ranges::any_of(targets_, [](const WindowTarget& each) {
        return is_locked(each.cover) && (each.control == nullptr || each.control->anybody_waits());
    });
}

void WindowLocks::show_held(int rank, WindowLock kind)
{
    WindowTarget& target = targets_[rank];
    if (target.held == nullptr)
        target.held =
            &window_.process().status().add_lock(window_.communicator()->context(), rank, window_.rank());
    show(*target.held, kind == WindowLock::shared ? StatusLock::Held::shared : StatusLock::Held::alone);
}

void WindowLocks::release(int rank)
{
    WindowTarget& held = targets_[rank];
    if (!is_locked(held.cover))
        return;
    const WindowLock kind = held.cover == WindowCover::shared ? WindowLock::shared : WindowLock::exclusive;
    show(*held.held, StatusLock::Held::no);
    if (held.control != nullptr)
        leave(held, kind);
    else
        window_.send(rank, kind == WindowLock::shared ? What::unlock_shared : What::unlock_exclusive);
}

void WindowLocks::forget() noexcept
{
    for (const WindowTarget& each : targets_)
        if (each.held != nullptr)
            window_.process().status().forget_lock(*each.held);
}

void WindowLocks::leave(WindowTarget& target, WindowLock kind)
{
    target.control->leave(kind);
    wake_next(target);
}

void WindowLocks::wake_next(WindowTarget& target)
{
    target.control->wake_next([this](std::size_t slot) {
        if (slot != targets_.slot())
            return window_.send(targets_.rank_of_slot(slot), What::wake);
        window_.process().engine().started();  // another thread of this rank
        if (!pending_.empty())
            grant();
    });
}

void WindowLocks::serve(int rank, const WindowHeader& header)
{
    WindowTarget& own = targets_.own();
    if (header.what == What::unlock_shared || header.what == What::unlock_exclusive)
        return leave(own, header.what == What::unlock_shared ? WindowLock::shared : WindowLock::exclusive);
    const WindowLock kind = header.what == What::lock_shared ? WindowLock::shared : WindowLock::exclusive;
    if (own.control->enter_at_once(kind))
        return window_.send(rank, What::answer, header.id);
    const bool in_front = kind == WindowLock::shared && header.detail != 0;
    pending_.push_back({rank, header.id, kind, in_front, own.control->take_ticket()});
    await_for_others();
    grant();
}

void WindowLocks::grant()
{
    WindowTarget& own = targets_.own();
    for (;;) {
        const auto next = std::ranges::find_if(pending_, [&](const Pending& each) {
            return own.control->enter_behind_others({each.kind, each.ticket, each.in_front});
        });
        if (next == pending_.end())
            return;
        const Pending granted = *next;
        pending_.erase(next);
        await_for_others();
        wake_next(own);
        window_.send(granted.rank, What::answer, granted.id);
    }
}

void WindowLocks::await_for_others()
{
    WindowControl& control = *targets_.own().control;
    if (pending_.empty())
        return control.await_for_others(targets_.slot(), nullptr, false);
    const Pending& first = pending_.front();
    const WindowControl::Turn turn{first.kind, first.ticket, first.in_front};
    control.await_for_others(targets_.slot(), &turn, std::ranges::any_of(pending_, &Pending::in_front));
}

}  // namespace tutti::detail
