#include "lib/core/files/open_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace tutti::detail {

namespace {

// File systems whose servers other hosts use, too, as statfs(2) and their sources number them.
constexpr std::array<std::uint64_t, 13> kOfSeveralHosts = {0x6969 /* NFS */,
                                                           0x517b /* SMB */,
                                                           0xfe534d42 /* SMB2 */,
                                                           0xff534d42 /* CIFS */,
                                                           0x0bd00bd0 /* Lustre */,
                                                           0x47504653 /* GPFS */,
                                                           0x19830326 /* BeeGFS */,
                                                           0x00c36400 /* Ceph */,
                                                           0x65735546 /* FUSE */,
                                                           0x01021997 /* 9P */,
                                                           0x5346414f /* AFS */,
                                                           0x7461636f /* OCFS2 */,
                                                           0x01161970 /* GFS2 */};

constexpr std::array<std::string_view, 10> kPrefixes = {
    "ufs:", "nfs:", "lustre:", "gpfs:", "panfs:", "ufs-:", "testfs:", "daos:", "ime:", "unify:"};

std::string_view remedy_of(int error) noexcept
{
    switch (error) {
        case ENOENT:
            return "; check the path on this host, or open it to be created";
        case ENOTDIR:
            return "; a part of the path is no folder";
        case EEXIST:
            return "; remove it, or open it without asking for a new file";
        case EACCES:
        case EPERM:
            return "; check the owner and the mode of the file and of its folders";
        case EROFS:
            return "; choose another folder";
        case ENOSPC:
            return "; free room on that disk, or choose another one";
        case EDQUOT:
            return "; free room within your quota, or ask for a larger one";
        case EFBIG:
            return "; raise the limit of file sizes (ulimit -f), or choose another file system";
        case EMFILE:
        case ENFILE:
            return "; close files, or raise the limit of open files (ulimit -n)";
        case EISDIR:
            return "; name a file in that folder";
        case ESPIPE:
            return "; only a file with places can be accessed by several ranks";
        default:
            return "";
    }
}

// To map a file for writing takes that it may be read.
int flags_of(const FileModes& modes, bool only_opens) noexcept
{
    int flags = O_CLOEXEC | (modes.writes ? O_RDWR : O_RDONLY);
    if (only_opens)
        return flags;
    if (modes.creates)
        flags |= O_CREAT | (modes.is_new ? O_EXCL : 0);
    return flags | (modes.empties ? O_TRUNC : 0);
}

int opened(const char* path, int flags) noexcept
{
    int descriptor = 0;
    do {
        descriptor = ::open(path, flags, 0666);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

}  // namespace

std::string_view path_in(std::string_view name) noexcept
{
    for (const std::string_view prefix : kPrefixes)
        if (name.starts_with(prefix))
            return name.substr(prefix.size());
    return name;
}

FileFault fault_of(int error) noexcept
{
    switch (error) {
        case 0:
            return FileFault::none;
        case ENOENT:
        case ENOTDIR:
            return FileFault::no_such_file;
        case EEXIST:
            return FileFault::exists;
        case EACCES:
        case EPERM:
            return FileFault::no_permission;
        case ETXTBSY:
        case EBUSY:
        case EAGAIN:
            return FileFault::in_use;
        case EROFS:
            return FileFault::read_only;
        case ENOSPC:
        case EFBIG:
            return FileFault::no_space;
        case EDQUOT:
            return FileFault::quota;
        case ENAMETOOLONG:
        case EISDIR:
        case ELOOP:
            return FileFault::bad_name;
        case ESPIPE:
        case EOPNOTSUPP:
        case ENOSYS:
            return FileFault::unsupported;
        default:
            return FileFault::io;
    }
}

OpenFile::OpenFile(const FileOpening& opening) : path_(path_in(opening.path)), modes_(opening.modes) {}

FileTrouble OpenFile::open(bool only_opens)
{
    const int flags = flags_of(modes_, only_opens);
    int descriptor = opened(path_.c_str(), flags);
    const bool may_be_read = descriptor >= 0;
    if (descriptor < 0 && errno == EACCES && modes_.writes && !modes_.reads)
        descriptor = opened(path_.c_str(), (flags & ~O_RDWR) | O_WRONLY);
    if (descriptor < 0)
        return {errno};
    descriptor_.reset(descriptor);
    struct stat found {};
    if (fstat(descriptor, &found) != 0)
        return {errno};
    if (S_ISDIR(found.st_mode))
        return {EISDIR};
    identity_ = {found.st_dev, found.st_ino};
    struct statfs system {};
    const bool is_known = fstatfs(descriptor, &system) == 0;
    is_in_memory_ = is_known && system.f_type == TMPFS_MAGIC;
    is_local_ = is_known && std::ranges::find(kOfSeveralHosts, static_cast<std::uint32_t>(system.f_type)) ==
                                kOfSeveralHosts.end();
    is_mappable_ = is_local_ && may_be_read && S_ISREG(found.st_mode);
    return {};
}

FileTrouble OpenFile::find_size(std::int64_t& bytes) const noexcept
{
    struct stat found {};
    if (fstat(descriptor(), &found) != 0)
        return {errno};
    bytes = found.st_size;
    return {};
}

bool OpenFile::is_sparse() const noexcept
{
    constexpr std::int64_t kBlock = 512;  // of st_blocks, in all file systems
    struct stat found {};
    return fstat(descriptor(), &found) != 0 || found.st_blocks * kBlock < found.st_size;
}

FileTrouble OpenFile::set_size(std::int64_t bytes) const noexcept
{
    while (ftruncate(descriptor(), bytes) != 0)
        if (errno != EINTR)
            return {errno, bytes};
    return {};
}

FileTrouble OpenFile::preallocate(std::int64_t bytes) const noexcept
{
    // Writes zeros where the file system has no such call.
    const int error = bytes == 0 ? 0 : posix_fallocate(descriptor(), 0, bytes);
    return {error, bytes};
}

void OpenFile::begin_sync() const noexcept
{
    sync_file_range(descriptor(), 0, 0, SYNC_FILE_RANGE_WRITE);
}

FileTrouble OpenFile::sync() const noexcept
{
    window_->written_back();
    while (fsync(descriptor()) != 0) {
        if (errno == EINVAL || errno == EROFS)
            return {};  // what has no disk
        if (errno != EINTR)
            return {errno};
    }
    return {};
}

FileTrouble OpenFile::close() noexcept
{
    window_.reset();
    // Linux has closed it even where it answers EINTR.
    if (::close(descriptor_.release()) != 0 && errno != EINTR)
        return {errno};
    return {};
}

void OpenFile::fail(std::string_view call, std::string_view doing, const FileTrouble& trouble, int rank) const
{
    fail_with_path(call, doing, path_, trouble, rank);
}

void fail_with_path(std::string_view call, std::string_view doing, std::string_view path,
                    const FileTrouble& trouble, int rank)
{
    std::string where;
    if (trouble.place != 0)
        where = fmt::format(" at byte {}", trouble.place);
    if (rank != Error::kNoPeer)
        where += fmt::format(" on rank {}", rank);
    throw FileError(fault_of(trouble.error), call,
                    fmt::format("{} {}{}: {}{}", doing, path, where, std::strerror(trouble.error),
                                remedy_of(trouble.error)),
                    rank);
}

}  // namespace tutti::detail
