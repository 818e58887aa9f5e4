// Windows: memory of each rank that the others read and change without its help. The core below the faces.
//
// Errors are returned (nullptr: none), as tutti::Error, a WindowError for wrong use; they name the window,
// the rank, the range and the epoch. Thrown are errors that end all progress of this rank. Not under the
// engine's lock: calls take it where they need it.
//
// A target is reached by one of three paths. Where this process maps its memory (ranks of a node: memory of
// tutti::allocate; threads: any memory; this rank itself) an operation is done when its call returns.
// Elsewhere put and get of bytes in a row go by a network that writes and reads the target's memory, where
// there is one (window_network.cpp); gets and short puts are then complete at a flush or the end of the
// epoch. All else is done by the target's progress when its call returns (window_service.hpp). Updates use
// the same CPU atomics on both of their paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/windows/window_accesses.hpp"
#include "lib/core/windows/window_copies.hpp"
#include "lib/core/windows/window_error.hpp"
#include "lib/core/windows/window_service.hpp"
#include "lib/core/windows/window_target.hpp"
#include "lib/engine/progress/engine.hpp"
#include "lib/engine/request/request_state.hpp"
#include "tutti/calls.hpp"
#include "tutti/window_calls.hpp"

namespace tutti::detail {

class Process;
struct Updater;

/// Promises of the caller, as bits: MPI's assertions.
namespace window_promise {
inline constexpr unsigned no_check = 1;     // no other lock conflicts; or the target has posted
inline constexpr unsigned no_store = 2;     // the own memory has not been changed
inline constexpr unsigned no_put = 4;       // the own memory will not be changed by others
inline constexpr unsigned no_precede = 8;   // fence: it ends no epoch
inline constexpr unsigned no_succeed = 16;  // fence: it begins no epoch
}  // namespace window_promise

/// One rank's view. Thread rule: threads may call operations at once; calls that begin or end epochs, and
/// make and free, one at a time.
class Window {
public:
    using Failure = std::exception_ptr;

    /// Collective; throws, as collectives do. Ends with a barrier.
    static std::shared_ptr<Window> make(const StatePointer& communicator, WindowFlavor flavor,
                                        const WindowMemory& memory);
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    /// Memory of a window that was not freed stays allocated until the process ends.
    ~Window();

    /// Collective: a barrier, behind which no rank accesses the window. An open epoch is an error, and the
    /// window stays.
    Failure free();
    bool is_freed() const noexcept { return freed_; }
    /// In errors: "window 3", numbered as this rank has made them, until the program names it.
    void set_name(std::string_view name);

    const StatePointer& communicator() const noexcept { return communicator_; }
    WindowFlavor flavor() const noexcept { return flavor_; }
    /// The own memory; nullptr and 0 for a dynamic window.
    std::byte* base() const noexcept { return base_; }
    std::size_t size_bytes(int rank) const noexcept
    {
        return targets_[static_cast<std::size_t>(rank)].size_bytes;
    }
    std::size_t unit_bytes(int rank) const noexcept
    {
        return targets_[static_cast<std::size_t>(rank)].unit_bytes;
    }
    /// The memory of `rank` where this process maps it, else nullptr. Never nullptr in a shared window where
    /// the rank has memory, nor for this rank.
    std::byte* direct(int rank);

    /// Of a dynamic window: other ranks may access these bytes from now on, or no longer. Ranks of the node
    /// map them if they are memory of tutti::allocate.
    Failure attach(void* memory, std::size_t size_bytes);
    Failure detach(const void* memory);

    /// Of fence() or start(): the targets take part.
    bool is_in_active_epoch() const noexcept { return epoch_ == Epoch::fence || epoch_ == Epoch::started; }

    // Operations, inside an epoch that covers the target. With `request` the caller may wait for the
    // operation alone: *request is its state, or nullptr if it is done. Then put and accumulate are complete
    // at the origin, get and those that fetch completely. A state's errors are in failure_of(). Blocks of
    // both sides have equally many bytes; the caller has checked this.
    //
    // Accumulates of any origins and any path are atomic for each element, if all name its type; also with
    // fetch_and_op and compare_and_swap. Accumulates from one origin to one element keep their order. Put
    // and get are not atomic and have no order.
    Failure put(const OriginBlock& from, const TargetBlock& to, RequestState** request = nullptr);
    Failure get(const OriginBlock& to, const TargetBlock& from, RequestState** request = nullptr);
    Failure accumulate(const OriginBlock& from, const TargetBlock& to, const Update& update,
                       RequestState** request = nullptr);
    /// `before` gets what the target had. With no_op `from` is not read.
    Failure get_accumulate(const OriginBlock& from, const OriginBlock& before, const TargetBlock& to,
                           const Update& update, RequestState** request = nullptr);
    /// One element. `from` is not read with no_op.
    Failure fetch_and_op(const std::byte* from, std::byte* before, int rank, std::ptrdiff_t displacement,
                         const Update& update, RequestState** request = nullptr);
    /// target = desired if its bytes are those of `expected`. One element of 1 to 16 bytes, a power of two.
    Failure compare_and_swap(const std::byte* desired, const std::byte* expected, std::byte* before,
                             std::size_t element_bytes, int rank, std::ptrdiff_t displacement,
                             RequestState** request = nullptr);

