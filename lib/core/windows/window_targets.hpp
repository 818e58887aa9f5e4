// The memory of all ranks of a window: this rank's own, and the others' where this process maps it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lib/core/windows/window_identity.hpp"
#include "lib/foundation/observe/status_page.hpp"
#include "transports/remote_memory.hpp"

namespace tutti::detail {

class AttachedMemory;
class WindowControl;
struct Updater;

/// The epoch that covers a target.
enum class WindowCover : std::uint8_t {
    none,
    fence,
    started,
    shared,      // locked
    exclusive,   // locked
    unchecked,   // without a lock, as the caller has promised that no other conflicts
    not_locked,  // by lock_all(), before the first access
};

struct WindowTarget {
    void forget() noexcept;

    /// `memory`, while an epoch covers the target. A thread may access a target whose lock another one takes
    /// just now (Window::cover): its release store, and that of `cover`, pair with acquire loads, so that
    /// whoever sees them sees the members below and holds the lock.
    std::atomic<std::byte*> reach{nullptr};
    std::size_t size_bytes = 0;
    std::size_t unit_bytes = 1;
    std::byte* memory = nullptr;         // if this process maps it
    WindowControl* control = nullptr;    // likewise
    AttachedMemory* attached = nullptr;  // likewise, of a dynamic window
    observe::StatusWord* held = nullptr;  // where the status page says whether this rank has the lock
    bool looked_for = false;             // whether this process maps them is known
    bool is_being_locked = false;        // by a thread that accesses it first
    std::atomic<WindowCover> cover{WindowCover::none};
};

/// How the others find a rank's memory; all ranks exchange it when the window is made. Plain bytes.
struct WindowPlace {
    std::uint64_t process;  // equal for threads of one process, which have the same addresses
    std::uint64_t memory_address;
    std::uint64_t control_address;
    transport::RemoteRegion memory;  // in memory of `owner`
    transport::RemoteRegion control;
    transport::RemoteRegion granted;  // to networks, if it is_granted
    std::uint64_t size_bytes;
    std::uint64_t unit_bytes;
    std::int32_t owner;  // of the memory, a rank of the window
    std::uint16_t failed;
    std::uint16_t is_contiguous;  // the rank wants the memory of a shared window in a row
    std::uint64_t is_granted;
};

class WindowTargets {
public:
    explicit WindowTargets(const WindowIdentity& window);

    // A window is made in two steps. Where the first one fails on a rank, the second one throws on all.

    /// Allocates what this rank needs, and lets ranks of its node map it. Collective if the window is shared.
    void allocate(const WindowMemory& memory);
    /// Collective: finds the memory of all ranks, and maps it if the window is shared.
    void find(const WindowMemory& memory);
    /// No rank accesses this one any more. Sizes stay known.
    void free();

    WindowTarget& operator[](int rank) noexcept { return targets_[static_cast<std::size_t>(rank)]; }
    const WindowTarget& operator[](int rank) const noexcept
    {
        return targets_[static_cast<std::size_t>(rank)];
    }
    auto begin() const noexcept { return targets_.begin(); }
    auto end() const noexcept { return targets_.end(); }
    WindowTarget& own() noexcept { return (*this)[window_.rank()]; }
    const WindowTarget& own() const noexcept { return (*this)[window_.rank()]; }

    /// The own memory.
    std::byte* base() const noexcept { return base_; }
    WindowPlace& own_place() noexcept { return places_[static_cast<std::size_t>(window_.rank())]; }
    const WindowPlace& place(int rank) const noexcept { return places_[static_cast<std::size_t>(rank)]; }

    /// The bytes of a block in a row, if an epoch covers them and this process maps them; else nullptr.
    std::byte* reach(const TargetBlock& block) const noexcept
    {
        if (block.type != nullptr || static_cast<std::size_t>(block.rank) >= targets_.size()) [[unlikely]]
            return nullptr;
        const WindowTarget& target = (*this)[block.rank];
        std::byte* const reach = target.reach.load(std::memory_order_acquire);
        std::size_t offset = 0;
        if (reach == nullptr || block.displacement < 0 ||
            __builtin_mul_overflow(static_cast<std::size_t>(block.displacement), target.unit_bytes,
                                   &offset) ||
            offset > target.size_bytes || block.count > target.size_bytes - offset) [[unlikely]]
            return nullptr;
        return reach + offset;
    }

    // Under the engine's lock.

    /// Maps the memory of `rank` and its control, where that is possible and not yet done.
    void look_for(int rank)
    {
        if (!(*this)[rank].looked_for)
            map(rank);
    }
    /// Memory of a rank as this process has it; nullptr: the rank is of another node, or the memory cannot be
    /// mapped.
    std::byte* mapped(int rank, std::uint64_t address, const transport::RemoteRegion& region,
                      std::size_t bytes) const;
    /// For updates of the memory of `rank`, whose control this process maps.
    Updater updater(int rank) noexcept;
    /// This rank's slot in all controls.
    std::size_t slot() const noexcept { return slot_; }
    /// A rank of this node.
    int rank_of_slot(std::size_t slot) const;

private:
    std::size_t control_bytes() const noexcept;
    void expose_own(std::size_t bytes);
    void exchange_places();
    bool is_in_a_row() const noexcept;
    void lay_in_a_row() noexcept;
    void map(int rank);
    void map_all();
    void place_the_empty() noexcept;
    void look_after(std::size_t slot) const;

    const WindowIdentity& window_;
    std::vector<WindowTarget> targets_;
    std::vector<WindowPlace> places_;  // by rank
    std::byte* base_ = nullptr;
    void* allocated_ = nullptr;       // by this rank
    void* control_memory_ = nullptr;  // likewise
    std::size_t slots_;               // of the ranks of this node, in each control
    std::size_t slot_;
    const std::function<void(std::size_t)> look_after_;  // throws if the rank of a slot is lost
};

}  // namespace tutti::detail
