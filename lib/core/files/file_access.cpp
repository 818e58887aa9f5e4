// How a file is accessed: alone or together, at once or as a request.
#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/communicators/run_collective.hpp"
#include "lib/core/files/file.hpp"
#include "lib/core/files/file_worker.hpp"
#include "lib/core/files/in_file_system.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/lend.hpp"

namespace tutti::detail {

namespace {

using collectives::CallKind;
using collectives::Group;
using collectives::Task;
using observe::FileCall;

Task move_alone(Group& group, const CommunicatorState& communicator, FileTransfer& transfer)
{
    FileOutcome outcome;
    Task moved = move_bytes(group, communicator, transfer.worker, transfer.writes, transfer.memory.size_bytes,
                            [&] { outcome = transfer.move(); });
    co_await moved;
    transfer.end(outcome);
}

// The call of all ranks, and this rank's part in it.
void announce(Group& group, const CollectiveAccess& access)
{
    static_cast<CommunicatorGroup&>(group).show_bytes(access.transfer.memory.size_bytes);
    group.announce(access.call());
}

// What a request moves.
struct AlonePlan {
    std::shared_ptr<FileTransfer> transfer;
    std::shared_ptr<const File> file;

    Task operator()(Group& group) const
    {
        // By a group of this rank alone: reports know the file by its own communicator.
        const CommunicatorState& communicator = *file->communicator();
        static_cast<CommunicatorGroup&>(group).show(
            file_call_words(communicator, transfer->writes ? FileCall::write_request : FileCall::read_request,
                            transfer->memory.size_bytes));
        group.announce({.kind = transfer->writes ? CallKind::write_file : CallKind::read_file});
        return move_alone(group, communicator, *transfer);
    }
    std::size_t moved_bytes() const noexcept { return transfer->moved; }
};

// An access that has ended already.
struct EndedPlan {
    std::size_t moved;

    Task operator()(Group&) const { return end(); }
    std::size_t moved_bytes() const noexcept { return moved; }

private:
    static Task end() { co_return; }
};

struct TogetherPlan {
    std::shared_ptr<CollectiveAccess> access;
    std::shared_ptr<const File> file;