    // Passive epochs. lock() returns when the lock is held. lock_all() locks each target, shared, by its
    // first access. unlock() and unlock_all() return when all operations are complete at the target.
    Failure lock(WindowLock kind, int rank, unsigned promises = 0);
    Failure unlock(int rank);
    Failure lock_all(unsigned promises = 0);
    Failure unlock_all();
    /// In a passive epoch: the operations so far are complete at the target; those of flush_local only here.
    Failure flush(int rank) { return complete_at("flush", rank, true); }
    Failure flush_all() { return complete_at("flush_all", kAnyRank, true); }
    Failure flush_local(int rank) { return complete_at("flush_local", rank, false); }
    Failure flush_local_all() { return complete_at("flush_local_all", kAnyRank, false); }
    /// Orders direct loads and stores with other ranks' accesses.
    Failure sync();

    /// Collective: ends an epoch in which each rank accesses all others, and begins the next.
    Failure fence(unsigned promises = 0);

    // Epochs of some ranks. post() exposes the own memory to `origins`; start() opens the memory of
    // `targets`, and may wait until they have posted; complete() ends this, and wait() returns when all
    // origins have completed. Ranks are of the window's communicator.
    Failure post(std::span<const int> origins, unsigned promises = 0);
    Failure start(std::span<const int> targets, unsigned promises = 0);
    Failure complete();
    Failure wait();
    /// As wait(), if it would return at once: then `done` is set.
    Failure test(bool& done);

private:
    friend class WindowService;
    using Engine = progress::Engine;

    Window(StatePointer communicator, WindowFlavor flavor);
    void make_memory(const WindowMemory& memory);
    std::size_t control_and_attached_bytes(std::size_t slots) const noexcept;

    // The memory of `bytes` bytes at a target, if that is all to know; nullptr: see admit().
    std::byte* reach(int rank, std::ptrdiff_t displacement, std::size_t bytes) const noexcept
    {
        if (static_cast<std::size_t>(rank) >= targets_.size())
            return nullptr;
        const WindowTarget& target = targets_[static_cast<std::size_t>(rank)];
        std::size_t offset = 0;
        if (target.reach == nullptr || displacement < 0 ||
            __builtin_mul_overflow(static_cast<std::size_t>(displacement), target.unit_bytes, &offset) ||
            offset > target.size_bytes || bytes > target.size_bytes - offset) [[unlikely]]
            return nullptr;
        return target.reach + offset;
    }
    struct Place {
        std::byte* base = nullptr;  // where the displacement leads, if this process maps it: perhaps to 0
        std::ptrdiff_t offset = 0;  // likewise in the target's memory
        bool has_bytes = false;     // at the target
        bool is_remote = false;     // this process does not map them
        WindowAim aim;
    };
    Failure lock_late(int rank, std::ptrdiff_t displacement, std::size_t bytes, std::byte*& there);
    Failure admit(std::string_view operation, const TargetBlock& block, Place& place);
    Failure move(const OriginBlock& here, const TargetBlock& there, bool puts, bool waits);
    Failure move_remote(const OriginBlock& here, const TargetBlock& there, const Place& place, bool puts,
                        bool waits);
    bool is_attached(std::uintptr_t address, std::size_t bytes) const noexcept;
    std::byte* attached_at(int rank, std::uintptr_t address, std::size_t bytes);
    Failure combine(std::string_view operation, const OriginBlock& from, const OriginBlock* before,
                    const TargetBlock& to, const Update& update, bool notes);
    Failure combine_in_a_row(int rank, std::byte* there, const std::byte* from, std::byte* before,
                             std::size_t bytes, const Update& update);
    Failure look_for_conflict(std::string_view operation, WindowUse use, const TargetBlock& block,
                              std::ptrdiff_t offset) const;
    void note_use(WindowUse use, const TargetBlock& block, std::ptrdiff_t offset);
    void forget_accesses(int rank, bool all);

    Failure wrong(WindowFault fault, std::string_view operation, int rank, std::string_view detail) const;
    Failure outside(std::string_view operation, int rank) const;
    Failure not_a_rank(std::string_view operation, int rank) const;
    std::string_view epoch_in_words() const noexcept;
    std::string in_epoch() const;

    bool is_rank(int rank) const noexcept { return static_cast<std::size_t>(rank) < targets_.size(); }
    WindowTarget& target(int rank) noexcept { return targets_[static_cast<std::size_t>(rank)]; }

