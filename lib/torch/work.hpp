// c10d's Work over a request of Tutti's, for operations that go on after the call.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Work.hpp>

#include "tutti/request.hpp"

namespace torch_tutti {

/// What a Work does. Its functions hold the tensors that they use.
struct TorchOperation {
    c10d::OpType type = c10d::OpType::UNKNOWN;
    const char* title = nullptr;  // in torch's profiler
    int peer = -1;                // of a message; -1: any
    std::chrono::milliseconds limit = kNoTimeout;
    /// Begins it.
    std::function<tutti::Request()> begin = {};
    /// Comes after the operation, if there is something to do: copies results to where they belong.
    std::function<void()> finish = {};
    std::vector<at::Tensor> results = {};
    std::vector<at::Tensor> inputs = {};  // if they are not the results: profiles have their sizes
};

/// Who completes an operation that has begun.
enum class Form {
    begun,  // wait()
    beside  // wait(), or Tutti's thread
};

/// Any thread may call.
class TuttiWork final : public c10d::Work {
public:
    /// All ranks begin a collective in the same form. start() comes next.
    TuttiWork(int rank, TorchOperation operation, Form form);
    /// An operation that is under way goes on, and keeps its tensors until its end.
    ~TuttiWork() override;

    /// Begins the operation. wait() throws its errors.
    void start() noexcept;

    bool isCompleted() override;
    bool isSuccess() const override;
    std::exception_ptr exception() const override;
    int sourceRank() const override { return source_; }
    std::vector<at::Tensor> result() override { return operation_.results; }
    bool wait(std::chrono::milliseconds timeout) override;
    /// Complete when this returns, unless Tutti's thread completes it. That is so under a launcher, which
    /// ends the job when a rank dies: nobody of the program waits in Tutti then. What follows the future runs
    /// in that thread. Throws c10::Error for a message, which may need the program's next call.
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

private:
    bool is_message() const noexcept;
    void await(std::chrono::milliseconds limit);
    void let_thread_conclude();
    void conclude(std::exception_ptr failure) noexcept;
    void complete_future(c10::ivalue::Future& future, const std::exception_ptr& failure);
    void conclude_late(std::chrono::milliseconds limit);
    std::string who_is_late();
    std::string ended_late(std::chrono::milliseconds limit) const;

    TorchOperation operation_;
    const Form form_;
    std::mutex turn_;  // held by the thread that uses request_
    tutti::Request request_;
    int source_ = -1;
    // Under the base's mutex_: the state that a future gets.
    bool ended_ = false;
    std::exception_ptr failure_;
    c10::intrusive_ptr<c10::ivalue::Future> future_;
};

}  // namespace torch_tutti
