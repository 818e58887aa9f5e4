// c10d's Work of an operation that runs to its end in the call that makes it.
#pragma once

#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include <c10/util/SmallVector.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace torch_tutti {

/// run() comes first, in the thread that makes it. Then any thread may call.
class EndedWork final : public c10d::Work {
public:
    /// The title is not copied. Profiles have the sizes of `inputs`, or of the results if there are none.
    EndedWork(int rank, c10d::OpType type, const char* title, at::TensorList results, at::TensorList inputs);

    /// Calls `operation`, whose error wait() throws.
    template <class Callable>
    void run(Callable&& operation) noexcept
    {
        try {
            std::forward<Callable>(operation)();
        } catch (const std::exception&) {
            exception_ = std::current_exception();
        }
        end();
    }

    bool isCompleted() override { return true; }
    std::vector<at::Tensor> result() override { return {results_.begin(), results_.end()}; }
    bool wait(std::chrono::milliseconds timeout) override;
    /// A new future with each call.
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

private:
    struct Profiled {};
    /// `title` is nullptr where nobody profiles.
    EndedWork(int rank, c10d::OpType type, const char* title, at::TensorList results, at::TensorList inputs,
              Profiled decided);
    void end() noexcept;

    c10::SmallVector<at::Tensor, 1> results_;
};

}  // namespace torch_tutti