    // Under the engine's lock.
    void look_for(int rank);
    void place_the_empty() noexcept;
    bool is_in_this_process(int rank) const noexcept;
    Failure acquire(Engine::Lock& lock, WindowLock kind, int rank);
    bool holds_a_lock() const noexcept;
    bool is_awaited() const noexcept;
    void release(int rank);
    void cover(int rank, WindowCover cover);
    void hold(int rank, WindowLock kind);
    void forget_locks() noexcept;
    void leave_fence();
    void wake_next(WindowTarget& next);
    /// What this process has done to memory that it maps is seen before what it does next.
    static void settle() noexcept;
    void settle_unlocked(int rank) noexcept;
    // window_network.cpp
    void grant_memory(WindowPlace& place);
    void revoke_memory() noexcept;
    transport::RemoteMemory* network_to(int rank);
    Failure await_loss(Engine::Lock& lock, std::string_view operation, const WindowAim& aim);
    bool move_by_network(Engine::Lock& lock, const Place& place, std::span<std::byte> here, bool puts,
                         bool waits, Failure& failed);
    bool start_copy(Engine::Lock& lock, transport::RemoteMemory& network, const Place& place,
                    const transport::RemoteRegion& there, std::span<std::byte> here, bool puts,
                    Failure& failed);
    Failure complete_copies(Engine::Lock& lock, std::string_view operation, int rank, bool only_gets = false);
    Failure complete_copies_at(Engine::Lock& lock, std::string_view operation, int rank, bool only_gets);
    Failure pass(Engine::Lock& lock, std::string_view operation, int rank);
    // Waits until done(); `rank` is the one that can end it.
    Failure await(Engine::Lock& lock, std::string_view operation, int rank, const WindowAim& aim,
                  const std::function<bool()>& done);
    std::set<int> awaited() const;
    void fail_waits_for_lost();
    WindowWait wait_in_words(bool collective) const;
    // An error if `rank` is lost: `doing` says what that does to this rank.
    Failure loss(std::string_view operation, int rank, std::string_view doing) const;
    Failure not_told(std::string_view operation, int rank) const;
    void look_after_updater(std::size_t slot);
    Updater updater(WindowTarget& updated) noexcept;
    void tell(int rank, WindowHeader::What what);
    void tell_peer(int peer, WindowHeader::What what);
    void heard(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    bool have_all_completed() const;
    // For targets that this process does not map: window_remote.cpp.
    void tell_header(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    WindowHeader header_of(WindowHeader::What what, std::uint64_t id, std::uint64_t offset) const;
    class Conversation;
    class Transfer;
    Failure ask(Engine::Lock& lock, std::string_view operation, const WindowAim& aim, WindowHeader::What what,
                std::size_t offset, std::span<const std::byte> payload, std::span<std::byte> answer);
    Failure transfer(Engine::Lock& lock, std::string_view operation, const TargetBlock& there,
                     const Place& place, const std::byte* from, std::byte* before, const Update* update);
    Failure not_attached(std::string_view operation, int rank, std::uint64_t address,
                         std::uint64_t bytes) const;
    // At the target.
    std::byte* memory_at(const WindowRun& run) const;
    void refuse(int rank, std::uint64_t id, const WindowRun& run);
    void serve_transfer(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    void serve(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    void serve_lock(int rank, const WindowHeader& header);
    void grant_locks();
    void await_for_others();
    void take_answer(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    void end_exposure();

    Failure complete_at(std::string_view operation, int rank, bool at_target);
    Failure barrier(std::string_view operation);

    static constexpr int kAnyRank = -1;

    // The program's access epoch.
    enum class Epoch : std::uint8_t { none, fence, started, locks, all_locked };
    // A call that waits, and for which rank; -1: any.
    struct Waiting {
        std::string_view operation;
        int rank;
        WindowAim aim;
        Failure failed{};  // by the failure detector
    };

    // What a frame has asked a target, until its answer.
    struct Question {
        Conversation* of;
        std::span<std::byte> answer;
    };
    // A rank that has asked for the own lock by a frame.
    struct PendingLock {
        int rank;
        std::uint64_t id;
        WindowLock kind;
        bool in_front;
        std::uint32_t ticket;
    };

    StatePointer communicator_;  // the window's own
    Process& process_;
    const WindowFlavor flavor_;
    std::string name_;
    bool freed_ = false;
    std::vector<WindowTarget> targets_;
    std::vector<WindowPlace> places_;       // by rank
    std::vector<WindowAccesses> accesses_;  // by rank; none: they are not checked
    std::byte* base_ = nullptr;
    std::map<std::uintptr_t, std::size_t> attached_;  // of a dynamic window: bytes by address
    void* allocated_ = nullptr;                       // by this rank
    void* control_memory_ = nullptr;
    std::size_t slot_ = 0;                               // this rank's, at all targets
    const std::function<void(std::size_t)> look_after_;  // the rank of a slot
    Epoch epoch_ = Epoch::none;
    int locked_ = 0;               // targets, in Epoch::locks
    std::vector<int> started_;     // targets
    std::vector<int> exposed_to_;  // origins that have not completed
    bool is_exposed_ = false;
    unsigned flushes_ = 0;
    std::list<Waiting> waiting_;
    std::string_view in_barrier_;  // the last collective call of this rank
    std::map<std::uint64_t, Question> questions_;
    std::uint64_t asked_ = 0;
    std::vector<PendingLock> pending_locks_;
    WindowCopies copies_;
    transport::RemoteMemory* granted_by_ = nullptr;  // nullptr: the own memory is not granted
    transport::RemoteRegion granted_{};
};

}  // namespace tutti::detail
