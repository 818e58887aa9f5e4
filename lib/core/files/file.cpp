#include "lib/core/files/file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/files/exchange.hpp"
#include "lib/core/files/in_file_system.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/base/error_detail.hpp"

namespace tutti::detail {

namespace {

using observe::FileCall;

std::uint32_t bits_of(const FileModes& modes) noexcept
{
    std::uint32_t bits = 0;
    for (const bool mode : {modes.reads, modes.writes, modes.creates, modes.is_new, modes.is_temporary,
                            modes.appends, modes.is_sequential, modes.empties})
        bits = bits << 1 | std::uint32_t{mode};
    return bits;
}

void check_opening(const FileOpening& opening, const FileHints& hints)
{
    const FileModes& modes = opening.modes;
    const auto refuse = [&](FileFault fault, std::string_view why) {
        throw FileError(fault, "open", fmt::format("{}: {}", opening.path, why));
    };
    if (path_in(opening.path).empty())
        throw FileError(FileFault::bad_name, "open", "the path is empty; name a file");
    if (path_in(opening.path).find('\0') != std::string_view::npos)
        throw FileError(FileFault::bad_name, "open", "the path has a byte of value 0");
    if (!modes.reads && !modes.writes)
        refuse(FileFault::mode, "open it to read, to write, or for both");
    if (!modes.writes && (modes.creates || modes.is_new || modes.empties))
        refuse(FileFault::mode, "a file that is only read is not created or emptied; open it to write, too");
    if (modes.is_sequential && modes.reads && modes.writes)
        refuse(FileFault::mode, "a sequential file is read or written, not both");
    if (hints.buffer_bytes == 0 || hints.alignment == 0 || hints.aggregators < 0)
        refuse(FileFault::argument, "sizes in hints are at least 1, and no number is negative");
}

// Does something of a file that may keep this rank in the kernel.
template <class Act>
FileTrouble in_file_system(const CommunicatorState& communicator, observe::FileCall call, Act&& act)
{
    const InFileSystem here(communicator, call);
    return act();
}

// Errors of what the ranks of a file do together, a lost rank for example, get its name.
template <class Act>
auto named(std::string_view call, std::string_view path, Act&& act)
{
    try {
        return act();
    } catch (const FileError&) {
        throw;
    } catch (const WithdrawnError&) {
        throw;
    } catch (const Error& error) {
        throw Error(error.code(), call, fmt::format("{}: {}", path, base::detail_of(error)), error.peer());
    }
}

// When all ranks are known to give the same.
void check_size(std::string_view call, std::string_view path, std::int64_t bytes)
{
    if (bytes < 0)
        throw FileError(FileFault::argument, call,
                        fmt::format("{}: the size is {}; it must not be negative", path, bytes));
}

// How a rank's open has gone. Plain bytes.
struct Opened {
    FileTrouble trouble;
    OpenFile::Identity identity;
    bool is_local = false;
    bool maps_peers = false;
};

void check_modes(const OpenFile& file, const std::vector<std::uint32_t>& all)
{
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != all[0])
            throw FileError(FileFault::not_same, "open",
                            fmt::format("{}: ranks 0 and {} give different modes; give all ranks the same",
                                        file.path(), i),
                            static_cast<int>(i));
}

void check_opened(const OpenFile& file, const std::vector<Opened>& all)
{
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int rank = static_cast<int>(i);
        if (all[i].trouble)
            file.fail("open", "cannot open", all[i].trouble, rank);
        // Another host may number the device otherwise.
        if (all[i].identity.number != all[0].identity.number)
            throw FileError(FileFault::not_same, "open",
                            fmt::format("{}: rank {} opens another file than rank 0; name one that all their "
                                        "hosts share",
                                        file.path(), rank),
                            rank);
    }
}

}  // namespace

std::shared_ptr<File> File::open(const StatePointer& communicator, const FileOpening& opening,
                                 const FileHints& hints)
{
    check_opening(opening, hints);
    return named("open", path_in(opening.path), [&] { return open_together(communicator, opening, hints); });
}

