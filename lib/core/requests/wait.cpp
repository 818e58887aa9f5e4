#include "lib/core/requests/wait.hpp"

#include "lib/core/calls/collective_request.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/requests/completion.hpp"

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

bool are_all_done(const States& states) noexcept
{
    for (std::size_t i = 0; i < states.size(); ++i)
        if (states[i] != nullptr && !states[i]->done)
            return false;
    return true;
}

void set_awaited(RequestState& state, bool awaited) noexcept
{
    if (state.kind == RequestState::Kind::receive)
        static_cast<protocol::ReceiveRequest&>(state).awaited = awaited;
}

void set_all_awaited(const States& states, bool awaited) noexcept
{
    for (std::size_t i = 0; i < states.size(); ++i)
        if (states[i] != nullptr)
            set_awaited(*states[i], awaited);
}

// nullptr if it is not a collective.
const CommunicatorGroup* call_of(const RequestState& state) noexcept
{
    return state.kind == RequestState::Kind::collective ? &static_cast<const CollectiveRequest&>(state).group
                                                        : nullptr;
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

}  // namespace

Process* States::process() const noexcept
{
    for (std::size_t i = 0; i < count_; ++i)
        if (const RequestState* const state = (*this)[i])
            return &process_of(*state);
    return nullptr;
}

bool wait(progress::Engine::Lock& lock, RequestState& state, std::int64_t until_ns)
{
    if (state.done)
        return true;
    const CallDiagnosis::Blocked blocked(process_of(state).calls(), call_of(state));
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
    std::optional<std::size_t> found;
    const bool for_anybody = are_for_anybody(states);
    if (for_anybody)
        set_all_awaited(states, true);
    process->engine().wait(
        lock, [&] { return (found = first_done(states)).has_value(); }, until_ns);
    if (for_anybody)
        set_all_awaited(states, false);
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

std::size_t test_some(progress::Engine::Lock& lock, const States& states, std::span<std::size_t> indices)
{
    if (!first_done(states))
        if (Process* const process = states.process())
            process->engine().poll(lock);
    std::size_t count = 0;
    for (std::size_t i = 0; i < states.size() && count < indices.size(); ++i)
        if (is_done(states[i]))
            indices[count++] = i;
    return count;
}

}  // namespace tutti::detail
