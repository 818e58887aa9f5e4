// Epochs in which targets take part: fence, and post, start, complete and wait.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/window.hpp"
#include "lib/core/windows/window_control.hpp"
#include "lib/foundation/base/error_detail.hpp"

namespace tutti::detail {

using progress::Engine;

Window::Failure Window::barrier(std::string_view operation)
{
    try {
        {
            const Engine::Lock held = process_.engine().lock();
            in_barrier_ = operation;
        }
        call_barrier(communicator_, Form::blocking, {});
        return nullptr;
    } catch (const Error& error) {
        return std::make_exception_ptr(
            Error(error.code(), operation, fmt::format("{}: {}{}", name_, base::detail_of(error), in_epoch()),
                  error.peer()));
    }
}

Window::Failure Window::fence(unsigned promises)
{
    Failure incomplete;
    {
        Engine::Lock held = process_.engine().lock();
        if (epoch_ != Epoch::none && epoch_ != Epoch::fence)
            return wrong(WindowFault::epoch, "fence", Error::kNoPeer,
                         fmt::format("this rank is in an epoch {}; end it first", epoch_in_words()));
        if (is_exposed_)
            return wrong(WindowFault::epoch, "fence", Error::kNoPeer,
                         "this rank's memory is exposed by post(); wait() for the end of that epoch first");
        settle();
        incomplete = complete_copies(held, "fence", kAnyRank);
    }
    // The others wait there, whatever has failed here.
    Failure failed = barrier("fence");
    if (incomplete || failed)
        return incomplete ? incomplete : failed;
    const bool goes_on = (promises & window_promise::no_succeed) == 0;
    if (goes_on == (epoch_ == Epoch::fence) && accesses_.empty()) [[likely]]
        return nullptr;
    const Engine::Lock held = process_.engine().lock();
    for (int rank = 0; rank < communicator_->size(); ++rank)
        cover(rank, goes_on ? WindowCover::fence : WindowCover::none);
    epoch_ = goes_on ? Epoch::fence : Epoch::none;
    return nullptr;
}

// Under the lock. A frame releases what this rank has done before.
void Window::tell(int rank, WindowHeader::What what)
{
    if (rank != communicator_->rank())
        return tell_peer(communicator_->world_rank(rank), what);
    heard(rank, {.lead = {}, .what = what, .rank = 0, .id = 0, .detail = 0}, {});
    process_.engine().started();
}

void Window::heard(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    switch (header.what) {
        case WindowHeader::What::wake:
            return grant_locks();  // the pass that has brought it ends the own sleep
        case WindowHeader::What::posted:
            ++target(rank).posted;
            return;
        case WindowHeader::What::completed:
            ++target(rank).completed;
            return;
        case WindowHeader::What::put:
        case WindowHeader::What::get:
        case WindowHeader::What::update:
        case WindowHeader::What::swap:
            return serve(rank, header, payload);
        case WindowHeader::What::lock_shared:
        case WindowHeader::What::lock_exclusive:
            return serve_lock(rank, header);
        case WindowHeader::What::unlock_shared:
        case WindowHeader::What::unlock_exclusive: {
            WindowTarget& own = target(communicator_->rank());
            own.control->leave(header.what == WindowHeader::What::unlock_shared ? WindowLock::shared
                                                                                : WindowLock::exclusive);
            return wake_next(own);
        }
        case WindowHeader::What::answer:
        case WindowHeader::What::refusal:
            return take_answer(rank, header, payload);
    }
    protocol::corrupt(communicator_->world_rank(rank), "a window's frame of unknown kind");
}

Window::Failure Window::post(std::span<const int> origins, unsigned promises)
{
    Engine::Lock held = process_.engine().lock();
    for (const int rank : origins)
        if (!is_rank(rank))
            return not_a_rank("post", rank);
    if (is_exposed_)
        return wrong(WindowFault::epoch, "post", Error::kNoPeer,
                     "this rank's memory is exposed already; wait() comes before the next post()");
    leave_fence();
    exposed_to_.assign(origins.begin(), origins.end());
    is_exposed_ = true;
    if ((promises & window_promise::no_check) != 0)
        return nullptr;
    for (const int rank : origins)
        try {
            tell(rank, WindowHeader::What::posted);
        } catch (const Error&) {
            return not_told("post", rank);
        }
    return nullptr;
}

Window::Failure Window::start(std::span<const int> targets, unsigned promises)
{
    Engine::Lock held = process_.engine().lock();
    for (const int rank : targets)
        if (!is_rank(rank))
            return not_a_rank("start", rank);
    leave_fence();
    if (epoch_ != Epoch::none)
        return wrong(WindowFault::epoch, "start", Error::kNoPeer,
                     fmt::format("this rank is in an epoch {}; end it first", epoch_in_words()));
    for (const int rank : targets) {
        if ((promises & window_promise::no_check) == 0) {
            if (Failure failed =
                    await(held, "start", rank, {.target = rank}, [&] { return target(rank).posted != 0; }))
                return failed;
            --target(rank).posted;
        }
        cover(rank, WindowCover::started);
    }
    started_.assign(targets.begin(), targets.end());
    epoch_ = Epoch::started;
    return nullptr;
}

Window::Failure Window::complete()
{
    Engine::Lock held = process_.engine().lock();
    if (epoch_ != Epoch::started)
        return wrong(WindowFault::epoch, "complete", Error::kNoPeer, "this rank has not called start()");
    settle();
    Failure failed = complete_copies(held, "complete", kAnyRank);
    for (const int rank : started_) {
        cover(rank, WindowCover::none);
        try {
            tell(rank, WindowHeader::What::completed);
        } catch (const Error&) {
            failed = not_told("complete", rank);
        }
    }
    epoch_ = Epoch::none;
    return failed;
}

bool Window::have_all_completed() const
{
    return std::ranges::all_of(
        exposed_to_, [this](int rank) { return targets_[static_cast<std::size_t>(rank)].completed != 0; });
}

void Window::end_exposure()
{
    for (const int rank : exposed_to_)
        --target(rank).completed;
    exposed_to_.clear();
    is_exposed_ = false;
}

Window::Failure Window::wait()
{
    Engine::Lock held = process_.engine().lock();
    if (!is_exposed_)
        return wrong(WindowFault::epoch, "wait", Error::kNoPeer, "this rank has not called post()");
    for (const int rank : exposed_to_)
        if (Failure failed =
                await(held, "wait", rank, {.target = rank}, [&] { return target(rank).completed != 0; }))
            return failed;
    end_exposure();
    return nullptr;
}

Window::Failure Window::test(bool& done)
{
    Engine::Lock held = process_.engine().lock();
    done = false;
    if (!is_exposed_)
        return wrong(WindowFault::epoch, "test", Error::kNoPeer, "this rank has not called post()");
    if (!have_all_completed()) {
        try {
            process_.engine().poll(held);
        } catch (const Error&) {
            return std::current_exception();
        }
    }
    done = have_all_completed();
    if (done) {
        end_exposure();
        return nullptr;
    }
    for (const int rank : exposed_to_)
        if (target(rank).completed == 0)
            if (Failure lost = loss("test", rank, "before it called complete()"))
                return lost;
    return nullptr;
}

}  // namespace tutti::detail
