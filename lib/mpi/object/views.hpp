// Arguments that are int in one form of a function and wider in its form for large counts. Bodies take these
// views, so that each is written once and arrays are not copied.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi {

static_assert(std::is_same_v<MPI_Aint, MPI_Count>, "bytes are counted alike in both forms");

/// An array of counts or displacements.
class Counts {
public:
    explicit Counts(const int* numbers) noexcept : numbers_(numbers), wide_(false) {}
    explicit Counts(const MPI_Count* numbers) noexcept : numbers_(numbers), wide_(true) {}

    MPI_Count operator[](std::size_t index) const noexcept
    {
        return wide_ ? static_cast<const MPI_Count*>(numbers_)[index]
                     : static_cast<const int*>(numbers_)[index];
    }
    bool is_null() const noexcept { return numbers_ == nullptr; }

private:
    const void* numbers_;
    bool wide_;
};

/// The place of a count that is read or written.
class CountPlace {
public:
    explicit CountPlace(int* place) noexcept : place_(place), wide_(false) {}
    explicit CountPlace(MPI_Count* place) noexcept : place_(place), wide_(true) {}

    MPI_Count get() const noexcept
    {
        return wide_ ? *static_cast<const MPI_Count*>(place_) : *static_cast<const int*>(place_);
    }
    /// Writes MPI_UNDEFINED for a count that the place cannot hold.
    void set(MPI_Count count) const noexcept
    {
        if (wide_)
            *static_cast<MPI_Count*>(place_) = count;
        else
            *static_cast<int*>(place_) =
                count > std::numeric_limits<int>::max() ? MPI_UNDEFINED : static_cast<int>(count);
    }
    bool is_null() const noexcept { return place_ == nullptr; }

private:
    void* place_;
    bool wide_;
};

/// A program's function in one of two forms; the other is null.
template <class Small, class Large>
struct EitherFunction {
    explicit EitherFunction(Small* function) noexcept : small(function) {}
    explicit EitherFunction(Large* function) noexcept : large(function) {}

    Small* small = nullptr;
    Large* large = nullptr;
};
using ConversionFunction = EitherFunction<MPI_Datarep_conversion_function, MPI_Datarep_conversion_function_c>;

/// Whose function one of the program's is. Functions in Fortran get integers for handles (MPI_X_toint).
/// Those of the old C++ bindings, which facades alone know, are called by a function of the bindings'
/// library.
enum class Language { c, fortran, cxx };

/// The function of an operator.
struct UserFunction : EitherFunction<MPI_User_function, MPI_User_function_c> {
    using EitherFunction::EitherFunction;

    Language language = Language::c;
    void (*cxx_caller)() = nullptr;
};

}  // namespace tutti::mpi
