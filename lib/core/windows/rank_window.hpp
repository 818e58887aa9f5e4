// Windows: memory of each rank that the others read and change without its help. What the interfaces of C++
// and MPI call; docs/developing/windows.md tells how its parts work together.
//
// Errors are thrown: tutti::Error, a WindowError for wrong use. They name the window, the rank, the range and
// the epoch. Calls take the engine's lock where they need it; their callers do not hold it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "lib/core/windows/exposure_epoch.hpp"
#include "lib/core/windows/key_directory.hpp"
#include "lib/core/windows/queued_operations.hpp"
#include "lib/core/windows/row_updates.hpp"
#include "lib/core/windows/served_operations.hpp"
#include "lib/core/windows/window_attachments.hpp"
#include "lib/core/windows/window_conflicts.hpp"
#include "lib/core/windows/window_loans.hpp"
#include "lib/core/windows/window_locks.hpp"
#include "lib/core/windows/window_network.hpp"
#include "lib/core/windows/window_questions.hpp"

namespace tutti::detail {

/// Promises of the caller, as bits: those of MPI's assertions that a window makes use of.
namespace window_promise {
inline constexpr unsigned no_check = 1;    // no other lock conflicts; or the target has posted
inline constexpr unsigned no_succeed = 2;  // fence: it begins no epoch
}  // namespace window_promise

/// One rank's view. Thread rule: threads may call operations at once; calls that begin or end epochs, and
/// make and free, one at a time.
class Window {
public:
    /// Collective. Ends with a barrier.
    static std::shared_ptr<Window> make(const StatePointer& communicator, WindowFlavor flavor,
                                        const WindowMemory& memory);
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    /// Memory of a window that was not freed stays allocated until the process ends.
    ~Window();

    /// Collective: a barrier, behind which no rank accesses the window. An open epoch is an error, and the
    /// window stays.
    void free();
    void set_name(std::string_view name);
    /// For checks: buffers of operations without a request are the program's again when these are complete.
    void lend_all() noexcept { loans_.include_all(); }

    const StatePointer& communicator() const noexcept { return identity_.communicator(); }
    WindowFlavor flavor() const noexcept { return identity_.flavor(); }
    /// The own memory; nullptr and 0 for a dynamic window.
    std::byte* base() const noexcept { return targets_.base(); }
    std::size_t size_bytes(int rank) const noexcept { return targets_[rank].size_bytes; }
    std::size_t unit_bytes(int rank) const noexcept { return targets_[rank].unit_bytes; }
    /// The memory of `rank` where this process maps it, else nullptr. Never nullptr in a shared window where
    /// the rank has memory, nor for this rank.
    std::byte* direct(int rank);

    /// Of a dynamic window: other ranks may access these bytes from now on, or no longer. Ranks of the node
    /// map them if they are memory of tutti::allocate.
    void attach(void* memory, std::size_t size_bytes);
    void detach(const void* memory);

    /// Of fence() or start(): the targets take part.
    bool is_in_active_epoch() const noexcept
    {
        return identity_.epoch() == WindowEpoch::fence || identity_.epoch() == WindowEpoch::started;
    }

    // Operations, inside an epoch that covers the target. Without a request the program may reuse what put
    // and accumulate read when they return, and has what others fetch after a flush. With one, for which
    // `begun` is not nullptr, it may wait for the operation alone, and its buffers are borrowed until then:
    // `*begun` gets the state of the request, which the caller takes over, or stays nullptr where the
    // operation is complete here already. Blocks of both sides have equally many bytes; the caller has
    // checked this.
    //
    // Accumulates of any origins and any path are atomic for each element, if all name its type; also with
    // fetch_and_op and compare_and_swap. Accumulates from one origin to one element keep their order. Put
    // and get are not atomic and have no order.
    void put(const OriginBlock& from, const TargetBlock& to, RequestState** begun = nullptr);
    void get(const OriginBlock& to, const TargetBlock& from, RequestState** begun = nullptr);
    void accumulate(const OriginBlock& from, const TargetBlock& to, const Update& update,
                    RequestState** begun = nullptr);
    /// `before` gets what the target had. With no_op `from` is not read.
    void get_accumulate(const OriginBlock& from, const OriginBlock& before, const TargetBlock& to,
                        const Update& update, RequestState** begun = nullptr);
    /// One element. `from` is not read with no_op.
    void fetch_and_op(const std::byte* from, std::byte* before, int rank, std::ptrdiff_t displacement,
                      const Update& update, RequestState** begun = nullptr);
    /// target = desired if its bytes are those of `expected`. One element of 1 to 16 bytes, a power of two.
    void compare_and_swap(const std::byte* desired, const std::byte* expected, std::byte* before,
                          std::size_t element_bytes, int rank, std::ptrdiff_t displacement,
                          RequestState** begun = nullptr);

    /// Once, before any rank pushes; all ranks give the same.
    void set_rule(RowRule rule);
    /// Pushes to rows of `rank`, which may be named again; with no_op, pulls them.
    void update_rows(int rank, std::span<const WindowRow> rows, const Update& update,
                     RequestState** begun = nullptr);

    // Rows of keys, of a dynamic window: WindowCalls.
    void set_keys(KeyedRows rows);
    void update_keys(std::span<const KeyedRow> rows, const Update& update,
                     std::vector<RequestState*>* begun = nullptr);
    std::vector<std::uint64_t> bytes_of_keys(std::span<const std::uint64_t> keys);
    std::vector<KeyedRow> own_keys();