std::shared_ptr<File> File::open_together(const StatePointer& communicator, const FileOpening& opening,
                                          const FileHints& hints)
{
    OpenFile file(opening);
    const bool is_first = communicator->rank() == 0;
    Opened own;
    // The file is created and emptied only for ranks that agree, and not before all have come.
    check_modes(file, gathered(communicator, bits_of(opening.modes)));
    if (is_first)
        own.trouble = in_file_system(*communicator, FileCall::open, [&] { return file.open(false); });
    if (const FileTrouble trouble = of_first(communicator, own.trouble))
        file.fail("open", "cannot open", trouble, is_first ? Error::kNoPeer : 0);
    if (!is_first)
        own.trouble = in_file_system(*communicator, FileCall::open, [&] { return file.open(true); });
    own.identity = file.identity();
    own.is_local = file.is_local();
    std::int64_t begin = 0;
    if (is_first && opening.modes.appends)
        own.trouble = file.find_size(begin);
    SharedPointer pointer(communicator, begin);
    own.maps_peers = pointer.maps_peers();
    const std::vector<Opened> all = gathered(pointer.communicator(), own);
    try {
        check_opened(file, all);
    } catch (...) {
        pointer.free();
        throw;
    }
    pointer.communicator()->set_name("file " + file.path().substr(file.path().rfind('/') + 1));
    std::shared_ptr<File> made(new File(std::move(file), std::move(pointer), hints));
    made->ranks_ = FileRanks::of(*made->communicator(), std::ranges::all_of(all, &Opened::maps_peers),
                                 std::ranges::all_of(all, &Opened::is_local), hints.aggregators);
    if (opening.modes.appends)
        made->position_ = made->size();
    return made;
}

File::File(OpenFile file, SharedPointer pointer, const FileHints& hints)
    : file_(std::move(file)), pointer_(std::move(pointer)), hints_(hints)
{
}

void File::close()
{
    named("close", path(), [&] { close_together(); });
}

void File::close_together()
{
    if (turns_ != nullptr)
        set_atomic(false);
    const FileTrouble own = in_file_system(*communicator(), FileCall::close, [&] { return file_.close(); });
    std::exception_ptr failure = caught([&] { agree("close", "cannot close", 0, own); });
    if (file_.modes().is_temporary && communicator()->rank() == 0 && unlink(path().c_str()) != 0 && !failure)
        failure = caught([&] { file_.fail("close", "cannot remove", {errno}); });
    pointer_.free();
    if (failure)
        std::rethrow_exception(failure);
}

void File::remove(std::string_view name)
{
    const std::string path(path_in(name));
    if (unlink(path.c_str()) != 0)
        fail_with_path("remove", "cannot remove", path, {errno});
}

void File::set_hints(const FileHints& hints)
{
    hints_ = hints;
    ranks_ = FileRanks::of(*communicator(), ranks_->maps_peers, ranks_->is_local, hints.aggregators);
}

// ---- the view

void File::set_view(ViewMap view, std::size_t etype_bytes, std::uint32_t representation)
{
    view_ = std::move(view);
    etype_bytes_ = etype_bytes;
    representation_ = representation;
    ++view_number_;
    const std::lock_guard lock(pointer_mutex_);
    position_ = 0;
}

std::uint64_t File::view_kind() const noexcept
{
    return std::uint64_t{representation_} << 48 ^ etype_bytes_;
}

std::int64_t File::byte_of(std::int64_t offset) const
{
    std::uint64_t byte = 0;
    if (offset < 0 || __builtin_mul_overflow(static_cast<std::uint64_t>(offset), etype_bytes_, &byte))
        throw FileError(FileFault::argument, "byte_of",
                        fmt::format("{}: {} is no offset in a view", path(), offset));
    try {
        return view_.place_of(byte);
    } catch (const std::overflow_error&) {
        throw FileError(FileFault::argument, "byte_of",
                        fmt::format("{}: offset {} of the view is at no place that a file can have", path(),
                                    offset));
    }
}

std::int64_t File::etypes_of(const View& memory) const noexcept
{
    return static_cast<std::int64_t>(memory.size_bytes / etype_bytes_);
}

// ---- pointers

std::int64_t File::end_in_etypes(std::string_view call) const
{
    std::int64_t bytes = 0;
    if (const FileTrouble trouble = file_.find_size(bytes))
        file_.fail(call, "cannot ask for the size of", trouble);
    const std::uint64_t before = view_.bytes_before(bytes);
    return static_cast<std::int64_t>((before + etype_bytes_ - 1) / etype_bytes_);
}

std::int64_t File::target_of(std::string_view call, std::int64_t offset, FileWhence whence,
                             std::int64_t current) const
{
    std::int64_t from = 0;
    if (whence != FileWhence::start)
        from = whence == FileWhence::current ? current : end_in_etypes(call);
    std::int64_t target = 0;
    if (__builtin_add_overflow(from, offset, &target) || target < 0)
        throw FileError(FileFault::argument, call,
                        fmt::format("{}: the pointer would be at offset {} + {}, in front of the view", path(), from,
                                    offset));
    return target;
}

std::int64_t File::position() const
{
    const std::lock_guard lock(pointer_mutex_);
    return position_;
}

void File::seek(std::int64_t offset, FileWhence whence)
{
    const std::lock_guard lock(pointer_mutex_);
    position_ = target_of("seek", offset, whence, position_);
}

