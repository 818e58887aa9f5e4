// What a target does for ranks that do not map its memory, on the same memory and by the same control as
// those that do. So both kinds of ranks agree on atomicity and locks.
#include <algorithm>
#include <cstring>
#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/element_update.hpp"
#include "lib/core/windows/window.hpp"
#include "lib/core/windows/window_control.hpp"

namespace tutti::detail {

using What = WindowHeader::What;

namespace {

template <class T>
T read(std::span<const std::byte> payload, std::size_t offset, int peer)
{
    T value;
    if (payload.size() < offset || payload.size() - offset < sizeof value)
        protocol::corrupt(peer, "a window's frame that is too short");
    std::memcpy(&value, payload.data() + offset, sizeof value);
    return value;
}

}  // namespace

// nullptr: there is none.
std::byte* Window::memory_at(const WindowRun& run) const
{
    if (flavor_ == WindowFlavor::dynamic)
        return is_attached(run.offset, run.bytes)
                   ? reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(run.offset))
                   : nullptr;
    const WindowTarget& own = targets_[static_cast<std::size_t>(communicator_->rank())];
    const bool fits = run.offset <= own.size_bytes && run.bytes <= own.size_bytes - run.offset;
    return fits ? own.memory + run.offset : nullptr;
}

// Only an origin of a dynamic window cannot know better.
void Window::refuse(int rank, std::uint64_t id, const WindowRun& run)
{
    if (flavor_ != WindowFlavor::dynamic)
        protocol::corrupt(communicator_->world_rank(rank), "an operation outside a window");
    tell_header(rank, header_of(What::refusal, id, 0),
                {reinterpret_cast<const std::byte*>(&run), sizeof run});
}

void Window::serve(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    if (header.what != What::swap)
        return serve_transfer(rank, header, payload);
    const WindowRun run{header.detail, payload.size() / 2};
    std::byte before[16];
    if (run.bytes > sizeof before)
        protocol::corrupt(communicator_->world_rank(rank), "a window's frame that is too long");
    std::byte* const there = memory_at(run);
    if (there == nullptr)
        return refuse(rank, header.id, run);
    detail::compare_and_swap(updater(target(communicator_->rank())), there, payload.data(),
                             payload.data() + run.bytes, before, run.bytes);
    tell_header(rank, header_of(What::answer, header.id, 0), {before, run.bytes});
}

void Window::serve_transfer(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    const int peer = communicator_->world_rank(rank);
    const auto head = read<WindowTransfer>(payload, 0, peer);
    const std::size_t runs_bytes = head.runs * sizeof(WindowRun);
    const bool has_data =
        header.what == What::put || (header.what == What::update && head.update.kind != Update::Kind::no_op);
    if (head.bytes > kMostWindowBytes || runs_bytes > kMostWindowBytes ||
        (has_data && payload.size() != sizeof head + runs_bytes + head.bytes))
        protocol::corrupt(peer, "a window's frame of the wrong length");
    const std::byte* data = has_data ? payload.data() + sizeof head + runs_bytes : nullptr;
    const bool answers = header.what == What::get || head.fetches != 0;
    std::vector<std::byte> answer(answers ? head.bytes : 0);
    const ElementUpdate element(head.update);
    std::size_t done = 0;
    for (std::size_t i = 0; i < head.runs; ++i) {
        const auto run = read<WindowRun>(payload, sizeof head + i * sizeof(WindowRun), peer);
        if (run.bytes > head.bytes - done)
            protocol::corrupt(peer, "a window's frame with runs that are too long");
        std::byte* const there = memory_at(run);
        if (there == nullptr)
            return refuse(rank, header.id, run);
        std::byte* const before = answer.empty() ? nullptr : answer.data() + done;
        if (header.what == What::put)
            std::memcpy(there, data + done, run.bytes);
        else if (header.what == What::get)
            std::memcpy(before, there, run.bytes);
        else
            element.apply(updater(target(communicator_->rank())), there,
                          data == nullptr ? nullptr : data + done, before,
                          run.bytes / element.element_bytes());
        done += run.bytes;
    }
    tell_header(rank, header_of(What::answer, header.id, 0), answer);
}

void Window::serve_lock(int rank, const WindowHeader& header)
{
    WindowControl& control = *target(communicator_->rank()).control;
    const WindowLock kind = header.what == What::lock_shared ? WindowLock::shared : WindowLock::exclusive;
    if (control.enter_at_once(kind))
        return tell_header(rank, header_of(What::answer, header.id, 0), {});
    const bool in_front = kind == WindowLock::shared && header.detail != 0;
    pending_locks_.push_back({rank, header.id, kind, in_front, control.take_ticket()});
    await_for_others();
    grant_locks();
}

// Gives the own lock to the ranks that asked for it by frames and whose turn has come.
void Window::grant_locks()
{
    WindowTarget& own = target(communicator_->rank());
    for (;;) {
        const auto next = std::ranges::find_if(pending_locks_, [&](const PendingLock& lock) {
            return own.control->enter_behind_others({lock.kind, lock.ticket, lock.in_front});
        });
        if (next == pending_locks_.end())
            return;
        const PendingLock granted = *next;
        pending_locks_.erase(next);
        await_for_others();
        wake_next(own);
        tell_header(granted.rank, header_of(What::answer, granted.id, 0), {});
    }
}

// They are in the order of their tickets.
void Window::await_for_others()
{
    WindowControl& control = *target(communicator_->rank()).control;
    if (pending_locks_.empty())
        return control.await_for_others(slot_, nullptr, false);
    const PendingLock& first = pending_locks_.front();
    const WindowControl::Turn turn{first.kind, first.ticket, first.in_front};
    control.await_for_others(slot_, &turn, std::ranges::any_of(pending_locks_, &PendingLock::in_front));
}

}  // namespace tutti::detail
