// What the ranks that map a target's memory share about it: its lock, and who updates elements.
//
// It lies in memory of the target's that ranks of the node map. Each of them has a slot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>

#include "lib/core/windows/window.hpp"
#include "lib/foundation/base/pause.hpp"

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

    // The lock: first come, first served; shared holders that follow each other hold it together (a ticket
    // lock for readers and writers). A shared lock ends its turn for shared ones at once.

    std::uint32_t take_ticket() noexcept { return next_ticket_.fetch_add(1, std::memory_order_seq_cst); }
    bool has_turn(WindowLock kind, std::uint32_t ticket) const noexcept
    {
        // Sequentially consistent: pairs with the end of a turn, see await().
        const auto& turn = kind == WindowLock::shared ? shared_turn_ : exclusive_turn_;
        return turn.load(std::memory_order_seq_cst) == ticket;
    }
    /// The turn has come: `rank`, of the window, has the lock.
    void enter(WindowLock kind, std::uint32_t ticket, int rank) noexcept
    {
        if (kind == WindowLock::shared)
            shared_turn_.store(ticket + 1, std::memory_order_seq_cst);
        else
            holder_.store(rank, std::memory_order_relaxed);
    }
    void leave(WindowLock kind) noexcept
    {
        if (kind == WindowLock::exclusive) {
            holder_.store(kNobody, std::memory_order_relaxed);
            shared_turn_.fetch_add(1, std::memory_order_seq_cst);
        }
        exclusive_turn_.fetch_add(1, std::memory_order_seq_cst);
    }

    /// Who has the lock alone, for reports: the next moment it may be another rank. -1: nobody.
    int holder() const noexcept { return holder_.load(std::memory_order_relaxed); }

    // Whoever waits says so, and then looks for its turn again; whoever ends a turn then looks who waits. All
    // four are sequentially consistent, so one of the two sees the other.

    void await(std::size_t slot_index, std::uint32_t ticket) noexcept
    {
        slot(slot_index).ticket.store(kWaits | ticket, std::memory_order_seq_cst);
        waiting_.fetch_add(1, std::memory_order_seq_cst);
    }
    void await_no_more(std::size_t slot_index) noexcept
    {
        slot(slot_index).ticket.store(0, std::memory_order_relaxed);
        waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    /// The target waits on behalf of ranks that do not map this.
    void await_for_others(std::size_t slot_index, bool waits) noexcept
    {
        if (waits == (slot(slot_index).for_others.load(std::memory_order_relaxed) != 0))
            return;
        slot(slot_index).for_others.store(waits ? 1 : 0, std::memory_order_seq_cst);
        if (waits)
            waiting_.fetch_add(1, std::memory_order_seq_cst);
        else
            waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    /// Calls wake(slot's index) for those that wait and may have the next turn.
    template <class Wake>
    void wake_next(Wake&& wake)
    {
        if (waiting_.load(std::memory_order_seq_cst) == 0) [[likely]]
            return;
        const std::uint32_t shared = shared_turn_.load(std::memory_order_seq_cst);
        const std::uint32_t exclusive = exclusive_turn_.load(std::memory_order_seq_cst);
        for (std::size_t i = 0; i < slots_; ++i) {
            const std::uint64_t waits = slot(i).ticket.load(std::memory_order_seq_cst);
            if (waits == (kWaits | shared) || waits == (kWaits | exclusive) ||
                slot(i).for_others.load(std::memory_order_seq_cst) != 0)
                wake(i);
        }
    }

    // Updates of elements. One that a CPU atomic does is made together with others of its kind; any other is
    // made alone. Each side announces itself and then looks for the other, sequentially consistent; they last
    // as long as a copy of some KiB, so nobody sleeps. A rank may die in one: who waits long for it looks
    // after it.

    /// Throws if the rank of this slot is no more.
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
    static constexpr std::uint64_t kWaits = std::uint64_t{1} << 32;
    static constexpr int kNobody = -1;

    struct alignas(kLine) Slot {
        std::atomic<std::uint32_t> updates{0};
        std::atomic<std::uint32_t> for_others{0};
        std::atomic<std::uint64_t> ticket{0};  // kWaits and the awaited ticket; 0: none
    };

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

    alignas(kLine) std::atomic<std::uint32_t> next_ticket_{0};
    std::atomic<std::uint32_t> shared_turn_{0};
    std::atomic<std::uint32_t> exclusive_turn_{0};
    std::atomic<std::uint32_t> waiting_{0};
    std::atomic<int> holder_{kNobody};
    alignas(kLine) std::atomic<std::uint32_t> alone_{0};  // whose update it is: a slot, plus 1
    const std::size_t slots_;
};

}  // namespace tutti::detail
