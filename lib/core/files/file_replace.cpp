// A file that is written beside another one, and takes its place when all ranks have written.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/files/exchange.hpp"
#include "lib/core/files/failure_words.hpp"
#include "lib/core/files/file.hpp"
#include "lib/core/process/process.hpp"
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

// This rank has failed because another one has, which says so itself.
bool is_of_another_rank(const std::exception_ptr& failure)
{
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (const WithdrawnError&) {
        return true;
    } catch (...) {
    }
    return false;
}

}  // namespace

struct FileReplacement::State {
    StatePointer communicator;  // the caller's
    std::string path;
    std::string beside;
    base::UniqueFd lock;  // of rank 0
    FilePointer file;
    bool is_spoiled = false;  // a rank has withdrawn from the file's communicator

    bool is_first() const noexcept { return communicator->rank() == 0; }
    std::exception_ptr agreed(const std::exception_ptr& failure);
    void give_up(const std::exception_ptr& failure);
};

// What this rank throws: its own failure, or another rank's.
//
// While a rank whose part has failed is here, others may wait for it in a call of the file. So it withdraws
// from the file's communicator, and all meet here by the caller's.
std::exception_ptr FileReplacement::State::agreed(const std::exception_ptr& failure)
{
    if (is_loss(failure))
        return failure;
    const bool is_own = failure && !is_of_another_rank(failure);
    const FailureWords own(is_own ? failure : nullptr);
    if (is_own) {
        const auto engine = communicator->process().engine().lock();
        communicator->process().diagnosis().withdraw(*file->communicator(), own.sentence.data());
    }
    std::vector<FailureWords> endings;
    if (const std::exception_ptr lost = caught([&] { endings = gathered(communicator, own); }))
        return is_own ? failure : lost;
    const auto failed = std::ranges::find(endings, true, &FailureWords::has_failed);
    is_spoiled = failed != endings.end();
    if (is_own || !is_spoiled)
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
    const bool is_alone = is_loss(failure);
    if (file != nullptr && !is_spoiled && !is_alone)
        static_cast<void>(caught([&] { std::exchange(file, nullptr)->close(); }));
    if (is_first() && lock)
        unlink(beside.c_str());
    lock.reset();
    if (!is_alone)
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
