#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tutti/error.hpp"
#include "tutti/spilled_pairs.hpp"

namespace tutti::detail {

namespace {

[[noreturn]] void refuse_spill(const std::string& what)
{
    throw Error(ErrorCode::system, "map_reduce",
                fmt::format("{}: {}; set spill_folder to a folder with more room, or a larger memory_bytes",
                            what, std::strerror(errno)));
}

int open_without_name(const std::string& folder)
{
    const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return file;
    std::string name = folder + "/tutti-spill-XXXXXX";
    const int named = mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0)
        unlink(name.c_str());
    return named;
}

}  // namespace

SpillFile::SpillFile(const std::string& folder)
{
    const char* const temporary = std::getenv("TMPDIR");
    const std::string where = !folder.empty()                              ? folder
                              : temporary != nullptr && *temporary != '\0' ? temporary
                                                                           : "/tmp";
    file_ = open_without_name(where);
    if (file_ < 0)
        refuse_spill(fmt::format("cannot make a file for pairs in {}", where));
}

SpillFile::~SpillFile()
{
    if (file_ >= 0)
        close(file_);
}

void SpillFile::append(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t done = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            refuse_spill(fmt::format("cannot write {} more bytes to the file of pairs, which has {}",
                                     bytes.size(), size_));
        size_ += static_cast<std::uint64_t>(done);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
}

void SpillFile::read(std::uint64_t offset, std::span<std::byte> bytes) const
{
    while (!bytes.empty()) {
        const ssize_t done = pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO;
        if (done <= 0)
            refuse_spill(fmt::format("cannot read {} bytes of the file of pairs", bytes.size()));
        offset += static_cast<std::uint64_t>(done);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
}

}  // namespace tutti::detail
