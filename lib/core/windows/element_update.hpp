// Accumulate and its like on memory that this process maps.
#pragma once

#include <cstddef>

#include "lib/core/windows/window_control.hpp"
#include "lib/foundation/reduction/kernels.hpp"

namespace tutti::detail {

/// Which rank updates: that of the slot. Its thread holds the engine's lock, so the slot serves one thread.
struct Updater {
    WindowControl& control;  // the target's
    std::size_t slot;
    const WindowControl::LookAfter& look_after;  // its exceptions end an update
};

/// Has a target's elements for itself. Throws what look_after() throws.
class Alone {
public:
    explicit Alone(const Updater& by) : control_(by.control) { control_.begin_alone(by.slot, by.look_after); }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;
    ~Alone() { control_.end_alone(); }

private:
    WindowControl& control_;
};

/// Updates of elements that are atomic for each element, against all others of the same type: CPU atomics
/// for a few elements that the CPU takes whole, kernels for all others.
class ElementUpdate {
public:
    /// Throws if the operator is not defined on the type.
    explicit ElementUpdate(const Update& update);

    std::size_t element_bytes() const noexcept { return element_bytes_; }

    /// `count` elements in a row. `before` may be nullptr; `from` is not read with no_op.
    void apply(const Updater& by, std::byte* target, const std::byte* from, std::byte* before,
               std::size_t count) const;
    /// Likewise, for a caller that has the target's elements for itself: WindowControl::begin_alone().
    void apply_alone(std::byte* target, const std::byte* from, std::byte* before,
                     std::size_t count) const noexcept;

private:
    template <class Word>
    void atomically(std::byte* target, const std::byte* from, std::byte* before,
                    std::size_t count) const noexcept;
    template <class Word>
    Word combine(Word& target, Word operand) const noexcept;

    Update update_;
    std::size_t element_bytes_;
    reduction::Kernel kernel_ = nullptr;  // of reduce
    bool is_integer_ = false;
};

/// target = desired if it is `expected`; `before` gets what it was. 1 to 16 bytes.
void compare_and_swap(const Updater& by, std::byte* target, const std::byte* desired,
                      const std::byte* expected, std::byte* before, std::size_t element_bytes);

}  // namespace tutti::detail
