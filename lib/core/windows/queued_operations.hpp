// Operations on memory that this process does not map, on their way to their targets. A call queues one and
// returns; frames take several each, and several frames are under way to every target at once. A flush, the
// end of the epoch or a request collects them.
//
//     call --> queue of the target --> frames ----------> the target's progress (served_operations.hpp)
//                                         ^                    |
//     flush, request ---------------------+-- done, fetched ---+
//
// A target serves frames in their order, so operations on it keep theirs.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "lib/core/windows/make_window_request.hpp"
#include "lib/core/windows/row_updates.hpp"
#include "lib/core/windows/window_attachments.hpp"
#include "lib/core/windows/window_waits.hpp"
#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::detail {

/// The bytes of a target that an operation accesses.
struct TargetBytes {
    std::byte* base = nullptr;  // where the displacement leads, if this process maps it: perhaps to 0
    std::ptrdiff_t offset = 0;  // likewise in the target's memory
    bool has_bytes = false;     // at the target
    bool is_remote = false;     // this process does not map them
    WindowAim aim;
};

/// An operation as its call describes it.
struct DescribedOperation {
    std::string_view name;  // the call's
    WindowOperation::Kind kind;
    OriginBlock from{};    // WindowOperation::data_bytes() of them; nothing where there are none
    OriginBlock before{};  // gets what the target's elements were: of get, swap, and updates that fetch
    Update update{};
    std::span<const MappedRow> rows{};  // of rows; then `from`, `before` and the target's block are not used
};

/// One that is not complete. It stays where it is until then.
struct QueuedOperation {
    std::string_view name;
    WindowAim aim;
    WindowOperation::Kind kind = WindowOperation::Kind::put;
    Update update{};
    bool has_data = false;
    bool fetches = false;
    bool is_open_here = false;  // a buffer of the program's is still read, or not yet filled
    std::size_t bytes = 0;      // at the target
    std::size_t framed = 0;     // of them, in frames
    std::uint64_t last_frame = 0;
    std::uint64_t number = 0;  // of those on its target, from 1

    // Where the next bytes go at the target: one run, or those of a layout.
    TargetRun only_run{};
    std::vector<TargetRun> runs;
    std::size_t run = 0;
    std::size_t framed_of_run = 0;
    std::vector<std::byte*> rows;  // where the program has each run; none: the data is in a row, or copied

    // The data in a row; or, with a layout, `count` elements of it.
    const std::byte* data = nullptr;
    std::size_t count = 0;
    datatype::TypemapRef layout;
    std::array<std::byte, 32> few;      // a copy of few data
    std::unique_ptr<std::byte[]> copy;  // of more

    std::byte* before = nullptr;
    std::size_t before_count = 0;
    datatype::TypemapRef before_layout;

    WindowRequest* request = nullptr;  // not complete
    std::exception_ptr failure;
};

/// Under the engine's lock, but for all_complete() and complete_here(). Errors are thrown.
class QueuedOperations {
public:
    // To one target. A call beyond these limits makes progress until there is room.
    static constexpr std::size_t kMostOperations = 8192;
    static constexpr std::size_t kEnoughFrames = 16;             // under way, so that the target has work
    static constexpr std::size_t kMostWaitingFrames = 4;         // of up to 64 KiB
    static constexpr std::size_t kMostCopiedBytes = 256u << 10;  // of data that are in no frame yet

    QueuedOperations(const WindowIdentity& window, WindowWaits& waits, const WindowAttachments& attachments);
    QueuedOperations(const QueuedOperations&) = delete;
    QueuedOperations& operator=(const QueuedOperations&) = delete;
    ~QueuedOperations() { abandon(); }

    /// Queues an operation. What it reads is sent or copied when this returns; with a request, what frames do
    /// not take yet is borrowed until that is complete. What it fetches is there when it is complete.
    ///
    /// The state of its request: nullptr without one, and where it is complete here already.
    WindowRequest* queue(EngineLock& lock, const DescribedOperation& described, const TargetBlock& there,
                         const TargetBytes& place, bool has_request);

    /// Whether none is under way, and no failure is left to throw. For a thread's own ones.
    bool all_complete() const noexcept { return open_.load(std::memory_order_acquire) == 0; }
    /// Likewise of those whose buffers are in use here.
    bool complete_here() const noexcept { return open_here_.load(std::memory_order_acquire) == 0; }
    /// The operations so far are complete at `rank`, or at all ranks; or `only_here`. `collector`: the call.
    void complete(EngineLock& lock, std::string_view collector, int rank, bool only_here);

