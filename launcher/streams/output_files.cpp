#include "launcher/streams/output_files.hpp"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace tutti::launcher {

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
            UniqueFd created = open_to_write(file, O_TRUNC);
            if (!created)
                throw std::runtime_error("cannot write " + file + ": " + why_not_written(file, errno));
            if (!is_regular_file(created.get()))
                files_[file] = std::move(created);  // a pipe's reader would take a close for the end
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
        fd = open_to_write(file, O_APPEND);
    return fd ? write_fully(fd.get(), text) : errno;
}

void OutputFiles::close(StreamId stream)
{
    files_.erase(path(stream));
}

}  // namespace tutti::launcher
