// Windows: memory of each rank that the others read and change without its help.
//
//     tutti::Window<double> window(world, 1000);       // each rank gives 1000 elements
//     {
//         auto access = window.lock(right);            // the epoch: until the end of the scope
//         access.put(row, 0);
//         access.accumulate(7.0, 999, tutti::sum);
//     }
//
// Operations need an epoch, which is an object. They return at once: an operation is complete here (its
// buffers are free, or filled) and at the target after a flush or the end of the epoch. More:
// docs/guide/windows.md.
#pragma once

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

#include "tutti/communicator.hpp"
#include "tutti/window_access.hpp"
#include "tutti/window_calls.hpp"

namespace tutti {

namespace detail {

/// An operation that a program calls by the window itself.
template <class T>
struct NeedsEpoch {
    template <class... A>
    T operator()(const A&...) const
    {
        static_assert(always_false<A...>,
                      "tutti: operations need an epoch, which is an object: auto access = window.lock(rank); "
                      "access.put(value, offset)");
        std::terminate();
    }
};

/// For what is built on windows.
struct WindowInside {
    template <class W>
    static Window& of(const W& window) noexcept
    {
        return *window.window_;
    }
};

template <class T>
struct WithoutEpoch {
    static constexpr NeedsEpoch<T> put{}, get{}, accumulate{}, get_accumulate{}, fetch_and_op{},
        compare_and_swap{};
    template <class B>
    WindowTarget<T> operator[](const B& rank) const
    {
        NeedsEpoch<T>()(rank);
        std::terminate();
    }
};

}  // namespace detail

/// One rank's part of a window. Move-only. The destructor frees it, which is collective: all ranks destroy
/// their windows in the same order. While an exception unwinds the stack it waits for nobody, and the memory
/// stays until the process ends.
///
/// On one node, and between threads, operations are loads, stores and CPU atomics on the target's memory:
/// the target does nothing. Between nodes the target's progress does them: in its calls of Tutti, or in its
/// progress thread (Progress::thread).
template <class T>
class Window : public detail::WithoutEpoch<T> {
    static_assert(std::is_trivially_copyable_v<T>, "tutti: a window's elements are trivially copyable");

public:
    /// Collective: Tutti allocates `count` elements, whose values are unspecified. Ranks may give different
    /// counts.
    Window(const Communicator& communicator, std::size_t count)
        : Window(communicator, detail::WindowFlavor::allocate, {nullptr, count * sizeof(T), sizeof(T), true})
    {
    }
    /// Collective: the caller's memory, which must live until the window is freed. Peers of the node map it
    /// if it is from tutti::allocate.
    Window(const Communicator& communicator, std::span<T> memory)
        : Window(communicator, detail::WindowFlavor::create,
                 {reinterpret_cast<std::byte*>(memory.data()), memory.size_bytes(), sizeof(T), true})
    {
    }
    // Refused in words.
    template <class Pointer>
    Window(const Communicator&, Pointer*, std::integral auto)
    {
        static_assert(
            detail::always_false<Pointer>,
            "tutti: memory of the caller's is given as Window(communicator, std::span(pointer, count))");
    }
    /// Collective over ranks of one node: memory of all of them in one array, in rank order, which each can
    /// also use directly: local(rank).
    static Window shared(const Communicator& communicator, std::size_t count)
    {
        return Window(communicator, detail::WindowFlavor::shared,
                      {nullptr, count * sizeof(T), sizeof(T), true});
    }
    Window(Window&&) noexcept = default;
    Window& operator=(Window&&) = delete;
    ~Window()
    {
        if (window_ != nullptr && std::uncaught_exceptions() == exceptions_)
            detail::WindowCalls::end(*window_, detail::WindowCalls::free);
    }

    /// Collective: a barrier, behind which no rank accesses the window. Throws while an epoch is open.
    void free()
    {
        detail::WindowCalls::free(*window_);
        window_ = nullptr;
    }
    /// How errors name it.
    void set_name(std::string_view name) { detail::WindowCalls::name(*window_, name); }

    /// This rank's memory.
    std::span<T> local() const
    {
        return {reinterpret_cast<T*>(detail::WindowCalls::base(*window_)), count(rank())};
    }
    /// The memory of `rank` itself; empty if this process does not map it, which never happens in a shared
    /// window.
    std::span<T> local(int rank) const
    {
        auto* const memory = reinterpret_cast<T*>(detail::WindowCalls::direct(*window_, rank));
        return {memory, memory == nullptr ? 0 : count(rank)};
    }
    /// Elements of `rank`.
    std::size_t count(int rank) const { return detail::WindowCalls::size_bytes(*window_, rank) / sizeof(T); }
    int rank() const noexcept { return detail::WindowCalls::rank(*window_); }
    int size() const noexcept { return detail::WindowCalls::ranks(*window_); }

    /// Begins an epoch for one rank's memory, alone or together with other ranks that lock it shared. Waits
    /// for its turn: first come, first served.
    LockedTarget<T> lock(int rank) { return locked(rank, detail::WindowLock::exclusive); }
    LockedTarget<T> lock_shared(int rank) { return locked(rank, detail::WindowLock::shared); }
    /// Begins an epoch for the memory of all ranks, shared.
    LockedWindow<T> lock_all()
    {
        detail::WindowCalls::lock_all(*window_);
        return {window_, detail::WindowCalls::unlock_all};
    }
    /// Collective: begins an epoch in which all ranks access all. Its end is collective as well.
    FencedWindow<T> fence()
    {
        detail::WindowCalls::fence(*window_, true);
        return {window_, [](detail::Window& window) { detail::WindowCalls::fence(window, false); }};
    }
    /// Exposes this rank's memory to `origins`, which call start() with this rank.
    WindowExposure post(std::initializer_list<int> origins)
    {
        return post(std::span(origins.begin(), origins.size()));
    }
    WindowExposure post(std::span<const int> origins)
    {
        detail::WindowCalls::post(*window_, origins);
        return WindowExposure(window_);
    }
    /// Begins an epoch for the memory of `targets`; waits until all have posted.
    WindowAccess<T> start(std::initializer_list<int> targets)
    {
        return start(std::span(targets.begin(), targets.size()));
    }
    WindowAccess<T> start(std::span<const int> targets)
    {
        detail::WindowCalls::start(*window_, targets);
        return {window_, detail::WindowCalls::complete};
    }
    /// Orders direct accesses of local() with those of other ranks.
    void sync() { detail::WindowCalls::sync(*window_); }

private:
    friend struct detail::WindowInside;

    Window(const Communicator& communicator, detail::WindowFlavor flavor, const detail::WindowMemory& memory)
        : window_(detail::WindowCalls::make(communicator, flavor, memory))
    {
    }
    LockedTarget<T> locked(int rank, detail::WindowLock kind)
    {
        detail::WindowCalls::lock(*window_, kind, rank);
        return {window_, rank};
    }

    detail::WindowPointer window_;
    int exceptions_ = std::uncaught_exceptions();
};

}  // namespace tutti
