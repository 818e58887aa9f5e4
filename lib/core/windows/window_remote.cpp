// Operations and locks at a target whose memory this rank does not map: a frame asks the target, whose
// progress does it on its mapped memory and answers. So both kinds of ranks agree on atomicity and locks.
#include <algorithm>
#include <cstring>
#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/element_update.hpp"
#include "lib/core/windows/window.hpp"
#include "lib/core/windows/window_control.hpp"

namespace tutti::detail {

using progress::Engine;
using What = WindowHeader::What;

namespace {

// In front of an update's operands.
struct UpdateCall {
    Update update;
    std::uint32_t fetches;
    std::uint64_t bytes;
};

// An answer must fit, too.
constexpr std::size_t kMostBytes = 32u << 10;

template <class T>
T read(std::span<const std::byte> payload, int peer)
{
    T value;
    if (payload.size() < sizeof value)
        protocol::corrupt(peer, "a window's frame that is too short");
    std::memcpy(&value, payload.data(), sizeof value);
    return value;
}

}  // namespace

void Window::tell_header(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    process_.protocol().tell(communicator_->world_rank(rank), header, payload);
    process_.engine().started();
}

WindowHeader Window::header_of(What what, std::uint64_t id, std::uint64_t offset) const
{
    return {protocol::Lead::of(protocol::FrameKind::window_call, communicator_->context()), what,
            static_cast<std::uint32_t>(communicator_->rank()), id, offset};
}

Window::Failure Window::ask(Engine::Lock& lock, std::string_view operation, int rank, What what,
                            std::size_t offset, std::span<const std::byte> payload,
                            std::span<std::byte> answer)
{
    Question question{rank, answer, false};
    const std::uint64_t id = ++asked_;
    questions_.emplace(id, &question);
    Failure failed;
    try {
        tell_header(rank, header_of(what, id, offset), payload);
        failed = await(lock, operation, rank, [&] { return question.done; });
    } catch (const Error&) {
        failed = std::current_exception();
    }
    questions_.erase(id);
    return failed;
}

// A run of bytes, in pieces that a frame takes. `from` and `before` as in update; get has only `before`.
Window::Failure Window::ask_run(Engine::Lock& lock, std::string_view operation, int rank, std::size_t offset,
                                std::size_t bytes, const std::byte* from, std::byte* before,
                                const Update* update)
{
    std::size_t most = kMostBytes;
    try {
        most = std::min(most, process_.protocol().most_told_bytes(communicator_->world_rank(rank)));
    } catch (const Error&) {
        return std::current_exception();
    }
    most = (most - sizeof(UpdateCall)) / 64 * 64;  // whole elements
    std::vector<std::byte> payload;
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t part = std::min(most, bytes - done);
        const UpdateCall call{update != nullptr ? *update : Update{}, before != nullptr, part};
        const auto* const head = reinterpret_cast<const std::byte*>(&call);
        payload.assign(head, head + sizeof call);
        if (from != nullptr)
            payload.insert(payload.end(), from + done, from + done + part);
        const What what = update != nullptr ? What::update : from != nullptr ? What::put : What::get;
        const std::span<std::byte> answer =
            before != nullptr ? std::span(before + done, part) : std::span<std::byte>();
        if (Failure failed = ask(lock, operation, rank, what, offset + done, payload, answer))
            return failed;
        done += part;
    }
    return nullptr;
}

// At the target.
void Window::serve(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    const int peer = communicator_->world_rank(rank);
    WindowTarget& own = target(communicator_->rank());
    const auto place = [&](std::size_t bytes) {
        if (header.detail > own.size_bytes || bytes > own.size_bytes - header.detail)
            protocol::corrupt(peer, "an operation outside a window");
        return own.memory + header.detail;
    };
    const auto answer = [&](std::span<const std::byte> data) {
        tell_header(rank, header_of(What::answer, header.id, 0), data);
    };
    if (header.what == What::swap) {
        const std::size_t bytes = payload.size() / 2;
        std::byte before[16];
        if (bytes > sizeof before)
            protocol::corrupt(peer, "a window's frame that is too long");
        detail::compare_and_swap(updater(own), place(bytes), payload.data(), payload.data() + bytes, before,
                                 bytes);
        return answer({before, bytes});
    }
    const auto call = read<UpdateCall>(payload, peer);
    const std::span<const std::byte> data = payload.subspan(sizeof call);
    const bool has_data = header.what != What::get && call.update.kind != Update::Kind::no_op;
    if (call.bytes > kMostBytes || (has_data && data.size() != call.bytes))
        protocol::corrupt(peer, "a window's frame of the wrong length");
    std::byte* const memory = place(call.bytes);
    if (header.what == What::put) {
        std::memcpy(memory, data.data(), call.bytes);
        return answer({});
    }
    if (header.what == What::get)
        return answer({memory, call.bytes});
    std::vector<std::byte> before(call.fetches != 0 ? call.bytes : 0);
    const ElementUpdate element(call.update);
    element.apply(updater(own), memory, has_data ? data.data() : nullptr,
                  before.empty() ? nullptr : before.data(), call.bytes / element.element_bytes());
    answer(before);
}

void Window::serve_lock(int rank, const WindowHeader& header)
{
    WindowControl& control = *target(communicator_->rank()).control;
    const WindowLock kind = header.what == What::lock_shared ? WindowLock::shared : WindowLock::exclusive;
    pending_locks_.push_back({rank, header.id, kind, control.take_ticket()});
    control.await_for_others(slot_, true);
    grant_locks();
}

// Gives the own lock to the ranks that asked for it by frames and whose turn has come.
void Window::grant_locks()
{
    WindowTarget& own = target(communicator_->rank());
    for (;;) {
        const auto next = std::ranges::find_if(pending_locks_, [&](const PendingLock& lock) {
            return own.control->has_turn(lock.kind, lock.ticket);
        });
        if (next == pending_locks_.end())
            break;
        const PendingLock granted = *next;
        pending_locks_.erase(next);
        own.control->enter(granted.kind, granted.ticket);
        wake_next(own);
        tell_header(granted.rank, header_of(What::answer, granted.id, 0), {});
    }
    own.control->await_for_others(slot_, !pending_locks_.empty());
}

void Window::take_answer(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    const auto found = questions_.find(header.id);
    if (found == questions_.end())
        return;  // its wait has failed
    Question& question = *found->second;
    if (question.rank != rank || payload.size() != question.answer.size())
        protocol::corrupt(communicator_->world_rank(rank), "an answer that was not asked for");
    std::copy(payload.begin(), payload.end(), question.answer.begin());
    question.done = true;
}

}  // namespace tutti::detail
