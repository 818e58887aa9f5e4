// Operations: sends and receives that are started first and awaited later, alone or several at once.
//
// The fast path costs nothing: an operation that is complete when it starts holds no state.
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <utility>
#include <vector>

#include "collectives/framework/block_pool.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives {

class Group;

/// Counts the operations that a suspended coroutine still awaits. Lives in that coroutine's frame.
class Waiter {
public:
    void wait_for(unsigned outstanding, std::coroutine_handle<> waiting) noexcept
    {
        outstanding_ = outstanding;
        waiting_ = waiting;
    }
    /// One operation has ended: returns the coroutine after the last one, else a handle that does nothing.
    std::coroutine_handle<> arrived() noexcept
    {
        return --outstanding_ == 0 ? waiting_ : std::noop_coroutine();
    }

private:
    unsigned outstanding_ = 0;
    std::coroutine_handle<> waiting_;
};

/// The state of an operation in flight. Owned by the Group that started it. The Group embeds it in its own
/// request, calls complete() or mark_complete() once, and gets it back through Group::release().
class OperationState {
public:
    explicit OperationState(Group& owner) noexcept : owner_(&owner) {}
    OperationState(const OperationState&) = delete;
    OperationState& operator=(const OperationState&) = delete;

    /// Ends the operation and resumes its coroutine until the next wait. That coroutine may start operations,
    /// release this state, and end and destroy its task: touch none of them afterwards.
    void complete(ErrorCode result = ErrorCode::success) { mark_complete(result).resume(); }

    /// complete() in two steps, for an engine that cannot be called back yet: resume the returned handle
    /// once, before going idle. If no coroutine waits yet, the handle does nothing.
    [[nodiscard]] std::coroutine_handle<> mark_complete(ErrorCode result = ErrorCode::success) noexcept
    {
        done_ = true;
        result_ = result;
        return waiter_ == nullptr ? std::noop_coroutine() : waiter_->arrived();
    }

    bool done() const noexcept { return done_; }
    ErrorCode result() const noexcept { return result_; }
    Group& owner() const noexcept { return *owner_; }
    /// Tells `waiter` of the end; only while !done().
    void attach(Waiter& waiter) noexcept { waiter_ = &waiter; }

private:
    Group* owner_;
    Waiter* waiter_ = nullptr;
    ErrorCode result_ = ErrorCode::success;
    bool done_ = false;
};

/// A started send or receive; its buffer must stay valid until the operation is done. Move-only, one pointer.
///
/// Destroying an unfinished operation is a defect of the algorithm, except while an exception or the
/// destruction of a task destroys the coroutine. Group::release() then sees an unfinished state: it must
/// cancel the operation, so that its buffer is not touched any more.
class [[nodiscard]] Operation {
public:
    /// An operation that is already complete.
    Operation() noexcept = default;
    explicit Operation(OperationState& state) noexcept : state_(&state) {}
    Operation(Operation&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    Operation& operator=(Operation&& other) noexcept
    {
        std::swap(state_, other.state_);
        return *this;
    }
    ~Operation()
    {
        if (state_ != nullptr)
            give_back();
    }

    /// Whether the buffer is free again (send) or filled (receive).
    bool done() const noexcept { return state_ == nullptr || state_->done(); }
    /// Only while !done().
    void attach(Waiter& waiter) const noexcept { state_->attach(waiter); }
    /// Only when done(): returns the state; throws tutti::Error if the operation failed.
    void finish()
    {
        if (state_ != nullptr)
            finish_state();
    }

    class Awaiter;
    /// Waits for the end; throws tutti::Error if the operation failed.
    Awaiter operator co_await() noexcept;

private:
    void finish_state();
    void give_back() noexcept;

    OperationState* state_ = nullptr;
};

class Operation::Awaiter {
public:
    explicit Awaiter(Operation& operation) noexcept : operation_(operation) {}
    bool await_ready() const noexcept { return operation_.done(); }
    void await_suspend(std::coroutine_handle<> waiting) noexcept
    {
        waiter_.wait_for(1, waiting);
        operation_.attach(waiter_);
    }
    void await_resume() const { operation_.finish(); }

private:
    Operation& operation_;
    Waiter waiter_;
};

inline Operation::Awaiter Operation::operator co_await() noexcept
{
    return Awaiter(*this);
}

/// Several operations awaited as one, without a coroutine. Waits for all, even if one fails, and then throws
/// the first error in the order of the list.
template <class Operations>
class [[nodiscard]] All {
public:
    explicit All(Operations operations) noexcept : operations_(std::move(operations)) {}

    bool await_ready() const noexcept { return count_outstanding() == 0; }
    void await_suspend(std::coroutine_handle<> waiting) noexcept
    {
        waiter_.wait_for(count_outstanding(), waiting);
        for (Operation& operation : operations_)
            if (!operation.done())
                operation.attach(waiter_);
    }
    void await_resume()
    {
        for (Operation& operation : operations_)
            operation.finish();
    }

private:
    unsigned count_outstanding() const noexcept
    {
        unsigned outstanding = 0;
        for (const Operation& operation : operations_)
            outstanding += operation.done() ? 0 : 1;
        return outstanding;
    }

    Operations operations_;
    Waiter waiter_;
};

/// `co_await when_all(std::move(first), std::move(second))`
template <class... Operations>
All<std::array<Operation, sizeof...(Operations)>> when_all(Operations... operations) noexcept
{
    return All<std::array<Operation, sizeof...(Operations)>>({std::move(operations)...});
}

/// Any number of operations, awaited together: `co_await when_all(std::move(list))`. Operations that are done
/// when they are added take no memory, so many eager sends allocate nothing.
class OperationList {
public:
    /// Throws if the operation has already failed.
    void add(Operation operation)
    {
        if (operation.done())
            operation.finish();
        else
            pending_.push_back(std::move(operation));
    }
    auto begin() noexcept { return pending_.begin(); }
    auto end() noexcept { return pending_.end(); }
    auto begin() const noexcept { return pending_.begin(); }
    auto end() const noexcept { return pending_.end(); }

private:
    std::vector<Operation, pool::Allocator<Operation>> pending_;
};

inline All<OperationList> when_all(OperationList operations) noexcept
{
    return All<OperationList>(std::move(operations));
}

}  // namespace tutti::collectives
