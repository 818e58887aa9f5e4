// Handles of operations that are under way.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tutti/refused.hpp"
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

    std::shared_ptr<void> keep;  // lives as long as this object and its operations
};
}  // namespace detail

/// One operation under way, or none. Move-only; a borrowed buffer must live until the operation is complete.
///
/// Destroying an active request waits for it. While an exception unwinds the stack, it ends the job with a
/// message instead, because the peer of the lost operation could wait for ever. Thread rule: one thread at a
/// time uses a request.
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

    /// Whether an operation is under way.
    bool active() const noexcept { return state_ != nullptr; }

    /// Blocks until the operation is complete. Throws the operation's error (ErrorCode::truncated, ...). If a
    /// collective's wait finds that the ranks call different collectives, the operation is given up and the
    /// request becomes inactive. An inactive request returns the last status at once.
    Status wait();
    /// wait() until `limit` has passed: then false, and the operation continues.
    bool wait_for(std::chrono::nanoseconds limit);
    /// Makes progress once; returns true when complete (the request is then inactive). Throws as wait() does.
    bool test();
    /// The status of the completed operation; all default if there was none. For sends only `code` is
    /// meaningful.
    const Status& status() const noexcept
    {
        static constexpr Status kNone{};
        return has_status_ ? status_ : kNone;
    }
    /// Withdraws a posted receive that has not matched. wait() or test() must still complete it; their status
    /// says `cancelled`. Returns false without effect for a matched receive or another operation.
    bool cancel();
    /// Gives up a collective that has not ended. The caller owns its buffers again, with any contents, and
    /// the request is inactive. Other ranks may wait in it for ever, so the communicator's collectives are
    /// unusable unless all ranks give up the same ones; messages and other communicators still work. No
    /// effect on an inactive request. Throws ErrorCode::invalid_argument for a message.
    void give_up();

    /// For a collective that takes too long: the ranks of its communicator that have not called it, as far as
    /// they say within `patience`. A rank that makes no progress says nothing, and is among them. Empty for
    /// other operations.
    std::vector<int> absent_ranks(std::chrono::nanoseconds patience);

    /// Calls `function` once, when the operation is complete, and leaves the request inactive. It runs at
    /// once if the operation is complete, else in the thread that makes progress: one that waits, tests or
    /// probes, or the progress thread. Its second argument is the operation's error, or nullptr. It may call
    /// Tutti, which delays other waits of that thread; it must not throw. Borrowed buffers must live until
    /// then. The end of the Environment waits for these operations and withdraws unmatched receives.
    void then(std::function<void(const Status&, std::exception_ptr)> function) &&;
    /// Lets Tutti complete the operation without the caller: as then() with an empty function. An error ends
    /// the job.
    void detach() &&;
    // Refused in words.
    template <class... F>
    void then(const F&...) &
    {
        static_assert(detail::always_false<F...>,
                      "tutti: the request is given away: std::move(request).then(function)");
    }
    template <class... F>
    void detach(const F&...) &
    {
        static_assert(detail::always_false<F...>,
                      "tutti: the request is given away: std::move(request).detach()");
    }

private:
    friend struct RequestAccess;
    friend detail::CallHandle;

    explicit Request(detail::RequestState* state) noexcept : state_(state) {}
    void take(Request& other) noexcept
    {
        state_ = std::exchange(other.state_, nullptr);
        // Copied only if set: most requests move while their operation is under way.
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

/// Waits for all. Throws the first error after all are complete.
void wait_all(std::span<Request> requests);
// Refused in words.
template <std::same_as<Request>... R>
void wait_all(const Request&, const R&...)
{
    static_assert(detail::always_false<R...>,
                  "tutti: wait_all takes an array or a std::vector of requests; one request waits by "
                  "request.wait()");
}
template <std::same_as<Request> R>
void wait_all(std::initializer_list<R>)
{
    static_assert(detail::always_false<R>,
                  "tutti: requests cannot be copied into a list: put them into an array or a std::vector");
}
/// wait_all() until `limit` has passed: then false, and complete requests are inactive.
bool wait_all_for(std::span<Request> requests, std::chrono::nanoseconds limit);
/// Waits until one active request is complete and returns its index; empty if none is active.
std::optional<std::size_t> wait_any(std::span<Request> requests);
/// wait_any() until `limit` has passed: then empty, too.
std::optional<std::size_t> wait_any_for(std::span<Request> requests, std::chrono::nanoseconds limit);
/// Waits until at least one is complete. Writes the indices of all complete ones to `indices` (as many as
/// requests) and returns their number; 0 if none was active.
std::size_t wait_some(std::span<Request> requests, std::span<std::size_t> indices);
/// True when all are complete.
bool test_all(std::span<Request> requests);
/// The index of a request that this call completed, if any.
std::optional<std::size_t> test_any(std::span<Request> requests);
/// wait_some() without waiting.
std::size_t test_some(std::span<Request> requests, std::span<std::size_t> indices);

/// A request that owns its buffer, given as an rvalue, and returns it.
template <class Buffer>
class [[nodiscard]] OwningRequest {
public:
    /// For Communicator, which makes it.
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
    /// The calls of Request. The buffer stays here.
    bool test() { return request_.test(); }
    bool wait_for(std::chrono::nanoseconds limit) { return request_.wait_for(limit); }
    bool cancel() { return request_.cancel(); }
    const Status& status() const noexcept { return request_.status(); }
    void detach() && { std::move(request_).detach(); }

    /// Drops the buffer's type: the buffer lives until the operation is complete.
    operator Request() && noexcept { return std::move(request_); }

private:
    Request request_;
    std::shared_ptr<Buffer> buffer_;
};

/// An operation described once and started many times. It borrows its buffers for its whole life and keeps
/// counts, layouts and operators.
///
/// Its creation is local, also for a collective: it waits for no other rank. All ranks must start collectives
/// in the same order, together with the communicator's other collectives.
class [[nodiscard]] PersistentRequest {
public:
    PersistentRequest(PersistentRequest&&) noexcept = default;
    /// Waits for the operation of the old request.
    PersistentRequest& operator=(PersistentRequest&& other) noexcept
    {
        request_ = std::move(other.request_);
        starter_ = std::move(other.starter_);
        return *this;
    }

    /// Throws ErrorCode::invalid_argument while the previous start is not complete.
    void start();
    bool active() const noexcept { return request_.active(); }
    Status wait() { return request_.wait(); }
    /// The calls of Request. The buffer stays here.
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

/// Starts all, in order. Throws as PersistentRequest::start does; the requests before the failed one are
/// started.
void start_all(std::span<PersistentRequest> requests);
/// Waits for all active ones. Throws the first error after all are complete.
void wait_all(std::span<PersistentRequest> requests);

}  // namespace tutti
