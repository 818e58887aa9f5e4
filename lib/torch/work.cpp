#include "lib/torch/work.hpp"

#include <ATen/record_function.h>

#include <memory>
#include <string>
#include <utility>

#include "lib/torch/lost_peer.hpp"
#include "lib/torch/shared_job.hpp"

namespace torch_tutti {

namespace {

// Ranks that make progress answer at once.
constexpr std::chrono::milliseconds kPatienceWithAnswers{300};

c10::optional<std::vector<at::Tensor>> for_profile(const TorchOperation& operation)
{
    if (!at::hasCallbacks())
        return c10::nullopt;
    return operation.inputs.empty() ? operation.results : operation.inputs;
}

}  // namespace

TuttiWork::TuttiWork(int rank, TorchOperation operation, Form form)
    : Work(rank, operation.type, operation.title, for_profile(operation)),
      operation_(std::move(operation)),
      form_(form)
{
}

TuttiWork::~TuttiWork()
{
    if (!request_.active())
        return;
    try {
        std::move(request_).then([operation = std::move(operation_), unattended = Unattended()](
                                     const tutti::Status& status, const std::exception_ptr& failure) {
            if (failure == nullptr && !status.cancelled && operation.finish)
                operation.finish();
        });
    } catch (const std::exception&) {
        // The job has been left: nothing is under way any more.
    }
}

bool TuttiWork::is_message() const noexcept
{
    return c10d::isP2POp(opType_);
}

void TuttiWork::start() noexcept
{
    const std::lock_guard turn(turn_);
    try {
        request_ = operation_.begin();
    } catch (const std::exception&) {
        return conclude(std::current_exception());
    }
    if (!request_.active())
        conclude(nullptr);
}

void TuttiWork::conclude(std::exception_ptr failure) noexcept
{
    if (failure == nullptr && operation_.finish) {
        try {
            operation_.finish();
        } catch (const std::exception&) {
            failure = std::current_exception();
        }
    }
    if (failure != nullptr)
        note_failure(failure);
    operation_.finish = nullptr;
    if (!request_.active())
        operation_.begin = nullptr;
    c10::intrusive_ptr<c10::ivalue::Future> future;
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        failure_ = failure;
        future = future_;
    }
    finish(failure);
    if (future != nullptr)
        complete_future(*future, failure);
}

void TuttiWork::complete_future(c10::ivalue::Future& future, const std::exception_ptr& failure)
{
    if (failure != nullptr)
        future.setError(failure);
    else
        future.markCompleted(operation_.results);
}

std::string TuttiWork::who_is_late()
{
    if (is_message())
        return operation_.peer < 0 ? "no rank has sent the message"
                                   : "waiting for rank " + std::to_string(operation_.peer);
    std::string ranks;
    for (const int rank : request_.absent_ranks(kPatienceWithAnswers))
        ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    return ranks.empty() ? "all ranks have begun it" : "not come, or without an answer: rank " + ranks;
}

std::string TuttiWork::ended_late(std::chrono::milliseconds limit) const
{
    return std::string(operation_.title) + " has not ended within the timeout of " +
           std::to_string(limit.count()) + " ms at rank " + std::to_string(rank_) + " of the group";
}

/// The caller has its tensors back after a collective and a receive; a send goes on with its own.
void TuttiWork::conclude_late(std::chrono::milliseconds limit)
{
    std::string late;
    try {
        late = who_is_late();
    } catch (const tutti::Error& error) {
        late = error.what();
    }
    const auto failure = std::make_exception_ptr(std::runtime_error(ended_late(limit) + ": " + late));
    if (!is_message())
        request_.give_up();
    else if (request_.cancel())
        request_.wait();
    conclude(failure);
}

/// Ends it, successfully or not.
void TuttiWork::await(std::chrono::milliseconds limit)
{
    const std::lock_guard turn(turn_);
    if (!request_.active()) {
        std::unique_lock lock(mutex_);
        const auto done = [this] { return completed_; };
        if (limit == kNoTimeout)
            return cv_.wait(lock, done);
        if (!cv_.wait_for(lock, limit, done))
            throw std::runtime_error(ended_late(limit) + ": it goes on");
        return;
    }
    try {
        if (limit == kNoTimeout)
            request_.wait();
        else if (!request_.wait_for(limit))
            return conclude_late(limit);
    } catch (const tutti::Error&) {
        return conclude(std::current_exception());
    }
    source_ = request_.status().source;
    conclude(nullptr);
}

bool TuttiWork::wait(std::chrono::milliseconds timeout)
{
    const bool given = timeout != kNoTimeout && timeout.count() > 0;
    if (!Work::isCompleted())
        await(given ? timeout : operation_.limit);
    if (const auto failure = Work::exception())
        std::rethrow_exception(failure);
    return true;
}

bool TuttiWork::isCompleted()
{
    if (Work::isCompleted())
        return true;
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (!turn || !request_.active())
        return Work::isCompleted();
    try {
        if (!request_.test())
            return false;
        source_ = request_.status().source;
        conclude(nullptr);
    } catch (const tutti::Error&) {
        conclude(std::current_exception());
    }
    return true;
}

bool TuttiWork::isSuccess() const
{
    const std::lock_guard lock(mutex_);
    return completed_ && exception_ == nullptr;
}

std::exception_ptr TuttiWork::exception() const
{
    return Work::exception();
}

void TuttiWork::let_thread_conclude()
{
    const std::lock_guard turn(turn_);
    if (!request_.active())
        return;
    const auto self = c10::intrusive_ptr<TuttiWork>::unsafe_reclaim_from_nonowning(this);
    std::move(request_).then(
        [self, unattended = Unattended()](const tutti::Status&, const std::exception_ptr& failure) {
            self->conclude(failure);
        });
}

c10::intrusive_ptr<c10::ivalue::Future> TuttiWork::getFuture()
{
    const bool thread_concludes = form_ == Form::beside && has_launcher();
    if (!Work::isCompleted() && !thread_concludes) {
        TORCH_CHECK(!is_message(), "tutti: a message that is under way has no future; wait for it");
        await(operation_.limit);
    }
    c10::intrusive_ptr<c10::ivalue::Future> future;
    {
        const std::lock_guard lock(mutex_);
        if (future_ == nullptr) {
            future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::ofTensors());
            if (ended_)
                complete_future(*future_, failure_);
        }
        future = future_;
    }
    if (thread_concludes)
        let_thread_conclude();
    return future;
}

}  // namespace torch_tutti
