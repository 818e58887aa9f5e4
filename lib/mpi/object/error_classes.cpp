// What the error classes mean, for codes without a sentence of their own.
#include <array>
#include <cstddef>

#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

namespace {

// By class.
constexpr std::array<std::string_view, MPI_ERR_ABI + 1> kMeanings = {
    "MPI_SUCCESS: no error",
    "MPI_ERR_BUFFER: the buffer is not valid",
    "MPI_ERR_COUNT: the count is negative or too large",
    "MPI_ERR_TYPE: the datatype is not valid",
    "MPI_ERR_TAG: the tag is not valid",
    "MPI_ERR_COMM: the communicator is not valid",
    "MPI_ERR_RANK: there is no such rank",
    "MPI_ERR_REQUEST: the request is not valid",
    "MPI_ERR_ROOT: the root is not valid",
    "MPI_ERR_GROUP: the group is not valid",
    "MPI_ERR_OP: the operator is not valid",
    "MPI_ERR_TOPOLOGY: the communicator has no such topology",
    "MPI_ERR_DIMS: the dimensions are not valid",
    "MPI_ERR_ARG: an argument is not valid",
    "MPI_ERR_UNKNOWN: an error of unknown kind",
    "MPI_ERR_TRUNCATE: a message is longer than the buffer of its receive",
    "MPI_ERR_OTHER: an error that has no class of its own",
    "MPI_ERR_INTERN: a defect in the library",
    "MPI_ERR_PENDING: the operation is neither complete nor has it failed",
    "MPI_ERR_IN_STATUS: the error of each operation is in its status",
    "MPI_ERR_ACCESS: the file may not be accessed",
    "MPI_ERR_AMODE: the mode of access is not valid",
    "MPI_ERR_ASSERT: the assertion is not valid",
    "MPI_ERR_BAD_FILE: the file's name is not valid",
    "MPI_ERR_BASE: the base of the memory is not valid",
    "MPI_ERR_CONVERSION: a function that converts data has failed",
    "MPI_ERR_DISP: the displacement is not valid",
    "MPI_ERR_DUP_DATAREP: there is a data representation of this name already",
    "MPI_ERR_FILE_EXISTS: the file exists",
    "MPI_ERR_FILE_IN_USE: the file is in use",
    "MPI_ERR_FILE: the file handle is not valid",
    "MPI_ERR_INFO_KEY: the key is too long",
    "MPI_ERR_INFO_NOKEY: there is no such key",
    "MPI_ERR_INFO_VALUE: the value is too long",
    "MPI_ERR_INFO: the info object is not valid",
    "MPI_ERR_IO: input or output has failed",
    "MPI_ERR_KEYVAL: the attribute key is not valid",
    "MPI_ERR_LOCKTYPE: the type of lock is not valid",
    "MPI_ERR_NAME: the name of the service was not published",
    "MPI_ERR_NO_MEM: there is no memory left",
    "MPI_ERR_NOT_SAME: an argument differs between ranks where it must be equal",
    "MPI_ERR_NO_SPACE: there is no space left",
    "MPI_ERR_NO_SUCH_FILE: the file does not exist",
    "MPI_ERR_PORT: the port's name is not valid",
    "MPI_ERR_QUOTA: the quota is exceeded",
    "MPI_ERR_READ_ONLY: the file or file system is read-only",
    "MPI_ERR_RMA_ATTACH: memory cannot be attached to the window",
    "MPI_ERR_RMA_CONFLICT: accesses to a window are in conflict",
    "MPI_ERR_RMA_RANGE: the target memory is not in the window",
    "MPI_ERR_RMA_SHARED: the memory cannot be shared",
    "MPI_ERR_RMA_SYNC: a call on a window is out of order",
    "MPI_ERR_SERVICE: the name of the service is not published",
    "MPI_ERR_SIZE: the size is not valid",
    "MPI_ERR_SPAWN: processes could not be started",
    "MPI_ERR_UNSUPPORTED_DATAREP: the data representation is not supported",
    "MPI_ERR_UNSUPPORTED_OPERATION: the operation is not supported",
    "MPI_ERR_WIN: the window is not valid",
    "MPI_ERR_RMA_FLAVOR: the window is of another kind",
    "MPI_ERR_PROC_ABORTED: a process has ended too early",
    "MPI_ERR_VALUE_TOO_LARGE: the value does not fit into the argument",
    "MPI_ERR_SESSION: the session is not valid",
    "MPI_ERR_ERRHANDLER: the error handler is not valid",
    "MPI_ERR_ABI: the ABI cannot do this",
};

}  // namespace

std::string_view meaning_of_class(int error_class) noexcept
{
    const auto index = static_cast<std::size_t>(error_class);
    return index < kMeanings.size() ? kMeanings[index] : "an unknown error code";
}

}  // namespace tutti::mpi