std::int64_t File::shared_position()
{
    return pointer_.value(view_number_);
}

void File::seek_shared(std::int64_t offset, FileWhence whence)
{
    std::int64_t target = -1;
    const std::exception_ptr failure =
        caught([&] { target = target_of("seek_shared", offset, whence, shared_position()); });
    // All have read the pointer before it moves.
    agree("seek_shared", "cannot seek in", offset, {});
    if (failure)
        std::rethrow_exception(failure);
    if (communicator()->rank() == 0)
        pointer_.set(view_number_, target);
    call_barrier(communicator(), Form::blocking, {});
}

std::int64_t File::take_offset(const FileAccess& access, std::int64_t etypes)
{
    switch (access.place) {
        case FileAccess::Place::given:
            return access.offset;
        case FileAccess::Place::own: {
            const std::lock_guard lock(pointer_mutex_);
            return std::exchange(position_, position_ + etypes);
        }
        case FileAccess::Place::shared:
            break;
    }
    return access.together ? take_ordered(etypes) : pointer_.add(view_number_, etypes);
}

// The ranks' parts lie in their order.
std::int64_t File::take_ordered(std::int64_t etypes)
{
    const std::vector<std::int64_t> all = gathered(communicator(), etypes);
    std::int64_t before = 0;
    std::int64_t sum = 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        before += static_cast<int>(rank) < communicator()->rank() ? all[rank] : 0;
        sum += all[rank];
    }
    const std::int64_t begin = communicator()->rank() == 0 ? pointer_.add(view_number_, sum) : 0;
    return of_first(communicator(), begin) + before;
}

// ---- the whole file

void File::agree(std::string_view call, std::string_view doing, std::int64_t argument,
                 const FileTrouble& own) const
{
    struct Part {
        FileTrouble trouble;
        std::int64_t argument;
    };
    const std::vector<Part> all = named(call, path(), [&] {
        return gathered(communicator(), Part{own, argument});
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int rank = static_cast<int>(i);
        if (all[i].argument != all[0].argument)
            throw FileError(FileFault::not_same, call,
                            fmt::format("{}: rank 0 gives {}, and rank {} gives {}; give all ranks the same", path(),
                                        all[0].argument, rank, all[i].argument),
                            rank);
        if (all[i].trouble)
            file_.fail(call, doing, all[i].trouble, rank);
    }
}

std::int64_t File::size() const
{
    std::int64_t bytes = 0;
    if (const FileTrouble trouble = file_.find_size(bytes))
        file_.fail("size", "cannot ask for the size of", trouble);
    return bytes;
}

void File::set_size(std::int64_t bytes)
{
    // Accesses of other ranks before this call come before the change.
    call_barrier(communicator(), Form::blocking, {});
    const bool acts = communicator()->rank() == 0 && bytes >= 0;
    FileTrouble own;
    if (acts)
        own = in_file_system(*communicator(), FileCall::size, [&] { return file_.set_size(bytes); });
    agree("set_size", "cannot set the size of", bytes, own);
    check_size("set_size", path(), bytes);
}

void File::preallocate(std::int64_t bytes)
{
    const bool acts = communicator()->rank() == 0 && bytes >= 0;
    FileTrouble own;
    if (acts)
        own = in_file_system(*communicator(), FileCall::size, [&] { return file_.preallocate(bytes); });
    agree("preallocate", "cannot allocate room for", bytes, own);
    check_size("preallocate", path(), bytes);
}

void File::sync()
{
    // The disk begins with what this rank has written, while others still write.
    in_file_system(*communicator(), FileCall::sync, [&] {
        file_.begin_sync();
        return FileTrouble{};
    });
    call_barrier(communicator(), Form::blocking, {});
    // One rank of each node waits for the disk: its kernel has the pages of all.
    const collectives::Placement placement = communicator()->placement();
    const int rank = communicator()->rank();
    const bool acts = placement.nodes == nullptr
                          ? rank == 0 || !placement.one_node
                          : placement.nodes->leaders()[static_cast<std::size_t>(placement.nodes->node_of(rank))] == rank;
    FileTrouble own;
    if (acts)
        own = in_file_system(*communicator(), FileCall::sync, [&] { return file_.sync(); });
    agree("sync", "cannot bring to the disk", 0, own);
}

void File::set_atomic(bool atomic)
{
    agree("set_atomic", "cannot set the mode of", atomic, {});
    if (atomic == is_atomic())
        return;
    if (!atomic) {
        turns_->free();
        turns_.reset();
        return;
    }
    turns_ = Window::make(communicator(), WindowFlavor::allocate, {});
    turns_->set_name("the atomic mode of a file");
}

}  // namespace tutti::detail
