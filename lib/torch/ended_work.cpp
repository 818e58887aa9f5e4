#include "lib/torch/ended_work.hpp"

#include <ATen/record_function.h>

#include "lib/torch/lost_peer.hpp"

namespace torch_tutti {

EndedWork::EndedWork(int rank, c10d::OpType type, const char* title, at::TensorList results,
                     at::TensorList inputs)
    : EndedWork(rank, type, at::hasCallbacks() ? title : nullptr, results, inputs, Profiled{})
{
}

// Torch prepares to profile whatever has a title.
EndedWork::EndedWork(int rank, c10d::OpType type, const char* title, at::TensorList results,
                     at::TensorList inputs, Profiled /*decided*/)
    : Work(rank, type, title,
           title == nullptr ? c10::nullopt : c10::make_optional((inputs.empty() ? results : inputs).vec())),
      results_(results.begin(), results.end())
{
}

/// No other thread knows the object yet, so there is nobody to wake. A profile has to learn of the end.
void EndedWork::end() noexcept
{
    if (exception_ != nullptr)
        note_failure(exception_);
    if (recordFunctionEndCallback_)
        finish(exception_);
    else
        completed_ = true;
}

bool EndedWork::wait(std::chrono::milliseconds /*timeout*/)
{
    if (exception_ != nullptr)
        std::rethrow_exception(exception_);
    return true;
}

c10::intrusive_ptr<c10::ivalue::Future> EndedWork::getFuture()
{
    auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::ofTensors());
    if (exception_ != nullptr)
        future->setError(exception_);
    else
        future->markCompleted(result());
    return future;
}

}  // namespace torch_tutti
