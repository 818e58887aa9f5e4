// What the ranks that map a target's memory share about it: its lock, and who updates elements.
//
// It lies in memory of the target's that ranks of the node map. Each of them has a slot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>

#include "lib/foundation/base/pause.hpp"
#include "tutti/window_calls.hpp"

namespace tutti::detail {

class WindowControl {
public:
    static constexpr std::size_t kLine = 64;

    static std::size_t size_bytes(std::size_t slots) noexcept
    {
        return sizeof(WindowControl) + slots * sizeof(Slot);
    }
    /// In size_bytes() of memory, aligned to a line, of any content.
    static WindowControl& make(void* memory, std::size_t slots) noexcept
    {
        auto* const control = new (memory) WindowControl(slots);
        for (std::size_t i = 0; i < slots; ++i)
            new (&control->slot(i)) Slot;
        return *control;
    }

    // The lock, of one writer or many readers. First come, first served: a rank that finds others waiting
    // waits behind them. One exception, `in_front`: a reader that holds another lock for which others wait
    // may go in front of waiting writers, as the two could wait for each other otherwise.

    /// Takes the lock if it is free, and nobody waits for it.
    bool enter_at_once(WindowLock kind) noexcept
    {
        std::uint64_t now = lock_.load(std::memory_order_relaxed);
        while (now < kWaiter && (kind == WindowLock::shared ? (now & kWriter) == 0 : now == 0))
            if (lock_.compare_exchange_weak(now, now + held_by(kind), std::memory_order_seq_cst,
                                            std::memory_order_relaxed))
                return true;
        return false;
    }
    void leave(WindowLock kind) noexcept { lock_.fetch_sub(held_by(kind), std::memory_order_seq_cst); }
    bool anybody_waits() const noexcept { return lock_.load(std::memory_order_seq_cst) >= kWaiter; }

    // Dekker's handshake: a waiter announces itself and then looks at the lock again; a holder leaves the
    // lock and then looks for waiters. All of it is sequentially consistent, so one of the two sees the
    // other.

    struct Turn {
        WindowLock kind;
        std::uint32_t ticket;
        bool in_front;
    };

    /// Increments the number of waiters before it draws the ticket, so that whoever draws a later one, and
    /// then looks for waiters, finds everyone before it.
    std::uint32_t take_ticket() noexcept
    {
        lock_.fetch_add(kWaiter, std::memory_order_seq_cst);
        return next_ticket_.fetch_add(1, std::memory_order_seq_cst);
    }
    /// A slot has one turn at most, which may be announced again to go in front. Then enter_in_turn() until
    /// it is true, or give_up().
    void await(std::size_t slot_index, const Turn& turn) noexcept
    {
        slot(slot_index).waits.store(word_of(turn), std::memory_order_seq_cst);
    }
    /// When it is true, wake_next() is due for those behind it.
    bool enter_in_turn(std::size_t slot_index, const Turn& turn) noexcept
    {
        if (!enter_behind_others(turn))
            return false;
        slot(slot_index).waits.store(0, std::memory_order_seq_cst);
        return true;
    }
    void give_up(std::size_t slot_index) noexcept
    {
        slot(slot_index).waits.store(0, std::memory_order_seq_cst);
        lock_.fetch_sub(kWaiter, std::memory_order_seq_cst);
    }
    /// The target waits on behalf of ranks that do not map this, each of which has its ticket: the first of
    /// them, and whether any may go in front. nullptr: there are none.
    void await_for_others(std::size_t slot_index, const Turn* first, bool any_in_front) noexcept
    {
        std::uint64_t word = first == nullptr ? 0 : word_of(*first);
        if (any_in_front)
            word |= kInFront;
        slot(slot_index).waits_for_others.store(word, std::memory_order_seq_cst);
    }
    /// Takes the lock for a waiter, if its turn has come; then it does not wait any more.
    bool enter_behind_others(const Turn& turn) noexcept
    {
        if (!turn.in_front && is_behind(turn.ticket))
            return false;
        std::uint64_t now = lock_.load(std::memory_order_seq_cst);
        while (is_free(now, turn.kind))
            if (lock_.compare_exchange_weak(now, now + held_by(turn.kind) - kWaiter,
                                            std::memory_order_seq_cst))
                return true;
        return false;
    }
    /// Calls wake(slot's index) for those that wait and may have the lock now.
    template <class Wake>
    void wake_next(Wake&& wake)
    {
        if (!anybody_waits()) [[likely]]
            return;
        std::uint64_t first = 0;
        for_each_waiting([&](std::size_t, std::uint64_t waits) {
            if (first == 0 || is_earlier(waits, first))
                first = waits;
        });
        const std::uint64_t now = lock_.load(std::memory_order_seq_cst);
        for_each_waiting([&](std::size_t index, std::uint64_t waits) {
            const WindowLock kind = (waits & kShared) != 0 ? WindowLock::shared : WindowLock::exclusive;
            const bool in_front = (waits & kInFront) != 0 && is_free(now, WindowLock::shared);
            if (in_front || (waits == first && is_free(now, kind)))
                wake(index);
        });
    }

