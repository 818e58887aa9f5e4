// Error codes: a class in bits 0-5, and in bits 6-13 the slot of its sentence among the last ones. Slot 0
// means that there is no sentence.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "lib/mpi/object/abi.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

/// The exception of a body that fails.
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
/// For Counts and CountPlace.
template <class View>
requires requires(const View& view)
{
    view.is_null();
}
void check_not_null(const View& argument, std::string_view name)
{
    if (argument.is_null()) [[unlikely]]
        refuse_null(name);
}

[[noreturn]] void refuse_negative(std::string_view name, MPI_Count number, int error_class);
/// `name`: what the number is, as in "the count".
inline void check_not_negative(std::string_view name, MPI_Count number, int error_class = MPI_ERR_ARG)
{
    if (number < 0) [[unlikely]]
        refuse_negative(name, number, error_class);
}
[[noreturn]] void refuse_rank(std::string_view name, int rank, std::string_view whose, int ranks,
                              int error_class);
/// Fails unless `rank` is one of 0 to ranks - 1. `name`: what the rank is, or where; `whose`: of what it
/// should be one, as in " of this communicator".
inline void check_rank(int rank, int ranks, std::string_view name, std::string_view whose = {},
                       int error_class = MPI_ERR_RANK)
{
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(ranks)) [[unlikely]]
        refuse_rank(name, rank, whose, ranks, error_class);
}
void check_tag(int tag);
/// Fails with MPI_ERR_ARG for a negative number of entries, and for entries without memory.
void check_array(std::string_view name, const void* entries, MPI_Count count);

/// The code of an error, and its sentence for MPI_Error_string. Any thread.
int make_code(int error_class, std::string sentence);
int class_of(int code) noexcept;
std::string_view meaning_of_class(int error_class) noexcept;
/// The sentence, or what the class means. Any thread.
std::string words_of(int code);

/// Class and detail of an exception.
struct Reason {
    int error_class;
    std::string detail;
};
Reason reason_of(const std::exception_ptr& exception);

}  // namespace tutti::mpi
