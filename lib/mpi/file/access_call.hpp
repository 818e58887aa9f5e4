// The functions that access a file. Blocking ones, those with a request, and split collectives have one body.
#pragma once

#include <exception>

#include "lib/core/files/file.hpp"
#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi {

struct CoreMemory;
struct File;

/// Elements in memory. Writes only read them.
struct AccessMemory {
    const void* buffer;
    MPI_Count count;
    MPI_Datatype datatype;
};

/// Which of the functions the program has called, by its name.
class AccessCall {
public:
    AccessCall(const char* function, MPI_Status* status) noexcept
        : name_(function), form_(Form::blocking), status_(status)
    {
    }
    AccessCall(const char* function, MPI_Request* request) noexcept
        : name_(function), form_(Form::nonblocking), request_(request)
    {
    }
    /// The begin of a split collective.
    explicit AccessCall(const char* function) noexcept : name_(function), form_(Form::split) {}

    /// The frame of a body.
    int on(MPI_File file, const detail::FileAccess& access, const AccessMemory& memory) const;

private:
    enum class Form : unsigned char { blocking, nonblocking, split };

    /// What is wrong with the arguments, or the memory.
    std::exception_ptr refusal(const File& file, const detail::FileAccess& access, const AccessMemory& given,
                               CoreMemory& memory) const;

    const char* name_;
    Form form_;
    MPI_Status* status_ = nullptr;
    MPI_Request* request_ = nullptr;
};

}  // namespace tutti::mpi
