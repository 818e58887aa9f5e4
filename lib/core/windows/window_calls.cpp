// What the C++ interface of windows calls, whose symbols programs that are linked already use.
#include "tutti/window_calls.hpp"

#include <exception>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/core/windows/rank_window.hpp"
#include "tutti/communicator.hpp"

namespace tutti::detail {

namespace {

template <class End>
void end_or_abort(const Window& window, End&& end) noexcept
{
    try {
        end();
    } catch (const std::exception& error) {
        window.communicator()->process().abort(1, error.what());
    }
}

[[gnu::noinline]] void activate(const Window& window, Request& request, RequestState& begun)
{
    const auto lock = window.communicator()->process().engine().lock();
    request = RequestAccess::active(begun);
}

// begin(begun) begins an operation. `request`: nullptr in calls without one.
template <class Begin>
void operate(const Window& window, Request* request, Begin&& begin)
{
    if (request == nullptr) [[likely]]
        return begin(nullptr);
    RequestState* begun = nullptr;
    begin(&begun);
    if (begun != nullptr)
        return activate(window, *request, *begun);
    *request = RequestAccess::complete({});
}

}  // namespace

WindowPointer WindowCalls::make(const Communicator& communicator, WindowFlavor flavor,
                                const WindowMemory& memory)
{
    return Window::make(CommunicatorAccess::state_of(communicator), flavor, memory);
}

void WindowCalls::free(Window& window)
{
    window.free();
}

std::byte* WindowCalls::base(const Window& window) noexcept
{
    return window.base();
}

std::size_t WindowCalls::size_bytes(const Window& window, int rank)
{
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(ranks(window)))
        throw Error(ErrorCode::invalid_rank, "window", "there is no such rank in this window", rank);
    return window.size_bytes(rank);
}

std::byte* WindowCalls::direct(Window& window, int rank)
{
    static_cast<void>(size_bytes(window, rank));
    return window.direct(rank);
}

int WindowCalls::rank(const Window& window) noexcept
{
    return window.communicator()->rank();
}

int WindowCalls::ranks(const Window& window) noexcept
{
    return window.communicator()->size();
}

void WindowCalls::name(Window& window, std::string_view name)
{
    window.set_name(name);
}

void WindowCalls::put(Window& window, const OriginBlock& from, const TargetBlock& to, Request* request)
{
    operate(window, request, [&](RequestState** begun) { window.put(from, to, begun); });
}

void WindowCalls::get(Window& window, const OriginBlock& to, const TargetBlock& from, Request* request)
{
    operate(window, request, [&](RequestState** begun) { window.get(to, from, begun); });
}

void WindowCalls::accumulate(Window& window, const OriginBlock& from, const TargetBlock& to,
                             const Update& update, Request* request)
{
    operate(window, request, [&](RequestState** begun) { window.accumulate(from, to, update, begun); });
}

void WindowCalls::get_accumulate(Window& window, const OriginBlock& from, const OriginBlock& before,
                                 const TargetBlock& to, const Update& update, Request* request)
{
    operate(window, request,
            [&](RequestState** begun) { window.get_accumulate(from, before, to, update, begun); });
}

void WindowCalls::fetch_and_op(Window& window, const std::byte* from, std::byte* before, int rank,
                               std::ptrdiff_t displacement, const Update& update, Request* request)
{
    operate(window, request, [&](RequestState** begun) {
        window.fetch_and_op(from, before, rank, displacement, update, begun);
    });
}

void WindowCalls::compare_and_swap(Window& window, const std::byte* desired, const std::byte* expected,
                                   std::byte* before, std::size_t element_bytes, int rank,
                                   std::ptrdiff_t displacement, Request* request)
{
    operate(window, request, [&](RequestState** begun) {
        window.compare_and_swap(desired, expected, before, element_bytes, rank, displacement, begun);
    });
}

void WindowCalls::set_rule(Window& window, RowRule rule)
{
    window.set_rule(std::move(rule));
}

void WindowCalls::update_rows(Window& window, int rank, std::span<const WindowRow> rows, const Update& update,
                              Request* request)
{
    operate(window, request, [&](RequestState** begun) { window.update_rows(rank, rows, update, begun); });
}

void WindowCalls::set_keys(Window& window, KeyedRows rows)
{
    window.set_keys(std::move(rows));
}

void WindowCalls::update_keys(Window& window, std::span<const KeyedRow> rows, const Update& update,
                              std::vector<Request>* requests)
{
    if (requests == nullptr)
        return window.update_keys(rows, update);
    std::vector<RequestState*> begun;
    window.update_keys(rows, update, &begun);
    for (RequestState* const state : begun)
        activate(window, requests->emplace_back(), *state);
}

std::vector<std::uint64_t> WindowCalls::bytes_of_keys(Window& window, std::span<const std::uint64_t> keys)
{
    return window.bytes_of_keys(keys);
}

std::vector<KeyedRow> WindowCalls::own_keys(Window& window)
{
    return window.own_keys();
}

void WindowCalls::lock(Window& window, WindowLock kind, int rank)
{
    window.lock(kind, rank);
}

void WindowCalls::unlock(Window& window, int rank)
{
    window.unlock(rank);
}

void WindowCalls::lock_all(Window& window)
{
    window.lock_all();
}

void WindowCalls::unlock_all(Window& window)
{
    window.unlock_all();
}

void WindowCalls::flush(Window& window, int rank)
{
    window.flush(rank);
}

void WindowCalls::flush_all(Window& window)
{
    window.flush_all();
}

void WindowCalls::flush_local(Window& window, int rank)
{
    window.flush_local(rank);
}

void WindowCalls::flush_local_all(Window& window)
{
    window.flush_local_all();
}

void WindowCalls::sync(Window& window)
{
    window.sync();
}

void WindowCalls::fence(Window& window, bool goes_on)
{
    window.fence(goes_on ? 0 : window_promise::no_succeed);
}

void WindowCalls::post(Window& window, std::span<const int> origins)
{
    window.post(origins);
}

void WindowCalls::start(Window& window, std::span<const int> targets)
{
    window.start(targets);
}

void WindowCalls::complete(Window& window)
{
    window.complete();
}

void WindowCalls::wait(Window& window)
{
    window.wait();
}

bool WindowCalls::test(Window& window)
{
    return window.test();
}

void WindowCalls::end(Window& window, void (*how)(Window&)) noexcept
{
    end_or_abort(window, [&] { how(window); });
}

void WindowCalls::end_lock(Window& window, int rank) noexcept
{
    end_or_abort(window, [&] { unlock(window, rank); });
}

}  // namespace tutti::detail
