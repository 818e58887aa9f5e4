// Handles of operations that are under way.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "tutti/status.hpp"

namespace tutti {

class Request;

namespace detail {
struct RequestState;
class CallHandle;

/// What a PersistentRequest starts.
struct Starter {
    virtual ~Starter() = default;
    virtual Request start() = 0;

    std::shared_ptr<void> keep;  // lives as long as this and all that it has started
};
}  // namespace detail

/// One operation under way, or none. Move-only; a borrowed buffer must live until it is complete.
///
/// Destroying an active request waits for it (while an exception unwinds the stack it ends the job instead,
/// saying so: the peer of the lost operation could wait for ever). Thread rule: a request is used by one
/// thread at a time.
class [[nodiscard]] Request {
public:
    Request() noexcept = default;
    Request(Request&& other) noexcept { take(other); }
    Request& operator=(Request&& other) noexcept
    {
        if (this != &other) {
            if (state_ != nullptr) [[unlikely]]
                abandon();
            take(other);
        }
        return *this;
    }
    ~Request()
    {
        if (state_ != nullptr)
            abandon();
    }

    /// Whether an operation is under way that wait() has to wait for.
    bool active() const noexcept { return state_ != nullptr; }

    /// Blocks until the operation is complete. Throws what the operation met (ErrorCode::truncated, ...).
    /// Where a collective's wait finds that the ranks call different ones, the operation is given up: the
    /// request is inactive then. On an inactive request: returns the last status at once.
    Status wait();
    /// The same, but returns false when the time is over: the operation goes on.
    bool wait_for(std::chrono::nanoseconds limit);
    /// Makes progress once; true when complete (then the request is inactive). Throws as wait() does.
    bool test();
    /// The status of the completed operation; all default when there was none. Of a send, which may
    /// have been complete when it was started, only the code says something.
    const Status& status() const noexcept
    {
        static constexpr Status kNone{};
        return has_status_ ? status_ : kNone;
    }
    /// Withdraws a posted receive that has not matched; it must still be completed by wait() or test(), whose
    /// status says `cancelled`. Returns false, and changes nothing, when it has matched, or is no receive.
    bool cancel();
    /// Gives a collective up that has not ended: its buffers are the caller's again, with any contents, and
    /// the request is inactive. Other ranks may wait in it for ever, so the communicator's collectives are of
    /// no use any more unless all ranks give the same ones up; messages and other communicators go on. On an
    /// inactive request: nothing. Throws ErrorCode::invalid_argument for a message: cancel() a receive.
    void give_up();

    /// Calls `function` once, when the operation is complete, and leaves the request inactive: at once where
    /// it is complete, else from the thread that makes progress then, one that waits, tests or probes, or the
    /// progress thread. Gets the operation's error, nullptr where there is none. It may call Tutti, but other
    /// waits of that thread wait for it; it must not throw. Borrowed buffers must live until then. The end of
    /// the Environment waits for all such operations, and withdraws receives that nothing has matched.
    void then(std::function<void(const Status&, std::exception_ptr)> function) &&;
    /// Lets the operation go, which is completed behind the caller's back: as then(), of nothing. An error
    /// ends the job.
    void detach() &&;

private:
    friend struct RequestAccess;
    friend detail::CallHandle;

    explicit Request(detail::RequestState* state) noexcept : state_(state) {}
    void take(Request& other) noexcept
    {
        state_ = std::exchange(other.state_, nullptr);
        // Copied only when it says something: most requests move while their operation is under way.
        has_status_ = other.has_status_;
        if (has_status_)
            status_ = other.status_;
    }
    void abandon() noexcept;
    void finish();

    detail::RequestState* state_ = nullptr;  // first: the library looks for it there
    bool has_status_ = false;
    Status status_;
};

/// Waits for all. Throws the first error, after all are complete.
void wait_all(std::span<Request> requests);
/// The same, but returns false when the time is over: those that are complete are inactive then.
bool wait_all_for(std::span<Request> requests, std::chrono::nanoseconds limit);
/// Waits until one of the active requests is complete and returns its index; nothing when none is active.
std::optional<std::size_t> wait_any(std::span<Request> requests);
/// The same; nothing, too, when the time is over.
std::optional<std::size_t> wait_any_for(std::span<Request> requests, std::chrono::nanoseconds limit);
/// Waits until at least one is complete; writes the indices of all that are to `indices` (as many as
/// requests) and returns how many; 0 when none was active.
std::size_t wait_some(std::span<Request> requests, std::span<std::size_t> indices);
/// True when all are complete.
bool test_all(std::span<Request> requests);
/// The index of one that has just completed, if any.
std::optional<std::size_t> test_any(std::span<Request> requests);
/// As wait_some, without waiting.
std::size_t test_some(std::span<Request> requests, std::span<std::size_t> indices);

/// A request that owns the buffer it was given by rvalue, and hands it back.
template <class Buffer>
class [[nodiscard]] OwningRequest {
public:
    OwningRequest(Request&& request, std::shared_ptr<Buffer> buffer) noexcept
        : request_(std::move(request)), buffer_(std::move(buffer))
    {
    }

    /// Waits and returns the buffer. May be called once.
    Buffer wait()
    {
        request_.wait();
        return std::move(*buffer_);
    }
    bool test() { return request_.test(); }
    bool wait_for(std::chrono::nanoseconds limit) { return request_.wait_for(limit); }
    bool cancel() { return request_.cancel(); }
    const Status& status() const noexcept { return request_.status(); }
    void detach() && { std::move(request_).detach(); }

    /// Forgets the buffer's type: it lives on until the operation is complete.
    operator Request() && noexcept { return std::move(request_); }

private:
    Request request_;
    std::shared_ptr<Buffer> buffer_;
};

/// An operation described once and started many times. Its buffers are borrowed for the request's whole life;
/// counts, layouts and operators are kept.
///
/// To make one is local, also for a collective: no other rank is waited for. All ranks must make the same
/// starts of collectives in the same order, among each other and among the communicator's other collectives.
class [[nodiscard]] PersistentRequest {
public:
    PersistentRequest(PersistentRequest&&) noexcept = default;
    /// Waits for what the old request has under way.
    PersistentRequest& operator=(PersistentRequest&& other) noexcept
    {
        request_ = std::move(other.request_);
        starter_ = std::move(other.starter_);
        return *this;
    }

    /// Throws ErrorCode::invalid_argument when the previous start has not been completed.
    void start();
    bool active() const noexcept { return request_.active(); }
    Status wait() { return request_.wait(); }
    bool test() { return request_.test(); }
    bool wait_for(std::chrono::nanoseconds limit) { return request_.wait_for(limit); }
    const Status& status() const noexcept { return request_.status(); }
    bool cancel() { return request_.cancel(); }
    /// For wait_all and the like.
    Request& request() noexcept { return request_; }

private:
    friend class Communicator;
    friend detail::CallHandle;
    explicit PersistentRequest(std::unique_ptr<detail::Starter> starter) noexcept
        : starter_(std::move(starter))
    {
    }

    std::unique_ptr<detail::Starter> starter_;
    Request request_;
};

/// Starts all, in order. Throws as PersistentRequest::start does; those before the one that failed are
/// started.
void start_all(std::span<PersistentRequest> requests);
/// Waits for all that are active. Throws the first error, after all are complete.
void wait_all(std::span<PersistentRequest> requests);

}  // namespace tutti
