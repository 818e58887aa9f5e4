#include "lib/core/requests/wait.hpp"

#include <utility>

#include "lib/core/process/process.hpp"
#include "lib/core/process/window_request.hpp"
#include "lib/core/requests/collective_request.hpp"
#include "lib/core/requests/request_end.hpp"

namespace tutti::detail {

namespace {

bool is_done(const RequestState* state) noexcept
{
    return state != nullptr && state->done;
}

std::optional<std::size_t> first_done(const States& states) noexcept
{
    for (std::size_t i = 0; i < states.size(); ++i)
        if (is_done(states[i]))
            return i;
    return std::nullopt;
}

// From the end: operations mostly end in the order in which they began.
bool are_all_done(const States& states) noexcept
{
    for (std::size_t i = states.size(); i-- > 0;)
        if (states[i] != nullptr && !states[i]->done)
            return false;
    return true;
}

void set_awaited(RequestState& state, bool awaited) noexcept
{
    if (state.kind == RequestState::Kind::receive)
        static_cast<protocol::ReceiveRequest&>(state).awaited = awaited;
    else if (state.kind == RequestState::Kind::window)
        static_cast<WindowRequest&>(state).awaited = awaited;
}

// No call if it is not a collective.
CallPlace call_of(const RequestState& state) noexcept
{
    return state.kind == RequestState::Kind::collective ? static_cast<const CollectiveRequest&>(state).place()
                                                        : CallPlace{};
}

observe::CallWords words_of(const RequestState& state) noexcept
{
    switch (state.kind) {
        case RequestState::Kind::send: {
            const auto& send = static_cast<const protocol::SendRequest&>(state);
            return RankStatus::words(observe::Operation::wait_send, send.envelope.context, send.peer_rank,
                                     send.envelope.tag(), send.data.size());
        }
        case RequestState::Kind::receive: {
            const auto& receive = static_cast<const protocol::ReceiveRequest&>(state);
            return {receive.key.context, receive.key.source_and_tag,
                    observe::CallWords::what_of(observe::Operation::wait_recv, receive.capacity)};
        }
        case RequestState::Kind::collective:
            return static_cast<const CollectiveRequest&>(state).words_of_wait();
        case RequestState::Kind::window: {
            const auto& window = static_cast<const WindowRequest&>(state);
            return window_call_words(window.context, window.operation, window.target, window.bytes);
        }
        case RequestState::Kind::own:
            break;
    }
    return RankStatus::words(observe::Operation::wait_any, 0, 0, 0, 1);
}

// The rank of the job that the operation waits for; -1: any, or several.
int peer_of(const RequestState& state) noexcept
{
    if (state.kind == RequestState::Kind::send)
        return static_cast<const protocol::SendRequest&>(state).peer_rank;
    if (state.kind == RequestState::Kind::window)
        return static_cast<const WindowRequest&>(state).peer;
    return state.kind == RequestState::Kind::receive
               ? static_cast<const protocol::ReceiveRequest&>(state).peer_rank
               : -1;
}

// Whether all active operations are receives from any source in one communicator: if no peer is left there,
// none can end.
bool are_for_anybody(const States& states) noexcept
{
    std::optional<std::uint64_t> context;
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (states[i] == nullptr)
            continue;
        if (states[i]->kind != RequestState::Kind::receive)
            return false;
        const auto& receive = static_cast<const protocol::ReceiveRequest&>(*states[i]);
        if (receive.peer_rank >= 0 || context.value_or(receive.key.context) != receive.key.context)
            return false;
        context = receive.key.context;
    }
    return true;
}

// Counts the ends of unfinished operations, so that a wait looks at all of them only when one has ended.
class Watch {
public:
    explicit Watch(const States& states) noexcept : states_(states), for_anybody_(are_for_anybody(states))
    {
        set([](RequestState& state) noexcept { ++process_of(state).watched_ends; }, for_anybody_);
    }
    ~Watch() { set(nullptr, false); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    void set(void (*on_finish)(RequestState&) noexcept, bool awaited) noexcept
    {
        for (std::size_t i = 0; i < states_.size(); ++i) {
            if (states_[i] == nullptr)
                continue;
            states_[i]->on_finish = on_finish;
            if (for_anybody_)
                set_awaited(*states_[i], awaited);
        }
    }

    const States& states_;
    const bool for_anybody_;
};

// Whoever looks at all requests for each event needs quadratic time. So a look at many comes after many
// passes, as long as these bring events.
void take_arrivals(Process& process, const States& states)
{
    constexpr std::size_t kRequestsAPass = 64;
    for (std::size_t passes = states.size() / kRequestsAPass; passes != 0; --passes)
        if (process.engine().progress() == 0)
            return;
}

}  // namespace

Process* States::process() const noexcept
{
    for (std::size_t i = 0; i < count_; ++i)
        if (const RequestState* const state = (*this)[i])
            return &process_of(*state);
    return nullptr;
}

bool wait_for_end(progress::Engine::Lock& lock, RequestState& state, std::int64_t until_ns)
{
    const bool timed = until_ns != kForEver;
    const RankStatus::InCall in_call(
        process_of(state).status(),
        timed ? RankStatus::words(observe::Operation::wait_any, 0, 0, 0, 1) : words_of(state),
        [&] { return timed ? -1 : peer_of(state); });
    const Waits::Blocked blocked(process_of(state).waits(), call_of(state));
    set_awaited(state, true);
    try {
        process_of(state).engine().wait(
            lock, [&] { return state.done; }, until_ns);
    } catch (const Error&) {
        if (!give_up(state, std::current_exception()))
            throw;
    }
    set_awaited(state, false);
    return state.done;
}

std::optional<std::size_t> wait_any(progress::Engine::Lock& lock, const States& states, std::int64_t until_ns)
{
    Process* const process = states.process();
    if (process == nullptr)
        return std::nullopt;
    std::optional<std::size_t> found = first_done(states);
    if (found)
        return found;
    {
        const Watch watch(states);
        const RankStatus::InCall in_call(
            process->status(), RankStatus::words(observe::Operation::wait_any, 0, 0, 0, states.size()));
        std::uint64_t ends = process->watched_ends;
        process->engine().wait(
            lock,
            [&] {
                if (std::exchange(ends, process->watched_ends) != process->watched_ends)
                    found = first_done(states);
                return found.has_value();
            },
            until_ns);
    }
    if (found)
        take_arrivals(*process, states);
    return found;
}

bool test(progress::Engine::Lock& lock, RequestState& state)
{
    if (!state.done)
        process_of(state).engine().poll(lock);
    return state.done;
}

bool test_all(progress::Engine::Lock& lock, const States& states)
{
    if (are_all_done(states))
        return true;
    states.process()->engine().poll(lock);
    return are_all_done(states);
}

bool test_any(progress::Engine::Lock& lock, const States& states)
{
    if (first_done(states))
        return true;
    Process* const process = states.process();
    if (process == nullptr)
        return false;
    if (process->engine().poll(lock) != 0)
        take_arrivals(*process, states);
    return first_done(states).has_value();
}

std::size_t test_some(progress::Engine::Lock& lock, const States& states, std::span<std::size_t> indices)
{
    if (!test_any(lock, states))
        return 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < states.size() && count < indices.size(); ++i)
        if (is_done(states[i]))
            indices[count++] = i;
    return count;
}

}  // namespace tutti::detail
