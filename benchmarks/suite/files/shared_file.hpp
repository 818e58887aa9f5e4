// The file of a benchmark, which all ranks open and rank 0 has made.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "benchmarks/suite/files/plain_file.hpp"
#include "benchmarks/suite/library/described_call.hpp"
#include "benchmarks/suite/library/file_under_test.hpp"
#include "benchmarks/suite/session/session.hpp"

namespace tutti::bench {

/// All ranks make one: a new file of so many bytes, all of them written, which the last object removes.
/// Throws UnsuitableJob at all of them where there is no room.
template <Job B>
class SharedFile {
public:
    SharedFile(Session<B>& session, std::size_t size_bytes) : job_(session.job())
    {
        const std::string folder = folder_of_files(session.options().folder);
        std::string lack;
        if (job_.rank() == 0)
            lack = make(folder, size_bytes);
        path_ = shared_text(path_);
        lack = shared_text(lack);
        if (!lack.empty()) {
            remove();
            throw UnsuitableJob(lack);
        }
    }
    SharedFile(SharedFile&&) = delete;
    ~SharedFile()
    {
        job_.barrier();
        remove();
    }

    const std::string& path() const noexcept { return path_; }

private:
    // What is lacking, or nothing.
    std::string make(const std::string& folder, std::size_t size_bytes)
    {
        try {
            path_ = new_file(folder);
            if (const double room = free_bytes(folder); room < static_cast<double>(size_bytes))
                return fmt::format(
                    "{} has room for {:.0f} MB, and the file has {:.0f}: choose another folder "
                    "with --folder, or a smaller file",
                    folder, room / 1e6, static_cast<double>(size_bytes) / 1e6);
            const PlainFile file(path_);
            const std::vector<std::byte> some(std::min<std::size_t>(size_bytes, std::size_t{1} << 20));
            for (std::size_t begin = 0; begin < size_bytes; begin += some.size())
                file.write(std::span(some).first(std::min(some.size(), size_bytes - begin)), begin);
            return {};
        } catch (const std::exception& error) {
            return error.what();
        }
    }

    void remove() const
    {
        std::error_code ignored;
        if (job_.rank() == 0)
            std::filesystem::remove(path_, ignored);
    }

    std::string shared_text(std::string text)
    {
        text.resize(shared(job_, text.size()));
        if (!text.empty())
            job_.broadcast(std::as_writable_bytes(std::span(text)), 0);
        return text;
    }

    B& job_;
    std::string path_;
};

/// "Folder /tmp (ext4)"
template <Job B>
std::string folder_note(const Session<B>& session)
{
    const std::string folder = folder_of_files(session.options().folder);
    return fmt::format("Folder: {} ({})", folder, file_system_of(folder));
}

}  // namespace tutti::bench
