#include "lib/core/windows/queued_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "lib/core/process/process.hpp"
#include "lib/foundation/datatype/runs.hpp"
#include "lib/foundation/datatype/transfer.hpp"

namespace tutti::detail {

namespace {

// Frames to one target that it has not answered. The first ones go at once; more wait until they are full, so
// that many short operations take few frames.
constexpr std::size_t kMostFrames = 32;
constexpr std::size_t kFramesAtOnce = 2;
// An operation that borrows its data leaves the others to whoever makes progress, so that its call is short.
constexpr std::size_t kFramesOfABorrower = 4;
// So many are sent at a time: other threads may wait for the engine.
constexpr unsigned kFramesATurn = 16;
// Of frames that fetch nothing, one in so many is answered, and the last one of those that wait.
constexpr std::uint64_t kFramesAnAnswer = 8;
// Whole elements, where a run is cut.
constexpr std::size_t kUnit = 64;
constexpr std::size_t kMostSpare = 16;

TargetRun& run_of(QueuedOperation& operation) noexcept
{
    return operation.runs.empty() ? operation.only_run : operation.runs[operation.run];
}

bool is_framed(const QueuedOperation& operation) noexcept
{
    return operation.framed == operation.bytes;
}

// Calls act(bytes in the program's memory) from a place in the rows on.
template <class Act>
void for_each_row(const QueuedOperation& operation, std::size_t run, std::size_t begin_of_run,
                  std::size_t bytes, Act&& act)
{
    for (; bytes != 0; ++run, begin_of_run = 0) {
        const std::size_t part = std::min<std::size_t>(bytes, operation.runs[run].bytes - begin_of_run);
        act(std::span(operation.rows[run] + begin_of_run, part));
        bytes -= part;
    }
}

void copy_rows(const QueuedOperation& operation, std::size_t run, std::size_t begin_of_run,
               std::span<std::byte> to)
{
    std::byte* next = to.data();
    for_each_row(operation, run, begin_of_run, to.size(),
                 [&](std::span<const std::byte> row) { next = std::ranges::copy(row, next).out; });
}

void copy_data(const QueuedOperation& operation, std::size_t begin, std::span<std::byte> to)
{
    if (operation.layout)
        datatype::pack(*operation.layout, operation.count, operation.data, begin, to);
    else
        std::memcpy(to.data(), operation.data + begin, to.size());
}

void fill_rows(const QueuedOperation& operation, std::size_t run, std::size_t begin_of_run,
               std::span<const std::byte> bytes)
{
    for_each_row(operation, run, begin_of_run, bytes.size(), [&](std::span<std::byte> row) {
        if (row.data() != bytes.data())  // else it is there
            std::memcpy(row.data(), bytes.data(), row.size());
        bytes = bytes.subspan(row.size());
    });
}

void fill(const QueuedOperation& operation, std::size_t begin, std::span<const std::byte> bytes)
{
    if (operation.before_layout)
        datatype::unpack(*operation.before_layout, operation.before_count, operation.before, begin, bytes);
    else if (operation.before != nullptr && operation.before + begin != bytes.data())  // else it is there
        std::memcpy(operation.before + begin, bytes.data(), bytes.size());
}

std::string in_words(const WindowIdentity& window, std::string_view name, const WindowAim& aim)
{
    return fmt::format("this rank's {}() of {} bytes, {}", name, aim.bytes,
                       window.range_in_words(aim.begin, aim.end));
}

}  // namespace

QueuedOperations::QueuedOperations(const WindowIdentity& window, WindowWaits& waits,
                                   const WindowAttachments& attachments)
    : window_(window),
      waits_(waits),
      attachments_(attachments),
      targets_(static_cast<std::size_t>(window.size()))
{
}

// The first operation connects to it.
void QueuedOperations::look_at_target(std::string_view name, const WindowAim& aim)
{
    protocol::Protocol& protocol = window_.process().protocol();
    const int peer = window_.world_rank(aim.target);
    Target& target = of(aim.target);
    const auto check = [&] {
        waits_.check_not_lost(name, aim.target, "before " + in_words(window_, name, aim));
    };
    try {
        if (target.frame_bytes == 0)
            target.frame_bytes = std::min(kMostWindowBytes, protocol.most_service_bytes(peer)) /
                                 WindowOperation::kAlignment * WindowOperation::kAlignment;
    } catch (const Error&) {
        check();
        throw;
    }
    if (!protocol.is_lost(peer)) [[likely]]
        return;
    fail_lost(aim.target);
    check();
}

void QueuedOperations::describe(QueuedOperation& made, const DescribedOperation& described,
                                const TargetBlock& there, const TargetBytes& place)
{
    made.name = described.name;
    made.aim = place.aim;
    made.kind = described.kind;
    made.update = described.update;
    made.bytes = place.aim.bytes;
    const bool reads_rows = !described.rows.empty() && described.update.kind == Update::Kind::no_op;
    const WindowOperation head{
        described.update, described.kind, described.before.base != nullptr || reads_rows, false, 0,
        place.aim.bytes};
    made.has_data = head.data_bytes() != 0;
    made.fetches = head.answers();
    if (!described.rows.empty())
        return describe_rows(made, described.rows);
    made.data = described.from.base;
    if (described.from.type != nullptr && made.has_data) {
        made.layout = datatype::TypemapRef(described.from.type);
        made.count = described.from.count;
    } else if (made.has_data && head.data_bytes() <= made.few.size()) {
        std::memcpy(made.few.data(), described.from.base, head.data_bytes());
        made.data = made.few.data();
    }
    if (made.fetches) {
        made.before = described.before.base;
        if (described.before.type != nullptr)
            made.before_layout = datatype::TypemapRef(described.before.type);
        made.before_count = described.before.count;
    }
    const auto run = [&](std::ptrdiff_t offset, std::size_t bytes) {
        made.runs.push_back({static_cast<std::uint64_t>(place.offset + offset), bytes});
    };
    if (there.type == nullptr)
        made.only_run = {static_cast<std::uint64_t>(place.offset), there.count};
    else
        datatype::for_each_run(*there.type, there.count, run);
}

void QueuedOperations::describe_rows(QueuedOperation& made, std::span<const MappedRow> rows)
{
    made.runs.reserve(rows.size());
    made.rows.reserve(rows.size());
    for (const MappedRow& row : rows) {
        made.runs.push_back({row.there, row.bytes});
        made.rows.push_back(row.here);
    }
    if (made.has_data && made.bytes <= made.few.size()) {
        copy_rows(made, 0, 0, std::span(made.few).first(made.bytes));
        made.data = made.few.data();
        made.rows.clear();
    }
}

WindowRequest* QueuedOperations::queue(EngineLock& lock, const DescribedOperation& described,
                                       const TargetBlock& there, const TargetBytes& place, bool has_request)
{
    const int rank = there.rank;
    Target& target = of(rank);
    waits_.await(lock, described.name, rank, place.aim,
                 [&] { return target.operations.size() < kMostOperations; });
    look_at_target(described.name, place.aim);
    QueuedOperation& made = target.operations.emplace_back();
    describe(made, described, there, place);
    made.number = target.completed + target.operations.size();
    made.is_open_here = made.fetches;
    open_.fetch_add(1, std::memory_order_relaxed);
    if (operations_++ == 0)
        window_.process().engine().request_started();
    if (made.is_open_here)
        open_here_.fetch_add(1, std::memory_order_relaxed);
    if (!has_request)
        fill_frames(target, kMostWaitingFrames);
    send(rank, has_request ? kFramesOfABorrower : kMostFrames, false);
    window_.process().engine().started();
    const bool is_borrowed = made.has_data && !is_framed(made) && made.data != made.few.data();
    if (is_borrowed && !has_request) {
        if (!copy_all(target, made))
            frame_all(lock, target, made);
        return nullptr;
    }
    if (is_borrowed && !std::exchange(made.is_open_here, true))
        open_here_.fetch_add(1, std::memory_order_relaxed);
    return has_request && made.is_open_here ? &make_request(window_, made.name, made.aim, made.request)
                                            : nullptr;
}

// Of one behind others that borrow their data and are not in frames yet. False: there is no room.
bool QueuedOperations::copy_all(Target& target, QueuedOperation& operation)
{
    if (operation.framed != 0 || target.copied_bytes + operation.bytes > kMostCopiedBytes)
        return false;
    operation.copy = std::make_unique_for_overwrite<std::byte[]>(operation.bytes);
    if (operation.rows.empty())
        copy_data(operation, 0, {operation.copy.get(), operation.bytes});
    else
        copy_rows(operation, 0, 0, {operation.copy.get(), operation.bytes});
    operation.rows.clear();
    operation.data = operation.copy.get();
    operation.layout = {};
    target.copied_bytes += operation.bytes;
    return true;
}

// Returns when the program may change the data.
void QueuedOperations::frame_all(EngineLock& lock, Target& target, QueuedOperation& operation)
{
    const std::uint64_t number = operation.number;
    const auto is_gone = [&] { return target.completed >= number; };
    try {
        waits_.await(lock, operation.name, operation.aim.target, operation.aim, [&] {
            if (is_gone())
                return true;
            fill_frames(target, kMostWaitingFrames);
            return is_framed(operation);
        });
    } catch (...) {
        if (!is_gone())
            give_up_rest(operation);
        throw;
    }
}

// What it fetches is not wanted any more.
void QueuedOperations::forget_before(QueuedOperation& operation) noexcept
{
    operation.before = nullptr;
    operation.before_layout = {};
    if (operation.fetches)
        operation.rows.clear();
}

// Nothing more of it is sent.
void QueuedOperations::give_up_rest(QueuedOperation& operation) noexcept
{
    operation.bytes = operation.framed;
    forget_before(operation);
}

// What the transport does not take yet stays here, where it need not be copied. An answer brings it on.
bool QueuedOperations::sends_now(int rank, std::size_t most_frames, bool all) const noexcept
{
    const Target& target = of(rank);
    const std::size_t under_way = target.under_way.size();
    if (target.waiting.empty() || under_way >= most_frames)
        return false;
    if (target.expects_answer() && window_.process().protocol().has_unsent_frames(window_.world_rank(rank)))
        return false;
    return all || under_way < kFramesAtOnce || target.waiting.front().is_full;
}

// `all`: frames that are not full, too.
void QueuedOperations::send(int rank, std::size_t most_frames, bool all)
{
    Target& target = of(rank);
    bool has_sent = false;
    fill_frames(target, 1);
    if (target.has_enough())
        return;
    for (unsigned left = kFramesATurn; left != 0 && sends_now(rank, most_frames, all); --left) {
        target.under_way.push_back(std::move(target.waiting.front()));
        target.waiting.pop_front();
        fill_frames(target, 1);
        Frame& frame = target.under_way.back();
        const bool is_last = left == 1 || !sends_now(rank, most_frames, all);
        const bool asks = frame.fetched_bytes != 0 || frame.id % kFramesAnAnswer == 0 || is_last;
        if (asks)
            target.last_asked = frame.id;
        expect(rank, frame);
        window_.send_soon(rank, WindowHeader::What::operations, frame.id, asks ? 1 : 0,
                          {frame.payload.get(), frame.payload_bytes});
        has_sent = true;
        if (spare_payloads_.size() < kMostSpare)
            spare_payloads_.push_back(std::move(frame.payload));
        frame.payload.reset();
    }
    if (has_sent)
        window_.flush(rank);
}

// As much of the queue as so many waiting frames take.
void QueuedOperations::fill_frames(Target& target, std::size_t most_waiting)
{
    while (target.has_unframed()) {
        QueuedOperation& operation = target.operations[target.framed_operations];
        if (!is_framed(operation)) {
            if (target.waiting.empty() || target.waiting.back().is_full) {
                if (target.waiting.size() >= most_waiting)
                    return;
                new_frame(target);
            }
            Frame& frame = target.waiting.back();
            frame.is_full = !add_part(target, frame, operation);
            if (!is_framed(operation))
                continue;
        }
        ++target.framed_operations;
        if (operation.copy != nullptr) {
            target.copied_bytes -= operation.bytes;
            operation.copy.reset();
        }
        if (!operation.fetches)
            is_complete_here(operation);
    }
}

QueuedOperations::Frame& QueuedOperations::new_frame(Target& target)
{
    Frame& frame = target.waiting.emplace_back();
    if (!spare_.empty()) {
        frame = std::move(spare_.back());
        spare_.pop_back();
    }
    frame.id = ++target.frames;
    if (spare_payloads_.empty()) {
        frame.payload = std::make_unique_for_overwrite<std::byte[]>(kMostWindowBytes);
    } else {
        frame.payload = std::move(spare_payloads_.back());
        spare_payloads_.pop_back();
    }
    return frame;
}

std::span<std::byte> QueuedOperations::place_of(int rank, std::uint64_t id, std::size_t payload_bytes)
{
    const auto frame = std::ranges::find(of(rank).under_way, id, &Frame::id);
    if (frame == of(rank).under_way.end() || frame->parts.size() != 1 ||
        frame->parts.front().bytes != payload_bytes)
        return {};
    std::byte* const place = place_of(frame->parts.front());
    if (place == nullptr)
        return {};
    of(rank).is_arriving = true;
    return {place, payload_bytes};
}

// Where the program wants what the part reads, if that is in a row; else nullptr.
std::byte* QueuedOperations::place_of(const Part& part) noexcept
{
    const QueuedOperation& operation = *part.of;
    if (!operation.fetches || operation.has_data)
        return nullptr;
    if (!operation.rows.empty())
        return part.bytes <= operation.runs[part.run].bytes - part.begin_of_run
                   ? operation.rows[part.run] + part.begin_of_run
                   : nullptr;
    return operation.before_layout || operation.before == nullptr ? nullptr : operation.before + part.begin;
}

// The answer to a frame that is sent.
void QueuedOperations::expect(int rank, Frame& frame)
{
    frame.brings_much = frame.parts.size() == 1 && frame.fetched_bytes >= protocol::kLongBytes &&
                        place_of(frame.parts.front()) != nullptr;
    if (frame.brings_much)
        ++window_.process().protocol().long_to_come(window_.world_rank(rank));
}

// It has been answered, or nothing answers it any more.
void QueuedOperations::end_frame(int rank, Frame& frame) noexcept
{
    if (std::exchange(frame.brings_much, false))
        --window_.process().protocol().long_to_come(window_.world_rank(rank));
}

void QueuedOperations::spare(Frame& frame) noexcept
{
    frame.parts.clear();
    frame.fetched_bytes = frame.payload_bytes = 0;
    frame.is_full = false;
    if (spare_.size() < kMostSpare)
        spare_.push_back(std::move(frame));
}

// False: it takes no more.
bool QueuedOperations::add_part(const Target& target, Frame& frame, QueuedOperation& operation)
{
    const std::size_t begin = operation.framed;
    const std::size_t first = operation.run;
    const std::size_t begin_of_first = operation.framed_of_run;
    const std::size_t part = gather_runs(target.frame_bytes, frame, operation);
    if (part == 0)
        return false;
    const bool is_piece = operation.kind == WindowOperation::Kind::rows && part < operation.runs[first].bytes;
    if (is_piece)
        runs_.push_back(operation.runs[first]);
    const WindowOperation head{operation.update,
                               operation.kind,
                               operation.fetches,
                               is_piece,
                               static_cast<std::uint32_t>(runs_.size()),
                               part};
    std::byte* const to = frame.payload.get() + frame.payload_bytes;
    const std::size_t runs_bytes = runs_.size() * sizeof(TargetRun);
    std::memcpy(to, &head, sizeof head);
    std::memcpy(to + sizeof head, runs_.data(), runs_bytes);
    std::span<std::byte> data{to + sizeof head + runs_bytes, head.data_bytes()};
    if (operation.has_data && !operation.rows.empty())
        copy_rows(operation, first, begin_of_first, data);
    else if (operation.has_data)
        copy_data(operation, begin, data);
    frame.payload_bytes += aligned_in_frame(sizeof head + runs_bytes + head.data_bytes());
    frame.parts.push_back({&operation, begin, part, first, begin_of_first});
    if (operation.fetches)
        frame.fetched_bytes += part;
    operation.framed += part;
    operation.last_frame = frame.id;
    return is_framed(operation);
}

// The runs of the operation's next part, as much as the frame and its answer take. Returns their bytes.
std::size_t QueuedOperations::gather_runs(std::size_t frame_bytes, const Frame& frame,
                                          QueuedOperation& operation)
{
    const bool are_rows = operation.kind == WindowOperation::Kind::rows;
    runs_.clear();
    std::size_t part = 0;
    while (operation.framed + part < operation.bytes) {
        const std::size_t used = frame.payload_bytes + sizeof(WindowOperation) +
                                 (runs_.size() + 1 + are_rows) * sizeof(TargetRun) +
                                 (operation.has_data ? part : 0);
        const std::size_t answered = operation.fetches ? frame.fetched_bytes + part : 0;
        const std::size_t full = std::max(used, answered);
        const std::size_t room = full < frame_bytes ? (frame_bytes - full) / kUnit * kUnit : 0;
        const TargetRun& run = run_of(operation);
        const std::size_t bytes = std::min<std::size_t>(room, run.bytes - operation.framed_of_run);
        // A row is cut only where it is too long for a frame of its own, and then it shares none.
        const bool shares = !frame.parts.empty() || part != 0;
        if (bytes == 0 || (are_rows && shares && bytes < run.bytes))
            break;
        runs_.push_back({run.offset + operation.framed_of_run, bytes});
        part += bytes;
        operation.framed_of_run += bytes;
        if (operation.framed_of_run == run.bytes) {
            ++operation.run;
            operation.framed_of_run = 0;
        }
        if (are_rows && bytes < run.bytes)
            break;
    }
    return part;
}

void QueuedOperations::is_complete_here(QueuedOperation& operation) noexcept
{
    if (std::exchange(operation.is_open_here, false))
        open_here_.fetch_sub(1, std::memory_order_release);
    if (WindowRequest* const request = std::exchange(operation.request, nullptr))
        request->succeed();
}

void QueuedOperations::end_first(Target& target) noexcept
{
    QueuedOperation& first = target.operations.front();
    if (first.failure && first.request != nullptr)
        std::exchange(first.request, nullptr)->fail(first.failure);
    else if (first.failure)
        note_failure(target, first.failure);
    is_complete_here(first);
    target.operations.pop_front();
    --target.framed_operations;
    ++target.completed;
    open_.fetch_sub(1, std::memory_order_release);
    if (--operations_ == 0)
        window_.process().engine().request_ended();
}

void QueuedOperations::take_done(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    Target& target = of(rank);
    target.is_arriving = false;
    while (!target.under_way.empty() && target.under_way.front().id <= header.id) {
        Frame& frame = target.under_way.front();
        end_frame(rank, frame);
        if (frame.fetched_bytes != (frame.id == header.id ? payload.size() : 0))
            protocol::corrupt(window_.world_rank(rank), "an answer that was not asked for");
        std::size_t taken = 0;
        for (const Part& part : frame.parts) {
            if (!part.of->fetches)
                continue;
            if (!part.of->rows.empty())
                fill_rows(*part.of, part.run, part.begin_of_run, payload.subspan(taken, part.bytes));
            else
                fill(*part.of, part.begin, payload.subspan(taken, part.bytes));
            taken += part.bytes;
        }
        spare(frame);
        target.under_way.pop_front();
    }
    while (target.framed_operations != 0 && target.operations.front().last_frame <= header.id)
        end_first(target);
    send(rank, kMostFrames, false);
}

void QueuedOperations::take_refusal(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    TargetRun run;
    QueuedOperation& refused = failed(rank, header);
    if (payload.size() != sizeof run)
        protocol::corrupt(window_.world_rank(rank), "a refusal of the wrong length");
    std::memcpy(&run, payload.data(), sizeof run);
    if (!refused.failure)
        refused.failure = caught([&] { attachments_.refuse(refused.name, rank, run.offset, run.bytes); });
}

void QueuedOperations::take_failure(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    QueuedOperation& failing = failed(rank, header);
    if (!failing.failure)
        failing.failure = std::make_exception_ptr(
            RuleFailure(rank, {reinterpret_cast<const char*>(payload.data()), payload.size()}));
}

QueuedOperation& QueuedOperations::failed(int rank, const WindowHeader& header)
{
    const auto frame = std::ranges::find(of(rank).under_way, header.id, &Frame::id);
    if (frame == of(rank).under_way.end() || header.detail >= frame->parts.size())
        protocol::corrupt(window_.world_rank(rank), "a refusal of what was not asked for");
    QueuedOperation& operation = *frame->parts[header.detail].of;
    forget_before(operation);
    return operation;
}

void QueuedOperations::complete(EngineLock& lock, std::string_view collector, int rank, bool only_here)
{
    const auto is_meant = [&](int each) { return rank == WindowIdentity::kAnyRank || rank == each; };
    for (int each = 0; each < window_.size(); ++each)
        if (is_meant(each))
            send(each, kMostFrames, true);
    std::exception_ptr first;
    for (int each = 0; each < window_.size() && !all_complete(); ++each) {
        if (!is_meant(each))
            continue;
        std::exception_ptr failed = caught([&] { complete_at(lock, collector, each, only_here); });
        if (const std::exception_ptr why = take_failure(of(each)))
            failed = why;
        if (failed && !first)
            first = failed;
    }
    if (first)
        std::rethrow_exception(first);
}

// One operation after the other, as reports name the one that is waited for.
void QueuedOperations::complete_at(EngineLock& lock, std::string_view collector, int rank, bool only_here)
{
    Target& target = of(rank);
    const auto next = [&] {
        return std::ranges::find_if(
            target.operations, [&](const QueuedOperation& each) { return !only_here || each.is_open_here; });
    };
    for (auto open = next(); open != target.operations.end(); open = next()) {
        const std::uint64_t number = open->number;
        WindowAim aim = open->aim;
        aim.collector = collector;
        waits_.await(lock, open->name, rank, aim, [&] {
            send(rank, kMostFrames, true);
            return target.completed >= number ||
                   (only_here && !target.operations[number - target.completed - 1].is_open_here);
        });
    }
}

void QueuedOperations::note_failure(Target& target, std::exception_ptr why) noexcept
{
    if (target.failure)
        return;
    target.failure = std::move(why);
    open_.fetch_add(1, std::memory_order_relaxed);
    open_here_.fetch_add(1, std::memory_order_relaxed);
}

std::exception_ptr QueuedOperations::take_failure(Target& target) noexcept
{
    if (target.failure) {
        open_.fetch_sub(1, std::memory_order_release);
        open_here_.fetch_sub(1, std::memory_order_release);
    }
    return std::exchange(target.failure, nullptr);
}

// Each request has an error of its own, and the others have one together.
template <class Failure>
void QueuedOperations::fail_all(int rank, Failure&& failure_of)
{
    Target& target = of(rank);
    if (std::exchange(target.is_arriving, false))
        window_.process().protocol().release_place(window_.world_rank(rank));
    for (Frame& frame : target.under_way)
        end_frame(rank, frame);
    target.under_way.clear();
    target.waiting.clear();
    target.copied_bytes = 0;
    target.framed_operations = target.operations.size();
    while (!target.operations.empty()) {
        QueuedOperation& first = target.operations.front();
        if (!first.failure && (first.request != nullptr || !target.failure))
            first.failure = failure_of(first);
        end_first(target);
    }
}

void QueuedOperations::fail_lost(int rank)
{
    fail_all(rank, [&](const QueuedOperation& operation) {
        return waits_.loss(operation.name, rank,
                           "before it had answered " + in_words(window_, operation.name, operation.aim));
    });
}

void QueuedOperations::fail_for_lost()
{
    if (all_complete())
        return;
    for (int rank = 0; rank < window_.size(); ++rank)
        if (!of(rank).operations.empty() && window_.process().protocol().is_lost(window_.world_rank(rank)))
            fail_lost(rank);
}

void QueuedOperations::abandon() noexcept
{
    for (int rank = 0; rank < window_.size(); ++rank)
        fail_all(rank, [&](const QueuedOperation& operation) {
            return std::make_exception_ptr(
                Error(ErrorCode::cancelled, operation.name,
                      fmt::format("{}: the window has ended before the operation", window_.name()),
                      operation.aim.target));
        });
}

void QueuedOperations::add_awaited(std::set<int>& ranks) const
{
    for (int rank = 0; rank < window_.size(); ++rank)
        if (!of(rank).operations.empty())
            window_.add_to(ranks, rank);
}

const QueuedOperation* QueuedOperations::awaited() const noexcept
{
    for (const Target& target : targets_)
        for (const QueuedOperation& each : target.operations)
            if (each.request != nullptr && each.request->awaited)
                return &each;
    return nullptr;
}

}  // namespace tutti::detail