    // Passive epochs. lock() returns when the lock is held. lock_all() locks each target, shared, by its
    // first access. unlock() and unlock_all() return when all operations are complete at the target.
    void lock(WindowLock kind, int rank, unsigned promises = 0);
    void unlock(int rank);
    void lock_all(unsigned promises = 0);
    void unlock_all();
    /// In a passive epoch: the operations so far are complete at the target; those of flush_local only here.
    void flush(int rank) { complete_at("flush", rank, true); }
    void flush_all() { complete_at("flush_all", kAnyRank, true); }
    void flush_local(int rank) { complete_at("flush_local", rank, false); }
    void flush_local_all() { complete_at("flush_local_all", kAnyRank, false); }
    /// Orders direct loads and stores with other ranks' accesses.
    void sync() noexcept { order_mapped_accesses(); }

    /// Collective: ends an epoch in which each rank accesses all others, and begins the next.
    void fence(unsigned promises = 0);

    // Epochs of some ranks. post() exposes the own memory to `origins`; start() opens the memory of
    // `targets`, and may wait until they have posted; complete() ends this, and wait() returns when all
    // origins have completed. Ranks are of the window's communicator.
    void post(std::span<const int> origins, unsigned promises = 0);
    void start(std::span<const int> targets, unsigned promises = 0);
    void complete();
    void wait();
    /// Whether wait() would return at once: then its epoch is over, too.
    bool test();

    // For WindowService, under the engine's lock.

    /// A frame from `rank` of the window.
    void take(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    /// Where the payload of a frame may go at once; empty: take() gets it.
    std::span<std::byte> place_of(int rank, const WindowHeader& header, std::size_t payload_bytes)
    {
        return header.what == WindowHeader::What::done ? queued_.place_of(rank, header.id, payload_bytes)
                                                       : std::span<std::byte>();
    }
    /// The ranks of the job that could end waits or epochs of this rank.
    std::set<int> awaited() const;
    void fail_waits_for_lost();
    WindowWait wait_in_words(bool collective) const;

private:
    static constexpr int kAnyRank = WindowIdentity::kAnyRank;

    Window(StatePointer communicator, WindowFlavor flavor);
    EngineLock locked() const;

    void combine(std::string_view operation, const OriginBlock& from, const OriginBlock* before,
                 const TargetBlock& to, const Update& update, RequestState** begun);
    // Of operations on what WindowTargets::reach() does not have.
    void admit(std::string_view operation, WindowUse use, const TargetBlock& block, TargetBytes& place);
    void admit_rank(std::string_view operation, int rank);
    void lock_late(int rank);
    [[noreturn]] void refuse_outside_epoch(std::string_view operation, int rank) const;
    void find(std::string_view operation, const TargetBlock& block, TargetBytes& place);
    void find_attached(std::string_view operation, TargetBytes& place);
    void move(const OriginBlock& here, const TargetBlock& there, bool puts, RequestState** begun);
    void move_remote(const OriginBlock& here, const TargetBlock& there, const TargetBytes& place, bool puts,
                     RequestState** begun);
    void combine_admitted(std::string_view operation, const OriginBlock& from, const OriginBlock* before,
                          const TargetBlock& to, const Update& update, RequestState** begun);
    void update_mapped(const TargetBlock& to, std::byte* base, const OriginBlock& from,
                       const OriginBlock* before, const Update& update);
    void apply_rows(EngineLock& held, int rank, std::span<const MappedRow> rows, const Update& update,
                    RequestState** begun);
    void swap_admitted(const std::byte* desired, const std::byte* expected, const OriginBlock& before,
                       const TargetBlock& to, RequestState** begun);
    void swap_remote(const std::byte* desired, const std::byte* expected, const OriginBlock& before,
                     const TargetBlock& to, const TargetBytes& place, RequestState** begun);

    // Under the engine's lock.
    bool is_checked() const noexcept { return conflicts_.are_checked() || loans_.are_watched(); }
    void cover(int rank, WindowCover cover);
    void cover_all(WindowCover cover);
    void leave_fence();
    static void order_mapped_accesses() noexcept;

    void complete_at(std::string_view operation, int rank, bool at_target);
    // The operations so far are complete at `rank`, or at all ranks; or `only_here`.
    void collect(EngineLock& lock, std::string_view collector, int rank, bool only_here = false);

    WindowIdentity identity_;
    WindowWaits waits_;
    WindowTargets targets_;
    WindowAttachments attachments_;
    WindowConflicts conflicts_;
    WindowLoans loans_;
    WindowQuestions questions_;
    KeyDirectory keys_;
    QueuedOperations queued_;
    WindowNetwork network_;
    WindowLocks locks_;
    RowUpdates row_updates_;
    std::vector<MappedRow> rows_;  // memory for those of an operation
    ServedOperations served_;
    ExposureEpoch exposure_;
    int locked_targets_ = 0;    // in WindowEpoch::locks
    std::vector<int> started_;  // targets, in WindowEpoch::started
    std::atomic<unsigned> flushes_{0};  // relaxed: of several threads, some may be lost
    bool freed_ = false;
};

}  // namespace tutti::detail