    /// Frames from `rank`: What::done, What::refusal.
    void take_done(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    void take_refusal(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    /// Likewise What::failure.
    void take_failure(int rank, const WindowHeader& header, std::span<const std::byte> payload);
    /// Where the payload of the `done` for frame `id` belongs: memory of the program. It may be written until
    /// take_done(). Empty if it lies in several places.
    std::span<std::byte> place_of(int rank, std::uint64_t id, std::size_t payload_bytes);

    /// Adds the ranks of the job that operations are under way to.
    void add_awaited(std::set<int>& ranks) const;
    /// Ends operations on targets that are lost.
    void fail_for_lost();
    /// No operation accesses memory of the program's from now on; requests end with an error.
    void abandon() noexcept;
    /// What an awaited request waits for; nullptr: there is none.
    const QueuedOperation* awaited() const noexcept;

private:
    // Which bytes of which operation a frame has.
    struct Part {
        QueuedOperation* of;
        std::size_t begin;
        std::size_t bytes;
        std::size_t run = 0;  // of rows, the first one
        std::size_t begin_of_run = 0;
    };
    struct Frame {
        std::uint64_t id = 0;
        bool is_full = false;
        bool brings_much = false;  // its answer goes to the program's memory
        std::size_t fetched_bytes = 0;
        std::vector<Part> parts;
        std::unique_ptr<std::byte[]> payload;
        std::size_t payload_bytes = 0;
    };
    struct Target {
        std::deque<QueuedOperation> operations;
        std::size_t framed_operations = 0;  // the first ones, which are in frames as a whole
        std::deque<Frame> waiting;          // the last one may take more
        std::deque<Frame> under_way;
        std::size_t frame_bytes = 0;   // the most of one; 0: not known yet
        std::uint64_t frames = 0;      // begun
        std::uint64_t last_asked = 0;  // of them, that the target answers
        std::size_t copied_bytes = 0;
        std::uint64_t completed = 0;   // operations
        bool is_arriving = false;      // an answer, at its place_of()
        std::exception_ptr failure;    // the first of operations that no request reports

        bool expects_answer() const noexcept
        {
            return !under_way.empty() && last_asked >= under_way.front().id;
        }
        // Whether short frames may wait until several leave together: those of long gets.
        bool has_enough() const noexcept
        {
            return expects_answer() && under_way.size() > kEnoughFrames && !waiting.empty() &&
                   waiting.front().payload_bytes < transport::kCopiedSoonBelow;
        }
        bool has_unframed() const noexcept { return framed_operations != operations.size(); }
    };

    Target& of(int rank) noexcept { return targets_[static_cast<std::size_t>(rank)]; }
    const Target& of(int rank) const noexcept { return targets_[static_cast<std::size_t>(rank)]; }

    void look_at_target(std::string_view name, const WindowAim& aim);
    static void describe(QueuedOperation& made, const DescribedOperation& described, const TargetBlock& there,
                         const TargetBytes& place);
    static void describe_rows(QueuedOperation& made, std::span<const MappedRow> rows);
    static bool copy_all(Target& target, QueuedOperation& operation);
    void frame_all(EngineLock& lock, Target& target, QueuedOperation& operation);
    static void forget_before(QueuedOperation& operation) noexcept;
    static void give_up_rest(QueuedOperation& operation) noexcept;

    bool sends_now(int rank, std::size_t most_frames, bool all) const noexcept;
    void send(int rank, std::size_t most_frames, bool all);
    void fill_frames(Target& target, std::size_t most_waiting);
    Frame& new_frame(Target& target);
    bool add_part(const Target& target, Frame& frame, QueuedOperation& operation);
    std::size_t gather_runs(std::size_t frame_bytes, const Frame& frame, QueuedOperation& operation);
    void spare(Frame& frame) noexcept;
    void expect(int rank, Frame& frame);
    void end_frame(int rank, Frame& frame) noexcept;

    static std::byte* place_of(const Part& part) noexcept;
    QueuedOperation& failed(int rank, const WindowHeader& header);
    void complete_at(EngineLock& lock, std::string_view collector, int rank, bool only_here);
    void is_complete_here(QueuedOperation& operation) noexcept;
    void end_first(Target& target) noexcept;
    template <class Failure>
    void fail_all(int rank, Failure&& failure_of);
    void fail_lost(int rank);
    void note_failure(Target& target, std::exception_ptr why) noexcept;
    std::exception_ptr take_failure(Target& target) noexcept;

    const WindowIdentity& window_;
    WindowWaits& waits_;
    const WindowAttachments& attachments_;
    std::vector<Target> targets_;  // by rank
    std::size_t operations_ = 0;   // of all of them; while there are some, the progress thread has work
    std::vector<TargetRun> runs_;  // of the part that is framed
    std::vector<Frame> spare_;
    std::vector<std::unique_ptr<std::byte[]>> spare_payloads_;
    // Operations, and failures to throw. Whoever finds none, by an acquiring load, sees what they have
    // fetched.
    std::atomic<std::size_t> open_{0};
    std::atomic<std::size_t> open_here_{0};
};

}  // namespace tutti::detail
