// Put and get of memory that this rank does not map, by a network that writes and reads it: without frames,
// and with no more of the target's help than the network's provider needs.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "lib/core/windows/queued_operations.hpp"
#include "lib/core/windows/window_copies.hpp"
#include "lib/core/windows/window_questions.hpp"
#include "transports/remote_memory.hpp"

namespace tutti::detail {

/// Under the engine's lock, but for all_complete() and gets_complete(). Errors are thrown.
class WindowNetwork {
public:
    WindowNetwork(const WindowIdentity& window, const WindowTargets& targets, WindowWaits& waits,
                  WindowQuestions& questions)
        : window_(window),
          targets_(targets),
          waits_(waits),
          questions_(questions),
          paths_(static_cast<std::size_t>(window.size())),
          copies_(window)
    {
    }

    /// Lets ranks of other nodes access this rank's memory, and notes that in its place.
    void grant(std::byte* base, WindowPlace& place);
    void revoke() noexcept;

    /// A put or get of bytes in a row on both sides.
    struct Move {
        const TargetBytes& place;
        std::span<std::byte> here;
        bool puts;
        bool waits = false;  // the memory here is the caller's when the call returns
        bool has_request = false;
        WindowRequest* request = nullptr;  // of one that goes on
    };
    /// False: the bytes must go by frames.
    bool move(EngineLock& lock, Move& move);
    /// Whether move() may be true.
    bool reaches(int rank) { return path_to(rank).network != nullptr; }

    /// Whether no put or get is under way. For a thread's own ones.
    bool all_complete() const noexcept { return copies_.all_complete(); }
    bool gets_complete() const noexcept { return copies_.gets_complete(); }
    /// The puts and gets so far are complete at `rank`, or at all ranks; or the gets.
    void complete(EngineLock& lock, std::string_view operation, int rank, bool only_gets = false);
    /// Adds the ranks of the job that requests are under way to.
    void add_awaited(std::set<int>& ranks) const;
    /// Ends requests of targets that are lost.
    void fail_for_lost();
    /// None of them accesses memory of the program from now on.
    void abandon() noexcept { copies_.abandon(); }

private:
    struct Path {
        transport::RemoteMemory* network = nullptr;  // writes and reads the target's memory
        bool is_known = false;                       // whether there is such a network
        bool puts = false;                           // it has written
        bool gets = false;                           // it has read
    };

    Path& path_to(int rank);
    bool start_copy(EngineLock& lock, Move& move, bool is_copied);
    bool await_copy(EngineLock& lock, const Move& move);
    transport::SendResult copy(EngineLock& lock, const Move& move, transport::Completion& completion);
    void complete_at(EngineLock& lock, std::string_view operation, int rank, bool only_gets);
    [[noreturn]] void fail(EngineLock& lock, std::string_view operation, int rank, ErrorCode code);

    const WindowIdentity& window_;
    const WindowTargets& targets_;
    WindowWaits& waits_;
    WindowQuestions& questions_;
    std::vector<Path> paths_;  // by rank
    WindowCopies copies_;
    transport::RemoteMemory* granted_by_ = nullptr;  // nullptr: this rank's memory is not granted
    transport::RemoteRegion granted_{};
};

}  // namespace tutti::detail
