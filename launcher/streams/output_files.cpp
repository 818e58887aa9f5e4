#include "launcher/streams/output_files.hpp"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace tutti::launcher {

int write_fully(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t bytes = ::write(fd, text.data(), text.size());
        if (bytes >= 0) {
            text.remove_prefix(static_cast<std::size_t>(bytes));
        } else if (errno == EAGAIN) {
            // Another process that shares the terminal or pipe has made it non-blocking.
            pollfd entry{fd, POLLOUT, 0};
            ::poll(&entry, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

OutputFiles::OutputFiles(const std::string& directory, int ranks, bool merge_stderr)
    : directory_(std::filesystem::absolute(directory))
{
    for (int rank = 0; rank < ranks; ++rank) {
        for (const Channel channel : {Channel::standard_output, Channel::standard_error}) {
            if (channel == Channel::standard_error && merge_stderr)
                continue;
            const std::string file = path({rank, channel});
            std::error_code failed;
            std::filesystem::create_directories(std::filesystem::path(file).parent_path(), failed);
            if (failed) {
                throw std::system_error(failed, "cannot make the folder of " + file +
                                                    " (--output-filename); name one that can be written");
            }
            const UniqueFd created(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
            if (!created)
                throw std::system_error(errno, std::generic_category(), "cannot write " + file);
        }
    }
}

std::string OutputFiles::path(StreamId stream) const
{
    return fmt::format("{}/rank.{}/{}", directory_, stream.rank,
                       stream.channel == Channel::standard_error ? "stderr" : "stdout");
}

int OutputFiles::write(StreamId stream, std::string_view text)
{
    const std::string file = path(stream);
    UniqueFd& fd = files_[file];
    if (!fd)
        fd.reset(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    return fd ? write_fully(fd.get(), text) : errno;
}

void OutputFiles::close(StreamId stream)
{
    files_.erase(path(stream));
}

}  // namespace tutti::launcher
