#include "lib/core/communicators/run_collective.hpp"

#include "lib/core/check/checker.hpp"
#include "lib/core/communicators/creation.hpp"
#include "lib/core/requests/request_access.hpp"
#include "tutti/error.hpp"

namespace tutti::detail {
namespace {

/// What a rank has sent before it was lost may tell that it made another call: throws the error that names
/// both.
void check_last_call(const CommunicatorGroup& group, int lost)
{
    group.process().engine().progress();
    group.process().diagnosis().check_other_call(group.communicator(), lost, group.place().number);
}

std::string words_of_call(const CommunicatorState& state, std::uint32_t number)
{
    const CallSignature* const call = state.calls().find(number);
    return call != nullptr ? call->describe() : "collective";
}

/// The board of a blocking call. Throws in the call's name if a rank is lost while all agree on a board.
transport::shm::NodeBoard* board_for(CommunicatorState& state, progress::Engine::Lock& lock, PlanView plan)
{
    try {
        return state.board(lock);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::peer_lost || error.peer() == Error::kNoPeer)
            throw;
        const std::uint32_t number = state.next_collective();
        CommunicatorGroup group(state, number);
        static_cast<void>(plan(group));  // announces the call; the coroutine never runs
        check_last_call(group, error.peer());
        state.raise_lost(error.peer(), state.calls().find(number));
    }
}

class CollectiveStarter final : public Starter {
public:
    CollectiveStarter(const std::shared_ptr<CommunicatorState>& state, SharedPlan plan)
        : state_(state), plan_(std::move(plan))
    {
    }
    Request start() override
    {
        SharedPlan plan = plan_;
        Request request = detail::start(state_, make_request<SharedPlan>, &plan);
        if (keep != nullptr)
            RequestAccess::keep(*RequestAccess::state(request), keep);
        return request;
    }

private:
    std::shared_ptr<CommunicatorState> state_;
    SharedPlan plan_;
};

}  // namespace

void drive(progress::Engine& engine, progress::Engine::Lock& lock, CommunicatorGroup& group,
           collectives::Task& task)
{
    const RankStatus::InCall in_call(group.process().status());
    const Waits::Blocked blocked(group.process().waits(), group.place());
    engine.begin_all();
    task.start();
    try {
        engine.wait(lock, [&] {
            group.poll_board();
            return task.done();
        });
        group.rethrow(task);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::peer_lost && error.peer() != Error::kNoPeer)
            check_last_call(group, error.peer());
        throw;
    }
}

void run_blocking(CommunicatorState& state, PlanView plan)
{
    progress::Engine& engine = state.process().engine();
    auto lock = engine.lock();
    const RankStatus::InCall in_call(state.process().status());
    if (check::Checker* const checker = state.process().checker(); checker != nullptr) [[unlikely]]
        checker->look_at_thread();
    transport::shm::NodeBoard* const board = board_for(state, lock, plan);
    engine.begin_all();
    CommunicatorGroup group(state, state.next_collective(), board);
    group.let_block(&lock);
    collectives::Task task = plan(group);
    group.let_block(nullptr);
    if (task)
        drive(engine, lock, group, task);
}

Request start(const std::shared_ptr<CommunicatorState>& state, MakeRequest make, void* plan)
{
    progress::Engine& engine = state->process().engine();
    auto lock = engine.lock();
    const RankStatus::InCall in_call(state->process().status());
    std::unique_ptr<RunningCollective> request = make(state, state->next_collective(), plan);
    request->task = request->begin();
    if (check::Checker* const checker = state->process().checker(); checker != nullptr) [[unlikely]]
        checker->begin(*request, state->context(), words_of_call(*state, request->place().number));
    engine.begin(*request);
    engine.started();
    return RequestAccess::active(*request.release());
}

// Ranks may start such calls in any order, so each has a communicator of its own, which only its starts use.
CallHandle persistent(const std::shared_ptr<CommunicatorState>& state, SharedPlan plan)
{
    StatePointer own;
    static_cast<void>(dup(state, Form::blocking, own));
    own->set_name("a persistent request");
    return CallHandle(std::make_unique<CollectiveStarter>(std::move(own), std::move(plan)));
}

void CallHandle::keep(std::shared_ptr<void> what) const
{
    if (Starter* const starter = started_by())
        starter->keep = std::move(what);
    else if (RequestState* const operation = state())
        RequestAccess::keep(*operation, std::move(what));
}

}  // namespace tutti::detail
