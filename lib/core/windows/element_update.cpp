#include "lib/core/windows/element_update.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tutti::detail {

namespace {

// More elements than that are faster by a kernel, which has the target's elements for itself.
constexpr std::size_t kFewElements = 2;
// So many bytes at a time, so that others need not wait long.
constexpr std::size_t kAloneBytes = 32u << 10;

bool is_atomic(const std::byte* target, std::size_t element_bytes) noexcept
{
    return (element_bytes == 1 || element_bytes == 2 || element_bytes == 4 || element_bytes == 8) &&
           reinterpret_cast<std::uintptr_t>(target) % element_bytes == 0;
}

// Calls use(Word()) with the unsigned integer of that size.
template <class Use>
void with_word(std::size_t element_bytes, Use&& use)
{
    switch (element_bytes) {
        case 1:
            return use(std::uint8_t{});
        case 2:
            return use(std::uint16_t{});
        case 4:
            return use(std::uint32_t{});
        default:
            return use(std::uint64_t{});
    }
}

}  // namespace

void WindowControl::yield() noexcept
{
    sched_yield();
}

ElementUpdate::ElementUpdate(const Update& update)
    : update_(update),
      element_bytes_(tutti::size_bytes(update.element)),
      is_integer_(update.element >= DataType::int8 && update.element <= DataType::uint64)
{
    if (update.kind == Update::Kind::reduce)
        kernel_ = reduction::kernel(update.op, update.element);
}

template <class Word>
Word ElementUpdate::combine(Word& target, Word operand) const noexcept
{
    // Release: who reads the new value sees what this rank did before; acquire likewise.
    constexpr auto kOrder = std::memory_order_acq_rel;
    const std::atomic_ref<Word> word(target);
    if (update_.kind == Update::Kind::no_op)
        return word.load(std::memory_order_acquire);
    if (update_.kind == Update::Kind::replace)
        return word.exchange(operand, kOrder);
    if (is_integer_ && update_.op == Op::sum)
        return word.fetch_add(operand, kOrder);
    if (is_integer_ && update_.op == Op::band)
        return word.fetch_and(operand, kOrder);
    if (is_integer_ && update_.op == Op::bor)
        return word.fetch_or(operand, kOrder);
    if (is_integer_ && update_.op == Op::bxor)
        return word.fetch_xor(operand, kOrder);
    Word before = word.load(std::memory_order_acquire);
    Word after{};
    do
        kernel_(&after, &before, &operand, 1);
    while (!word.compare_exchange_weak(before, after, kOrder, std::memory_order_acquire));
    return before;
}

template <class Word>
void ElementUpdate::atomically(std::byte* target, const std::byte* from, std::byte* before,
                               std::size_t count) const noexcept
{
    auto* const words = reinterpret_cast<Word*>(target);
    for (std::size_t i = 0; i < count; ++i) {
        Word operand{};
        if (update_.kind != Update::Kind::no_op)
            std::memcpy(&operand, from + i * sizeof(Word), sizeof(Word));
        const Word was = combine(words[i], operand);
        if (before != nullptr)
            std::memcpy(before + i * sizeof(Word), &was, sizeof(Word));
    }
}

void ElementUpdate::apply_alone(std::byte* target, const std::byte* from, std::byte* before,
                                std::size_t count) const noexcept
{
    const std::size_t bytes = count * element_bytes_;
    if (before != nullptr)
        std::memcpy(before, target, bytes);
    if (update_.kind == Update::Kind::replace)
        std::memcpy(target, from, bytes);
    else if (update_.kind == Update::Kind::reduce)
        kernel_(target, target, from, count);
}

void ElementUpdate::apply(const Updater& by, std::byte* target, const std::byte* from, std::byte* before,
                          std::size_t count) const
{
    WindowControl& control = by.control;
    if (count <= kFewElements && is_atomic(target, element_bytes_)) [[likely]] {
        control.begin_atomic(by.slot, by.look_after);
        with_word(element_bytes_, [&]<class Word>(Word) { atomically<Word>(target, from, before, count); });
        control.end_atomic(by.slot);
        return;
    }
    const std::size_t most = std::max<std::size_t>(kAloneBytes / element_bytes_, 1);
    for (std::size_t done = 0; done < count;) {
        const std::size_t part = std::min(most, count - done);
        const std::size_t offset = done * element_bytes_;
        control.begin_alone(by.slot, by.look_after);
        apply_alone(target + offset, from == nullptr ? nullptr : from + offset,
                    before == nullptr ? nullptr : before + offset, part);
        control.end_alone();
        done += part;
    }
}

void compare_and_swap(const Updater& by, std::byte* target, const std::byte* desired,
                      const std::byte* expected, std::byte* before, std::size_t element_bytes)
{
    WindowControl& control = by.control;
    if (is_atomic(target, element_bytes)) [[likely]] {
        control.begin_atomic(by.slot, by.look_after);
        with_word(element_bytes, [&]<class Word>(Word) {
            Word was;
            Word wanted;
            std::memcpy(&was, expected, sizeof was);
            std::memcpy(&wanted, desired, sizeof wanted);
            std::atomic_ref<Word>(*reinterpret_cast<Word*>(target))
                .compare_exchange_strong(was, wanted, std::memory_order_acq_rel, std::memory_order_acquire);
            std::memcpy(before, &was, sizeof was);
        });
        control.end_atomic(by.slot);
        return;
    }
    control.begin_alone(by.slot, by.look_after);
    const bool same = std::memcmp(target, expected, element_bytes) == 0;
    std::memcpy(before, target, element_bytes);
    if (same)
        std::memcpy(target, desired, element_bytes);
    control.end_alone();
}

}  // namespace tutti::detail
