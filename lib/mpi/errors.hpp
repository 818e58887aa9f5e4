// Error codes: a class in bits 0-5, and in bits 6-13 the slot of its sentence among the last ones. Slot 0
// means that there is no sentence.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "lib/mpi/abi.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

/// What a body throws when it fails.
class Failure : public std::exception {
public:
    Failure(int error_class, std::string detail) : class_(error_class), detail_(std::move(detail)) {}

    int error_class() const noexcept { return class_; }
    const char* what() const noexcept override { return detail_.c_str(); }

private:
    int class_;
    std::string detail_;
};

/// `detail` says what is wrong and the remedy, without the call and the communicator.
[[noreturn]] void fail(int error_class, std::string detail);
[[noreturn]] void refuse_null(std::string_view name);
/// Fails with MPI_ERR_ARG for an argument that must not be a null pointer.
inline void check_not_null(const void* argument, std::string_view name)
{
    if (argument == nullptr) [[unlikely]]
        refuse_null(name);
}

/// The code of an error, and its sentence for MPI_Error_string. Any thread.
int make_code(int error_class, std::string sentence);
int class_of(int code) noexcept;
/// The sentence, or what the class means. Any thread.
std::string words_of(int code);

/// Class and detail of an exception.
struct Reason {
    int error_class;
    std::string detail;
};
Reason reason_of(const std::exception_ptr& exception);

}  // namespace tutti::mpi
