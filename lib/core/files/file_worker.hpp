// The thread that moves data of files while the program goes on: it sleeps when there is nothing to do.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "lib/engine/progress/engine.hpp"

namespace tutti::detail {

/// What the thread does for a coroutine.
class FileTask : public progress::HandedIn {
public:
    /// Without the engine's lock.
    virtual void run() noexcept = 0;

protected:
    ~FileTask() override = default;
};

class FileWorker {
public:
    explicit FileWorker(progress::Engine& engine) noexcept : engine_(engine) {}
    ~FileWorker();
    FileWorker(const FileWorker&) = delete;
    FileWorker& operator=(const FileWorker&) = delete;

    // Under the engine's lock.

    /// Tasks run in their order; a pass of progress finishes each. The first one starts the thread: throws tutti::Error
    /// if the system gives none.
    void submit(FileTask& task);
    /// The task does not run any more and is not finished. Waits for the kernel if it runs.
    void withdraw(FileTask& task) noexcept;

private:
    void work() noexcept;

    progress::Engine& engine_;
    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<FileTask*> tasks_;
    FileTask* running_ = nullptr;
    bool ends_ = false;
};

/// `co_await FileWork(worker, work)`: the worker runs it, without the engine's lock; nullptr: it runs at once.
template <class Work>
class [[nodiscard]] FileWork final : public FileTask {
public:
    FileWork(FileWorker* worker, Work work) : worker_(worker), work_(std::move(work)) {}
    ~FileWork() override
    {
        if (is_out_)
            worker_->withdraw(*this);
    }

    bool await_ready()
    {
        if (worker_ == nullptr)
            work_();
        return worker_ == nullptr;
    }
    void await_suspend(std::coroutine_handle<> waiting)
    {
        waiting_ = waiting;
        worker_->submit(*this);
        is_out_ = true;
    }
    void await_resume()
    {
        if (failure_)
            std::rethrow_exception(failure_);
    }

    void run() noexcept override
    {
        try {
            work_();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    void finish() noexcept override
    {
        is_out_ = false;
        waiting_.resume();
    }

private:
    FileWorker* const worker_;
    Work work_;
    std::coroutine_handle<> waiting_;
    std::exception_ptr failure_;
    bool is_out_ = false;
};

}  // namespace tutti::detail
