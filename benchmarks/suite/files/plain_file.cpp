#include "benchmarks/suite/files/plain_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <utility>

#include "benchmarks/suite/library/job_under_test.hpp"

namespace tutti::bench {

namespace {

[[noreturn]] void complain(const char* call, const std::string& path)
{
    throw std::system_error(errno, std::generic_category(), fmt::format("{} of {}", call, path));
}

// move(data, offset) for each run, as long as they are.
template <class Data, class Move>
void for_each_run(Data data, const FilePart& part, Move move)
{
    const std::size_t run = run_bytes(part);
    for (std::size_t begin = 0; begin < data.size(); begin += run)
        move(data.subspan(begin, std::min(run, data.size() - begin)), place_of(part, begin));
}

}  // namespace

PlainFile::PlainFile(std::string path)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), O_RDWR | O_CLOEXEC))
{
    if (descriptor_ < 0)
        complain("open", path_);
}

PlainFile::PlainFile(PlainFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1))
{
}

PlainFile::~PlainFile()
{
    if (descriptor_ >= 0)
        close(descriptor_);
}

void PlainFile::write(std::span<const std::byte> data, std::size_t offset) const
{
    while (!data.empty()) {
        const ssize_t done = pwrite(descriptor_, data.data(), data.size(), static_cast<off_t>(offset));
        if (done <= 0)
            complain("write", path_);
        data = data.subspan(static_cast<std::size_t>(done));
        offset += static_cast<std::size_t>(done);
    }
}

void PlainFile::read(std::span<std::byte> data, std::size_t offset) const
{
    while (!data.empty()) {
        errno = ENODATA;  // where the file ends
        const ssize_t done = pread(descriptor_, data.data(), data.size(), static_cast<off_t>(offset));
        if (done <= 0)
            complain("read", path_);
        data = data.subspan(static_cast<std::size_t>(done));
        offset += static_cast<std::size_t>(done);
    }
}

void PlainFile::write(std::span<const std::byte> data, const FilePart& part) const
{
    for_each_run(data, part, [this](auto run, std::size_t offset) { write(run, offset); });
}

void PlainFile::read(std::span<std::byte> data, const FilePart& part) const
{
    for_each_run(data, part, [this](auto run, std::size_t offset) { read(run, offset); });
}

void PlainFile::sync() const
{
    if (fsync(descriptor_) != 0)
        complain("sync", path_);
}

std::string folder_of_files(const std::string& chosen)
{
    if (!chosen.empty())
        return chosen;
    const char* const usual = std::getenv("TMPDIR");
    return usual == nullptr || *usual == '\0' ? "/tmp" : usual;
}

std::string new_file(const std::string& folder)
{
    std::string path = folder + "/tutti-bench-XXXXXX";
    const int descriptor = mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0)
        throw UnsuitableJob(fmt::format("no file can be made in {}: {}; choose another folder with --folder",
                                        folder, std::generic_category().message(errno)));
    close(descriptor);
    return path;
}

std::string file_system_of(const std::string& folder)
{
    constexpr unsigned kXfs = 0x58465342;
    struct statfs about {};
    if (statfs(folder.c_str(), &about) != 0)
        return "unknown";
    switch (static_cast<unsigned>(about.f_type)) {
        case TMPFS_MAGIC:
            return "tmpfs";
        case EXT4_SUPER_MAGIC:
            return "ext4";
        case BTRFS_SUPER_MAGIC:
            return "btrfs";
        case NFS_SUPER_MAGIC:
            return "nfs";
        case OVERLAYFS_SUPER_MAGIC:
            return "overlayfs";
        case kXfs:
            return "xfs";
    }
    return fmt::format("type {:#x}", static_cast<unsigned>(about.f_type));
}

double free_bytes(const std::string& folder)
{
    struct statfs about {};
    if (statfs(folder.c_str(), &about) != 0)
        return 0.0;
    return static_cast<double>(about.f_bavail) * static_cast<double>(about.f_bsize);
}

double cpu_us()
{
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return 1e6 * static_cast<double>(used.tv_sec) + 1e-3 * static_cast<double>(used.tv_nsec);
}

}  // namespace tutti::bench
