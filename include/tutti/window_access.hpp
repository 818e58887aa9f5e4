// The epochs of a window, and the operations within them. docs/guide/windows.md
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "tutti/blocks.hpp"
#include "tutti/buffer.hpp"
#include "tutti/error.hpp"
#include "tutti/layout.hpp"
#include "tutti/reduction.hpp"
#include "tutti/request.hpp"
#include "tutti/window_calls.hpp"

namespace tutti {

/// Operators of accumulate beside those of reductions: the operand itself; nothing, for an atomic read.
struct Replace {};
struct NoOp {};
inline constexpr Replace replace;
inline constexpr NoOp no_op;

template <class O>
concept UpdateOperator = ReductionOperator<O> || std::same_as<O, Replace> || std::same_as<O, NoOp>;

namespace detail {

template <class T, UpdateOperator O>
Update update_of(const O& op) noexcept
{
    static_assert(
        Reducible<T>,
        "tutti: accumulate takes bool, the integers, float16, bfloat16, float, double, long double, "
        "std::complex of these three, and tutti::ValueIndex; put and get take all elements");
    static_assert(std::same_as<O, Op> || kIsBuiltIn<O> || std::same_as<O, Replace> || std::same_as<O, NoOp>,
                  "tutti: accumulate takes the built-in operators, tutti::replace and tutti::no_op: a target "
                  "on another host has no access to a function of this program");
    if constexpr (std::same_as<O, Replace>) {
        return {Update::Kind::replace, Op::sum, data_type_of<T>()};
    } else if constexpr (std::same_as<O, NoOp>) {
        return {Update::Kind::no_op, Op::sum, data_type_of<T>()};
    } else {
        const Operator made = operator_of<T>(op);
        return {Update::Kind::reduce, made.op, made.type};
    }
}

inline OriginBlock origin_block(const ConstView& view) noexcept
{
    return {const_cast<std::byte*>(view.data), view.layout == nullptr ? view.size_bytes : 1, view.layout};
}

/// Which elements of the target an operation accesses: those of a layout, relative to the offset; or, without
/// one, consecutive elements.
struct TargetLayout {
    TargetLayout() noexcept = default;
    TargetLayout(const Layout& elements) noexcept : layout(&elements) {}

    const Layout* layout = nullptr;
};

/// The element type of a window's buffers must be the window's.
template <class T, class B>
constexpr void check_window_elements() noexcept
{
    static_assert(std::same_as<typename Innermost<std::remove_cvref_t<B>>::type, T>,
                  "tutti: the buffer's elements must be of the window's element type");
}

}  // namespace detail

/// The memory of one rank in an open epoch; refers to the window. Offsets are in elements from the start of
/// that memory. An element outside it is an error, found here.
///
/// Put and get of one place in one epoch have no order, and are not atomic. Accumulate, get_accumulate,
/// fetch_and_op and compare_and_swap are atomic for each element, against each other, from all ranks; those
/// of one rank to one element keep their order.
///
/// Operations return at once; many are under way together, to all targets. What put and accumulate read is
/// free when they return. What others fetch is there after a flush or the end of the epoch, which also throws
/// what has gone wrong at the target. Where very much is under way, a call makes progress until there is
/// room.
///
/// Forms that begin with i return a request, which completes the operation at this rank: the buffer is free,
/// or filled. Buffers are borrowed until then. What has been put is at the target after a flush.
template <class T>
class WindowTarget {
    static_assert(std::is_trivially_copyable_v<T>, "tutti: a window's elements are trivially copyable");

public:
    WindowTarget(detail::Window& window, int rank) noexcept : window_(&window), rank_(rank) {}

    /// The rank whose memory it is.
    int rank() const noexcept { return rank_; }

    /// Writes an object, a range, or a layout of elements: to consecutive elements, or to those of a layout.
    template <class B>
    void put(const B& from, std::size_t offset, detail::TargetLayout layout = {}) const
    {
        Calls::put(*window_, block(from), place(from, offset, layout), nullptr);
    }
    template <class B>
    Request iput(const B& from, std::size_t offset, detail::TargetLayout layout = {}) const
    {
        Request request;
        Calls::put(*window_, block(from), place(from, offset, layout), &request);
        return request;
    }

    // Refused in words.
    template <class P>
    void put(P* const&, std::integral auto, std::integral auto) const
    {
        static_assert(detail::always_false<P>, "tutti: put(std::span(pointer, count), offset)");
    }
    template <class P>
    void get(P* const&, std::integral auto, std::integral auto) const
    {
        static_assert(detail::always_false<P>, "tutti: get(std::span(pointer, count), offset)");
    }