    Task operator()(Group& group) const
    {
        announce(group, *access);
        return move_together(group, *access);
    }
    std::size_t moved_bytes() const noexcept { return access->transfer.moved; }
};

}  // namespace

/// In atomic mode: no other rank accesses the file meanwhile.
struct File::Turn {
    explicit Turn(File& file) : held(file.turn_mutex_, std::defer_lock), window(file.turns_.get())
    {
        if (window == nullptr)
            return;
        held.lock();
        window->lock(WindowLock::exclusive, 0);
    }
    ~Turn()
    {
        if (window != nullptr)
            window->unlock(0);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    std::unique_lock<std::mutex> held;
    Window* window;
};

void File::check(std::string_view call, const FileAccess& access, const View& memory) const
{
    const auto refuse = [&](FileFault fault, const std::string& why) {
        throw FileError(fault, call, fmt::format("{}: {}", path(), why));
    };
    const FileModes modes = file_.modes();
    if (access.writes ? !modes.writes : !modes.reads)
        refuse(access.writes ? FileFault::read_only : FileFault::no_permission,
               fmt::format("the file was not opened to be {}", access.writes ? "written" : "read"));
    if (modes.is_sequential && access.place != FileAccess::Place::shared)
        refuse(FileFault::unsupported, "a sequential file is accessed by the shared pointer only");
    if (access.place == FileAccess::Place::given && access.offset < 0)
        refuse(FileFault::argument, fmt::format("the offset is {}; it is at least 0", access.offset));
    if (memory.size_bytes % etype_bytes_ != 0)
        refuse(FileFault::argument, fmt::format("{} bytes are no whole number of etypes, which have {}",
                                                memory.size_bytes, etype_bytes_));
}

FileTransfer File::transfer_of(std::string_view call, bool writes, std::int64_t offset, const View& memory,
                               FileWorker* worker) const
{
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    try {
        if (__builtin_mul_overflow(static_cast<std::uint64_t>(offset), etype_bytes_, &from) ||
            __builtin_add_overflow(from, memory.size_bytes, &to))
            throw std::overflow_error("an offset");
        if (from != to)
            static_cast<void>(view_.place_of(to - 1));
    } catch (const std::overflow_error&) {
        throw FileError(FileFault::argument, call,
                        fmt::format("{}: {} bytes at offset {} of the view are at no place that a file can have", path(),
                                    memory.size_bytes, offset));
    }
    if (writes && !view_.ascends(to))
        throw FileError(
            FileFault::argument, call,
            fmt::format(
                "{}: {} bytes at offset {} reach behind the view's first repetition, and what follows "
                "overlaps it; write less, or give the filetype a larger extent with "
                "MPI_Type_create_resized",
                path(), memory.size_bytes, offset));
    FileTransfer transfer{file_, call, view_, writes, from, memory, datatype::TypemapRef(memory.layout),
                          worker};
    transfer.choose_way();
    return transfer;
}

CollectiveAccess File::collective_of(std::string_view call, const FileAccess& access, const View& memory,
                                     FileWorker* worker, std::exception_ptr refusal)
{
    // A rank that cannot take part says so to the others, who are on their way already.
    if (!refusal)
        refusal = caught([&] { check(call, access, memory); });
    const std::int64_t etypes = refusal ? 0 : etypes_of(memory);
    std::int64_t offset = 0;
    if (!refusal || access.place == FileAccess::Place::shared)
        offset = take_offset(access, etypes);
    std::optional<FileTransfer> transfer;
    if (!refusal)
        refusal = caught([&] { transfer.emplace(transfer_of(call, access.writes, offset, memory, worker)); });
    if (refusal)
        transfer.emplace(transfer_of(call, access.writes, 0, {memory.data, 0, nullptr, nullptr}, worker));
    return {*transfer, *communicator(), ranks_, hints_, view_kind(), refusal};
}

// Blocks.
FileOutcome File::move_in_turn(const FileTransfer& transfer)
{
    const Turn turn(*this);
    const InFileSystem here(*communicator(), transfer.what(), transfer.memory.size_bytes);
    return transfer.move();
}

std::size_t File::access(std::string_view call, const FileAccess& access, const View& memory,
                         const std::exception_ptr& refusal)
{
    if (access.together) {
        progress::Engine& engine = communicator()->process().engine();
        FileWorker* const worker = engine.is_shared() ? &communicator()->process().files() : nullptr;
        CollectiveAccess together = collective_of(call, access, memory, worker, refusal);
        const auto run_part = [&](auto&& part) {
            run_blocking(*communicator(), [&](Group& group) {
                announce(group, together);
                return part(group);
            });
        };
        if (!is_atomic()) {
            run_part([&](Group& group) { return move_together(group, together); });
            return together.transfer.moved;
        }
        run_part([&](Group& group) { return check_together(group, together); });
        const FileOutcome outcome = move_in_turn(together.transfer);
        run_blocking(*communicator(), [&](Group& group) {
            group.announce(together.call());
            return end_together(group, together, outcome);
        });
        return together.transfer.moved;
    }
    if (refusal)
        std::rethrow_exception(refusal);
    check(call, access, memory);
    FileTransfer transfer =
        transfer_of(call, access.writes, take_offset(access, etypes_of(memory)), memory, nullptr);
    transfer.end(move_in_turn(transfer));
    return transfer.moved;
}

CallHandle File::begin(std::string_view call, const FileAccess& access, const View& memory,
                       const std::exception_ptr& refusal)
{
    const StatePointer& self = communicator()->process().self();
    FileWorker* const worker = &communicator()->process().files();
    if (is_atomic())
        return run(self, Form::nonblocking, EndedPlan{this->access(call, access, memory, refusal)});
    if (access.together)
        return run(communicator(), Form::nonblocking,
                   TogetherPlan{std::make_shared<CollectiveAccess>(
                                    collective_of(call, access, memory, worker, refusal)),
                                shared_from_this()});
    if (refusal)
        std::rethrow_exception(refusal);
    check(call, access, memory);
    const std::int64_t offset = take_offset(access, etypes_of(memory));
    return run(
        self, Form::nonblocking,
        AlonePlan{std::make_shared<FileTransfer>(transfer_of(call, access.writes, offset, memory, worker)),
                  shared_from_this()});
}

Request File::start(std::string_view call, const FileAccess& access, const View& memory,
                    const std::exception_ptr& refusal)
{
    Process& process = communicator()->process();
    const CallHandle begun = begin(call, access, memory, refusal);
    if (process.checker() == nullptr) [[likely]]
        return begun.request();
    const ConstView lent = memory;
    return lend_checked(process, begun, {&lent, 1},
                        fmt::format("{} of {} bytes, file {}", call, memory.size_bytes, path()))
        .request();
}

}  // namespace tutti::detail