    // Updates of elements. Those that a CPU atomic does are made together; any other is made alone. Dekker's
    // handshake again: each side announces itself and then looks for the other, sequentially consistent. An
    // update lasts as long as a copy of some KiB, so a waiter spins. A rank may die in one, so a waiter that
    // has spun for long calls look_after().

    /// Throws if the rank of this slot is lost.
    using LookAfter = std::function<void(std::size_t slot)>;

    void begin_atomic(std::size_t slot_index, const LookAfter& look_after)
    {
        for (;;) {
            slot(slot_index).updates.store(1, std::memory_order_seq_cst);
            if (alone_.load(std::memory_order_seq_cst) == 0) [[likely]]
                return;
            end_atomic(slot_index);
            await_nobody_alone(look_after);
        }
    }
    void end_atomic(std::size_t slot_index) noexcept
    {
        slot(slot_index).updates.store(0, std::memory_order_release);  // pairs with begin_alone()
    }
    void begin_alone(std::size_t slot_index, const LookAfter& look_after)
    {
        const auto own = static_cast<std::uint32_t>(slot_index + 1);
        for (std::uint32_t nobody = 0;
             !alone_.compare_exchange_strong(nobody, own, std::memory_order_seq_cst); nobody = 0)
            await_nobody_alone(look_after);
        try {
            for (std::size_t i = 0; i < slots_; ++i)
                spin([&] { return slot(i).updates.load(std::memory_order_seq_cst) == 0; },
                     [&] { look_after(i); });
        } catch (...) {
            end_alone();
            throw;
        }
    }
    void end_alone() noexcept { alone_.store(0, std::memory_order_release); }  // pairs with both begins

private:
    // In `lock_`: the writer, readers, and those that wait.
    static constexpr std::uint64_t kWriter = 1;
    static constexpr std::uint64_t kReader = 2;
    static constexpr std::uint64_t kWaiter = std::uint64_t{1} << 32;
    // In a slot, beside the ticket. 0: it does not wait.
    static constexpr std::uint64_t kWaits = std::uint64_t{1} << 32;
    static constexpr std::uint64_t kShared = kWaits << 1;
    static constexpr std::uint64_t kInFront = kWaits << 2;

    struct alignas(kLine) Slot {
        std::atomic<std::uint32_t> updates{0};
        std::atomic<std::uint64_t> waits{0};
        std::atomic<std::uint64_t> waits_for_others{0};
    };

    static constexpr std::uint64_t held_by(WindowLock kind) noexcept
    {
        return kind == WindowLock::shared ? kReader : kWriter;
    }
    static constexpr bool is_free(std::uint64_t lock, WindowLock kind) noexcept
    {
        return kind == WindowLock::shared ? (lock & kWriter) == 0 : (lock & (kWaiter - 1)) == 0;
    }
    static constexpr std::uint64_t word_of(const Turn& turn) noexcept
    {
        return kWaits | turn.ticket | (turn.kind == WindowLock::shared ? kShared : 0) |
               (turn.in_front ? kInFront : 0);
    }
    // Tickets begin anew after 2^32.
    static constexpr bool is_earlier(std::uint64_t one, std::uint64_t other) noexcept
    {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(one) -
                                         static_cast<std::uint32_t>(other)) < 0;
    }
    template <class Visit>
    void for_each_waiting(Visit&& visit)
    {
        for (std::size_t i = 0; i < slots_; ++i)
            for (const auto* const waits : {&slot(i).waits, &slot(i).waits_for_others})
                if (const std::uint64_t word = waits->load(std::memory_order_seq_cst); word != 0)
                    visit(i, word);
    }
    bool is_behind(std::uint32_t ticket) noexcept
    {
        bool found = false;
        for_each_waiting([&](std::size_t, std::uint64_t word) { found |= is_earlier(word, ticket); });
        return found;
    }

    explicit WindowControl(std::size_t slots) noexcept : slots_(slots) {}

    Slot& slot(std::size_t index) noexcept { return reinterpret_cast<Slot*>(this + 1)[index]; }

    void await_nobody_alone(const LookAfter& look_after)
    {
        std::uint32_t owner = 0;  // of a slot, plus 1
        spin([&] { return (owner = alone_.load(std::memory_order_relaxed)) == 0; },
             [&] { look_after(owner - 1); });
    }
    // Calls doubt() from time to time in a long wait.
    template <class Over, class Doubt>
    static void spin(Over&& over, Doubt&& doubt)
    {
        for (unsigned i = 0; !over(); ++i)
            if (i < kSpins)
                base::pause();
            else if (i % kSpinsPerDoubt != 0)
                yield();
            else
                doubt();
    }
    static void yield() noexcept;
    static constexpr unsigned kSpins = 100;
    static constexpr unsigned kSpinsPerDoubt = 10'000;

    alignas(kLine) std::atomic<std::uint64_t> lock_{0};
    std::atomic<std::uint32_t> next_ticket_{0};
    alignas(kLine) std::atomic<std::uint32_t> alone_{0};  // whose update it is: a slot, plus 1
    const std::size_t slots_;
};

}  // namespace tutti::detail
