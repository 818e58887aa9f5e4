// The file of a benchmark as the system's own calls reach it: to make it, to check it, and to see what the
// file system itself can do.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "benchmarks/suite/files/file_layout.hpp"

namespace tutti::bench {

/// A file that this process has open, for reading and writing. Throws std::system_error that names the file.
class PlainFile {
public:
    explicit PlainFile(std::string path);
    PlainFile(PlainFile&& other) noexcept;
    PlainFile& operator=(PlainFile&&) = delete;
    ~PlainFile();

    void write(std::span<const std::byte> data, std::size_t offset) const;
    /// All of it; what lies beyond the file's end is an error.
    void read(std::span<std::byte> data, std::size_t offset) const;
    /// The rank's data, run by run.
    void write(std::span<const std::byte> data, const FilePart& part) const;
    void read(std::span<std::byte> data, const FilePart& part) const;
    void sync() const;

private:
    std::string path_;
    int descriptor_;
};

/// The folder as chosen, or $TMPDIR, or /tmp.
std::string folder_of_files(const std::string& chosen);

/// A new, empty file in the folder; its path. Throws UnsuitableJob.
std::string new_file(const std::string& folder);

/// "tmpfs", "ext4" ...
std::string file_system_of(const std::string& folder);

/// Bytes that a user can write there; 0 if the folder cannot be asked.
double free_bytes(const std::string& folder);

/// User and system time of this process; us.
double cpu_us();

}  // namespace tutti::bench
