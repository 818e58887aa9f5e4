// Buffers as mpi_f08 passes them: by the compiler's descriptor of an array or a section of one.
#pragma once

#include <cstdlib>

#include "lib/mpi/abi/fortran_library.hpp"
#include "lib/mpi/fortran/sentinels.hpp"

namespace tutti::mpi::fortran {

/// Whether its bytes have no gaps, from its address on.
inline bool is_contiguous(const ArrayDescriptor& array)
{
    auto bytes = static_cast<std::ptrdiff_t>(array.element_bytes);
    for (int level = 0; level < array.rank; ++level) {
        const ArrayDescriptor::Dimension& dimension = array.dimensions[level];
        if (dimension.extent == -1 || dimension.extent == 0)
            return true;
        if (dimension.stride_bytes != bytes && dimension.extent != 1)
            return false;
        bytes *= dimension.extent;
    }
    return true;
}

/// The place of what has no count, as a window's memory.
inline void* address_of(const ArrayDescriptor* array)
{
    return buffer_at(array->address);
}

/// A buffer whose whole content is `count` elements of a datatype. Where the array has gaps it is one element
/// of a type of its own, so nothing is copied and a request may outlive the call.
template <class Count>
class Section {
public:
    Section(const char* call, const ArrayDescriptor* array, Count count, MPI_Datatype datatype)
        : address_(address_of(array)), count_(count), datatype_(datatype)
    {
        if (is_contiguous(*array)) [[likely]]
            return;
        code_ = create_fortran_section(call, array, count, datatype, &made_);
        count_ = 1;
        datatype_ = made_;
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    ~Section()
    {
        if (made_ != MPI_DATATYPE_NULL)
            PMPI_Type_free(&made_);
    }

    int code() const { return code_; }
    void* address() const { return address_; }
    Count count() const { return count_; }
    MPI_Datatype datatype() const { return datatype_; }

private:
    void* address_;
    Count count_;
    MPI_Datatype datatype_;
    MPI_Datatype made_ = MPI_DATATYPE_NULL;
    int code_ = MPI_SUCCESS;
};

/// A buffer of a blocking call that no single datatype describes, as one of blocks for each rank, or one of a
/// reduction: a section with gaps is copied, and back where the call writes it.
class Copy {
public:
    enum class Use { read, written };

    Copy(const char* call, const ArrayDescriptor* array, Use use);
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    ~Copy();

    int code() const { return code_; }
    void* address() const { return address_; }

private:
    const ArrayDescriptor* array_;
    Use use_;
    void* address_;
    char* copied_ = nullptr;
    int code_ = MPI_SUCCESS;
};

/// Likewise of a call that returns before it has used its buffer, when a copy would be gone.
class Whole {
public:
    Whole(const char* call, const ArrayDescriptor* array);

    int code() const { return code_; }
    void* address() const { return address_; }

private:
    void* address_;
    int code_ = MPI_SUCCESS;
};

template <class... Buffers>
int first_error(const Buffers&... buffers)
{
    int code = MPI_SUCCESS;
    ((code = code != MPI_SUCCESS ? code : buffers.code()), ...);
    return code;
}

/// `ierror` is null where a program leaves it out.
inline void set(int* ierror, int code)
{
    if (ierror != nullptr)
        *ierror = code;
}

}  // namespace tutti::mpi::fortran
