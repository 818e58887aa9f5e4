// Task: a collective operation in progress, as a coroutine that its driver starts, polls and ends.
//
// A task and all tasks that it awaits form a tree. One thread at a time may start or resume tasks of the tree
// (in Tutti: under the engine's lock); different threads may take turns.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>

#include "collectives/framework/block_pool.hpp"

namespace tutti::collectives {

/// Called once when a started task has ended, with or without an exception. It runs where the task ends,
/// within start() if the task never had to wait, and may destroy the Task. It must not throw.
struct CompletionHook {
    void (*fire)(void* context) noexcept = nullptr;
    void* context = nullptr;
};

/// The coroutine type of collective algorithms. Lazy: nothing runs before start() or co_await. Move-only; it
/// owns the frame. An algorithm returns an empty task if it has done all already, which only a group that may
/// block makes it do (Group::runs_at_once()). Destroying an unfinished task drops its operations in flight
/// (see Operation).
class [[nodiscard]] Task {
public:
    class promise_type;

    Task() noexcept = default;
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&& other) noexcept
    {
        if (this != &other) {
            destroy();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~Task() { destroy(); }

    /// False for an empty task.
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    /// Runs until the first wait or the end. Call once; never throws the coroutine's exception.
    void start(CompletionHook hook = {});
    /// Whether the coroutine has ended. False for an empty task.
    bool done() const noexcept { return handle_ && handle_.done(); }
    /// Whether the coroutine ended with an exception. Only when done().
    bool failed() const noexcept;
    /// Throws the coroutine's exception, if any. Only when done().
    void rethrow() const;

    class Awaiter;
    /// Starts the task and waits for its end; throws its exception.
    Awaiter operator co_await() const noexcept;

private:
    explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
    void destroy() noexcept
    {
        if (handle_)
            handle_.destroy();
    }

    std::coroutine_handle<promise_type> handle_ = nullptr;
};

class Task::promise_type {
public:
    Task get_return_object() noexcept
    {
        return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }

    struct FinalAwaiter {
        bool await_ready() const noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) const noexcept
        {
            // The hook may destroy the frame and this awaiter: copy first, touch nothing after.
            const std::coroutine_handle<> continuation = ended.promise().continuation_;
            const CompletionHook hook = ended.promise().hook_;
            if (hook.fire != nullptr)
                hook.fire(hook.context);
            return continuation;
        }
        void await_resume() const noexcept {}
    };
    FinalAwaiter final_suspend() const noexcept { return {}; }

    void return_void() const noexcept {}
    void unhandled_exception() noexcept { exception_ = std::current_exception(); }

    static void* operator new(std::size_t size_bytes) { return pool::allocate(size_bytes); }
    static void operator delete(void* frame, std::size_t size_bytes) noexcept
    {
        pool::release(frame, size_bytes);
    }

private:
    friend Task;
    friend Awaiter;

    std::coroutine_handle<> continuation_ = std::noop_coroutine();
    CompletionHook hook_;
    std::exception_ptr exception_;
};

/// Runs the awaited task inside await_ready: a task that never waits costs its parent no suspension, and a
/// loop over such tasks no stack, even if the compiler makes no tail calls (-O0, sanitizers).
class Task::Awaiter {
public:
    explicit Awaiter(std::coroutine_handle<promise_type> child) noexcept : child_(child) {}
    bool await_ready() const
    {
        child_.resume();
        return child_.done();
    }
    void await_suspend(std::coroutine_handle<> parent) const noexcept
    {
        child_.promise().continuation_ = parent;
    }
    void await_resume() const
    {
        if (child_.promise().exception_) [[unlikely]]
            std::rethrow_exception(child_.promise().exception_);
    }

private:
    std::coroutine_handle<promise_type> child_;
};

inline Task::Awaiter Task::operator co_await() const noexcept
{
    return Awaiter(handle_);
}

inline void Task::start(CompletionHook hook)
{
    handle_.promise().hook_ = hook;
    handle_.resume();
}

inline bool Task::failed() const noexcept
{
    return handle_.promise().exception_ != nullptr;
}

inline void Task::rethrow() const
{
    if (handle_.promise().exception_) [[unlikely]]
        std::rethrow_exception(handle_.promise().exception_);
}

}  // namespace tutti::collectives
