// An access that is under way, and its request.
#pragma once

#include <memory>

#include "lib/mpi/file/representation.hpp"
#include "lib/mpi/object/abi.hpp"
#include "tutti/request.hpp"

namespace tutti::mpi {

struct File;

struct FileOperation {
    Request request;
    std::shared_ptr<ConvertedData> converted;  // nullptr: the file has the data as memory has them
};

/// Waits for it. Returns how many bytes it has moved.
std::size_t wait_for(FileOperation& operation);

/// The handle of an access that has begun. Its error goes to the error handler of `file`.
MPI_Request begun_request(FileOperation operation, File& file);

}  // namespace tutti::mpi
