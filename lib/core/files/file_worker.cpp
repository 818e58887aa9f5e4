#include "lib/core/files/file_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "lib/foundation/base/helper_thread.hpp"

namespace tutti::detail {

FileWorker::~FileWorker()
{
    if (!thread_.joinable())
        return;
    if (engine_.is_forked_copy()) {
        thread_.detach();  // only the parent has it
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void FileWorker::submit(FileTask& task)
{
    if (!thread_.joinable()) {
        engine_.accept_hand_ins();
        try {
            thread_ = base::start_helper_thread("tutti-files", [this] { work(); });
        } catch (const std::system_error& error) {
            throw Error(ErrorCode::system, "file",
                        fmt::format("the system gives no thread to access files by ({}); raise the limit on "
                                    "processes (ulimit -u)",
                                    error.what()));
        }
    }
    const std::lock_guard lock(mutex_);
    tasks_.push_back(&task);
    changed_.notify_all();
}

void FileWorker::withdraw(FileTask& task) noexcept
{
    {
        std::unique_lock lock(mutex_);
        std::erase(tasks_, &task);
        changed_.wait(lock, [&] { return running_ != &task; });
    }
    engine_.withdraw(task);
}

void FileWorker::work() noexcept
{
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
        if (tasks_.empty())
            return;
        running_ = tasks_.front();
        tasks_.pop_front();
        lock.unlock();
        running_->run();
        // Whoever withdraws it meanwhile waits, so it is still there.
        engine_.hand_in(*running_);
        lock.lock();
        running_ = nullptr;
        changed_.notify_all();
    }
}

}  // namespace tutti::detail