    /// Reads elements. The buffer is filled after a flush or the end of the epoch, and stays until then.
    template <class B>
    void get(B&& to, std::size_t offset, detail::TargetLayout layout = {}) const
    {
        Calls::get(*window_, result(to), place(to, offset, layout), nullptr);
    }
    template <class B>
    Request iget(B&& to, std::size_t offset, detail::TargetLayout layout = {}) const
    {
        Request request;
        Calls::get(*window_, result(to), place(to, offset, layout), &request);
        return request;
    }

    /// Combines elements with those of `from`: target = target op operand.
    template <class B, UpdateOperator O>
    void accumulate(const B& from, std::size_t offset, const O& op, detail::TargetLayout layout = {}) const
    {
        Calls::accumulate(*window_, block(from), place(from, offset, layout), detail::update_of<T>(op),
                          nullptr);
    }
    template <class B, UpdateOperator O>
    Request iaccumulate(const B& from, std::size_t offset, const O& op,
                        detail::TargetLayout layout = {}) const
    {
        Request request;
        Calls::accumulate(*window_, block(from), place(from, offset, layout), detail::update_of<T>(op),
                          &request);
        return request;
    }

    /// Accumulates, and `before` gets what the elements were. With no_op `from` is not read.
    template <class B, class R, UpdateOperator O>
    void get_accumulate(const B& from, R&& before, std::size_t offset, const O& op,
                        detail::TargetLayout layout = {}) const
    {
        Calls::get_accumulate(*window_, block(from), result(before), place(before, offset, layout),
                              detail::update_of<T>(op), nullptr);
    }
    template <class B, class R, UpdateOperator O>
    Request iget_accumulate(const B& from, R&& before, std::size_t offset, const O& op,
                            detail::TargetLayout layout = {}) const
    {
        Request request;
        Calls::get_accumulate(*window_, block(from), result(before), place(before, offset, layout),
                              detail::update_of<T>(op), &request);
        return request;
    }

    /// Combines one element and returns what it was: complete when it returns.
    template <UpdateOperator O>
    T fetch_and_op(const T& operand, std::size_t offset, const O& op) const
    {
        T before;
        ifetch_and_op(operand, before, offset, op).wait();
        return before;
    }
    template <UpdateOperator O>
    Request ifetch_and_op(const T& operand, T& before, std::size_t offset, const O& op) const
    {
        Request request;
        Calls::fetch_and_op(*window_, bytes(operand), bytes(before), rank_,
                            static_cast<std::ptrdiff_t>(offset), detail::update_of<T>(op), &request);
        return request;
    }

    /// Writes `desired` if the element's bytes are those of `expected`. Returns what it was: complete when it
    /// returns. For elements of 1, 2, 4, 8 or 16 bytes.
    T compare_and_swap(const T& expected, const T& desired, std::size_t offset) const
    {
        T before;
        icompare_and_swap(expected, desired, before, offset).wait();
        return before;
    }
    Request icompare_and_swap(const T& expected, const T& desired, T& before, std::size_t offset) const
    {
        static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0,
                      "tutti: compare_and_swap takes elements of 1, 2, 4, 8 or 16 bytes");
        Request request;
        Calls::compare_and_swap(*window_, bytes(desired), bytes(expected), bytes(before), sizeof(T), rank_,
                                static_cast<std::ptrdiff_t>(offset), &request);
        return request;
    }

protected:
    detail::Window& window() const noexcept { return *window_; }

private:
    using Calls = detail::WindowCalls;

    template <class B>
    static detail::OriginBlock block(const B& object)
    {
        detail::check_window_elements<T, B>();
        return detail::origin_block(detail::const_view(object));
    }
    template <class B>
    static detail::OriginBlock result(B& object)
    {
        detail::check_window_elements<T, B>();
        return detail::origin_block(detail::view(object));
    }
    template <class B>
    detail::TargetBlock place(const B& object, std::size_t offset, detail::TargetLayout target = {}) const
    {
        const std::size_t bytes = detail::const_view(object).size_bytes;
        if (target.layout == nullptr)
            return {rank_, static_cast<std::ptrdiff_t>(offset), bytes, nullptr};
        if (bytes != target.layout->size_bytes())
            throw Error(ErrorCode::invalid_argument, "window",
                        "the buffer and the layout of the target differ in size", rank_);
        return {rank_, static_cast<std::ptrdiff_t>(offset), 1, &target.layout->typemap()};
    }
    static const std::byte* bytes(const T& object) noexcept
    {
        return reinterpret_cast<const std::byte*>(&object);
    }
    static std::byte* bytes(T& object) noexcept { return reinterpret_cast<std::byte*>(&object); }

