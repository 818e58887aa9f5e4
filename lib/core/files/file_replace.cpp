// A file that is written beside another one, and takes its place when all ranks have written.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/files/file.hpp"
#include "lib/foundation/base/unique_fd.hpp"
#include "tutti/communicator.hpp"

namespace tutti::detail {

namespace {

constexpr const char* kSuffix = ".new";

// The file that a rename has to replace: not the link that leads there.
std::string resolved(std::string_view name)
{
    const std::string path(path_in(name));
    std::error_code none;
    const std::filesystem::path real = std::filesystem::canonical(path, none);
    return none ? path : real.string();
}

std::string folder_of(const std::string& path)
{
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

// A lock of the new file, so that two jobs do not write it at once. File systems without locks have none.
FileTrouble lock_new(const std::string& path, base::UniqueFd& held)
{
    while (true) {
        held.reset(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (!held)
            return {errno};
        if (flock(held.get(), LOCK_EX | LOCK_NB) != 0)
            return errno == EWOULDBLOCK ? FileTrouble{EBUSY} : FileTrouble{};
        struct stat locked {};
        struct stat named {};
        // The other job has given the file that we have locked its name meanwhile.
        if (fstat(held.get(), &locked) != 0)
            return {errno};
        if (stat(path.c_str(), &named) == 0 && locked.st_dev == named.st_dev && locked.st_ino == named.st_ino)
            return {};
    }
}

FileTrouble rename_durably(const std::string& from, const std::string& to, int descriptor)
{
    struct stat old {};
    if (stat(to.c_str(), &old) == 0 && fchmod(descriptor, old.st_mode & 07777) != 0 && errno != EPERM)
        return {errno};
    if (std::rename(from.c_str(), to.c_str()) != 0)
        return {errno};
    const base::UniqueFd folder(open(folder_of(to).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder || (fsync(folder.get()) != 0 && errno != EINVAL && errno != EROFS))
        return {errno};
    return {};
}

// The outcome of rank 0, at all ranks.
FileTrouble of_first(const StatePointer& communicator, FileTrouble trouble)
{
    call_broadcast(
        communicator, Form::blocking,
        {.in = {}, .out = {reinterpret_cast<std::byte*>(&trouble), sizeof trouble, 1}, .in_place = false},
        {});
    return trouble;
}

// How a rank's part has ended. Plain bytes.
struct Ending {
    bool has_failed = false;
    std::array<char, 247> sentence{};
};

Ending ending_of(const std::exception_ptr& failure)
{
    Ending ending;
    if (!failure)
        return ending;
    ending.has_failed = true;
    std::string sentence = "an exception of a type of its own";
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& error) {
        sentence = error.what();
    } catch (...) {
    }
    const std::size_t length = std::min(sentence.size(), ending.sentence.size() - 1);
    std::copy_n(sentence.begin(), length, ending.sentence.begin());
    return ending;
}

// Calls that wait for all ranks of a communicator are of no use any more.
bool is_loss(const std::exception_ptr& failure)
{
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (const Error& error) {
        return error.code() == ErrorCode::peer_lost;
    } catch (...) {
    }
    return false;
}

std::vector<Ending> endings_of_all(const StatePointer& communicator, const Ending& own)
{
    std::vector<Ending> all(static_cast<std::size_t>(communicator->size()));
    call_allgather(communicator, Form::blocking,
                   {.in = {reinterpret_cast<const std::byte*>(&own), sizeof own, 1},
                    .out = {reinterpret_cast<std::byte*>(all.data()), all.size() * sizeof own, 1},
                    .in_place = false},
                   {});
    return all;
}

}  // namespace

struct FileReplacement::State {
    StatePointer communicator;  // the caller's
    std::string path;
    std::string beside;
    base::UniqueFd lock;  // of rank 0
    FilePointer file;
    bool is_spoiled = false;  // the file's communicator

    bool is_first() const noexcept { return communicator->rank() == 0; }
    std::exception_ptr agreed(const std::exception_ptr& failure);
    void give_up(const std::exception_ptr& failure);
};

// What this rank throws: its own failure, or another rank's.
//
// While a rank whose part has failed is here, others may wait for it in a collective access. Then all of them
// find that their calls differ, and throw; the file's communicator is of no use any more.
std::exception_ptr FileReplacement::State::agreed(const std::exception_ptr& failure)
{
    if (is_loss(failure))
        return failure;
    std::vector<Ending> endings;
    const std::exception_ptr differs =
        caught([&] { endings = endings_of_all(file->communicator(), ending_of(failure)); });
    if (differs) {
        is_spoiled = true;
        return failure ? failure : differs;
    }
    const auto failed = std::ranges::find(endings, true, &Ending::has_failed);
    if (failure || failed == endings.end())
        return failure;
    const auto rank = static_cast<int>(failed - endings.begin());
    return std::make_exception_ptr(
        FileError(FileFault::io, "replace",
                  fmt::format("{} stays as it was, because rank {} has not written its part: {}", path, rank,
                              failed->sentence.data()),
                  rank));
}

void FileReplacement::State::give_up(const std::exception_ptr& failure)
{
    is_spoiled = is_spoiled || is_loss(failure);
    if (file != nullptr && !is_spoiled)
        static_cast<void>(caught([&] { std::exchange(file, nullptr)->close(); }));
    if (is_first() && lock)
        unlink(beside.c_str());
    lock.reset();
    if (!is_spoiled)
        call_barrier(communicator, Form::blocking, {});
    std::rethrow_exception(failure);
}

FileReplacement::FileReplacement(const Communicator& communicator, std::string_view path,
                                 const FileHints& hints)
    : state_(std::make_unique<State>())
{
    State& state = *state_;
    state.communicator = CommunicatorAccess::state_of(communicator);
    state.path = resolved(path);
    state.beside = state.path + kSuffix;
    FileTrouble trouble;
    if (state.is_first())
        trouble = lock_new(state.beside, state.lock);
    trouble = of_first(state.communicator, trouble);
    if (trouble) {
        state.lock.reset();
        fail_with_path("replace", "cannot create", state.beside, trouble,
                       state.is_first() ? Error::kNoPeer : 0);
    }
    const std::exception_ptr failure = caught([&] {
        state.file = File::open(state.communicator,
                                {state.beside, {.reads = true, .writes = true, .empties = true}}, hints);
    });
    if (failure)
        state.give_up(failure);
}

FileReplacement::~FileReplacement() = default;

const FilePointer& FileReplacement::file() const noexcept
{
    return state_->file;
}

void FileReplacement::end(std::exception_ptr own)
{
    State& state = *state_;
    std::exception_ptr failure = state.agreed(own);
    if (!failure)
        failure = caught([&] { state.file->sync(); });
    if (failure)
        state.give_up(failure);
    failure = caught([&] { std::exchange(state.file, nullptr)->close(); });
    if (failure)
        state.give_up(failure);
    FileTrouble trouble;
    if (state.is_first())
        trouble = rename_durably(state.beside, state.path, state.lock.get());
    trouble = of_first(state.communicator, trouble);
    if (trouble)
        state.give_up(caught([&] {
            fail_with_path("replace", "cannot put the new file in the place of", state.path, trouble,
                           state.is_first() ? Error::kNoPeer : 0);
        }));
    state.lock.reset();
}

}  // namespace tutti::detail
