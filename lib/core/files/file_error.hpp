// What went wrong with a file.
#pragma once

#include <cstdint>
#include <string_view>

#include "tutti/error.hpp"

namespace tutti::detail {

/// The kinds of faults: the interface of MPI has an error class for each.
enum class FileFault : std::uint8_t {
    none,
    argument,  // an argument is out of its range
    mode,      // ways to open a file that exclude each other, or a call that the file's mode does not allow
    bad_name,  // the path is too long, or names no file
    no_such_file,   // it, or a folder of its path, does not exist
    exists,         // it exists, and must not
    no_permission,  // the user may not
    in_use,         // a program runs it, or somebody has locked it
    read_only,      // the file system is
    no_space,       // the disk is full, or the file would be larger than allowed
    quota,          // the user's part of the disk is full
    not_same,       // ranks gave different arguments, or their hosts see different files
    unsupported,    // this file cannot do it: seek in a pipe, for example
    io              // all else that the kernel answers
};

class FileError final : public Error {
public:
    FileError(FileFault fault, std::string_view operation, std::string_view detail, int rank = kNoPeer)
        : Error(fault == FileFault::argument || fault == FileFault::mode || fault == FileFault::not_same
                    ? ErrorCode::invalid_argument
                    : ErrorCode::file,
                operation, detail, rank),
          fault_(fault)
    {
    }

    FileFault fault() const noexcept { return fault_; }

private:
    FileFault fault_;
};

}  // namespace tutti::detail