    detail::Window* window_;
    int rank_;
};

namespace detail {

/// Ends an epoch at most once; in a destructor an error ends the job.
class OpenEpoch {
public:
    using End = void (*)(Window&);

    OpenEpoch(WindowPointer window, End how) noexcept : window_(std::move(window)), end_(how) {}
    OpenEpoch(OpenEpoch&& other) noexcept : window_(std::move(other.window_)), end_(other.end_) {}
    OpenEpoch& operator=(OpenEpoch&&) = delete;
    ~OpenEpoch()
    {
        if (window_ != nullptr)
            WindowCalls::end(*window_, end_);
    }

    Window& window() const noexcept { return *window_; }
    void end()
    {
        if (const WindowPointer window = std::exchange(window_, nullptr))
            end_(*window);
    }
    void forget() noexcept { window_ = nullptr; }

private:
    WindowPointer window_;
    End end_;
};

}  // namespace detail

/// An epoch in which this rank accesses the memory of one rank: Window::lock(). It ends with the object, or
/// by unlock(); all operations are then complete at the target.
template <class T>
class [[nodiscard]] LockedTarget : public WindowTarget<T> {
public:
    LockedTarget(detail::WindowPointer window, int rank) noexcept
        : WindowTarget<T>(*window, rank), window_(std::move(window))
    {
    }
    LockedTarget(LockedTarget&& other) noexcept = default;
    LockedTarget& operator=(LockedTarget&&) = delete;
    ~LockedTarget()
    {
        if (window_ != nullptr)
            detail::WindowCalls::end_lock(*window_, this->rank());
    }

    /// The operations so far are complete here and at the target.
    void flush() const { detail::WindowCalls::flush(this->window(), this->rank()); }
    /// The operations so far are complete here: their buffers are free, or filled.
    void flush_local() const { detail::WindowCalls::flush_local(this->window(), this->rank()); }
    /// Ends the epoch.
    void unlock()
    {
        if (const detail::WindowPointer window = std::exchange(window_, nullptr))
            detail::WindowCalls::unlock(*window, this->rank());
    }

private:
    detail::WindowPointer window_;
};

/// An epoch in which this rank accesses the memory of several ranks: access[rank].put(...). It ends with the
/// object, or by end().
template <class T>
class [[nodiscard]] WindowAccess {
public:
    WindowAccess(detail::WindowPointer window, detail::OpenEpoch::End how) noexcept
        : epoch_(std::move(window), how)
    {
    }

    /// The memory of one rank.
    WindowTarget<T> operator[](int rank) const noexcept { return {epoch_.window(), rank}; }
    /// Ends the epoch.
    void end() { epoch_.end(); }

protected:
    detail::OpenEpoch epoch_;
};

/// The epoch of Window::lock_all().
template <class T>
class [[nodiscard]] LockedWindow : public WindowAccess<T> {
public:
    using WindowAccess<T>::WindowAccess;

    /// The flushes of LockedTarget, for one rank or all.
    void flush(int rank) const { detail::WindowCalls::flush(this->epoch_.window(), rank); }
    void flush() const { detail::WindowCalls::flush_all(this->epoch_.window()); }
    void flush_local(int rank) const { detail::WindowCalls::flush_local(this->epoch_.window(), rank); }
    void flush_local() const { detail::WindowCalls::flush_local_all(this->epoch_.window()); }
};

/// The epoch of Window::fence().
template <class T>
class [[nodiscard]] FencedWindow : public WindowAccess<T> {
public:
    using WindowAccess<T>::WindowAccess;

    /// Collective: all operations of all ranks are complete, and the next epoch begins.
    void fence() { detail::WindowCalls::fence(this->epoch_.window(), true); }
};

/// The epoch of Window::post(): the ranks that it names access this rank's memory until all of them have
/// ended their epoch of start().
class [[nodiscard]] WindowExposure {
public:
    explicit WindowExposure(detail::WindowPointer window) noexcept
        : epoch_(std::move(window), detail::WindowCalls::wait)
    {
    }

    /// Returns when all have ended their accesses; the destructor waits likewise.
    void wait() { epoch_.end(); }
    /// Whether all have ended their accesses: then the exposure is over.
    bool test()
    {
        const bool over = detail::WindowCalls::test(epoch_.window());
        if (over)
            epoch_.forget();
        return over;
    }

private:
    detail::OpenEpoch epoch_;
};

}  // namespace tutti
