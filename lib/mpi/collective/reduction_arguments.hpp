// An operator on elements of a datatype, as the core's reductions take it.
#pragma once

#include <cstdint>
#include <memory>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/op/op.hpp"
#include "tutti/call_handle.hpp"
#include "tutti/reduction.hpp"

namespace tutti::mpi {

struct UserOperator;

/// Elements of datatypes with gaps travel without them, and only their bytes are written. Those of predefined
/// pairs keep their gaps.
class ReductionArguments {
public:
    /// Throws Failure for handles that are no operator's or committed datatype's, and for an operator that is
    /// not defined on the datatype.
    ReductionArguments(MPI_Op op, MPI_Datatype datatype);

    const detail::Operator& op() const noexcept { return op_; }
    /// `sendbuf` may be MPI_IN_PLACE. Throws Failure for negative counts and null pointers to elements.
    detail::ReducedBuffers buffers(const void* sendbuf, MPI_Count in_count, void* recvbuf,
                                   MPI_Count out_count) const;
    /// The buffers of a rank that has input or output alone.
    detail::ReducedBuffers input(const void* sendbuf, MPI_Count count) const;
    detail::ReducedBuffers output(void* recvbuf, MPI_Count count) const;
    /// A program's operator lives until the operations of the call have ended.
    detail::CallHandle keep(detail::CallHandle handle) const
    {
        if (user_ != nullptr)
            handle.keep(user_);
        return handle;
    }
    /// inoutbuf = inbuf op inoutbuf
    void combine(const void* inbuf, void* inoutbuf, MPI_Count count) const;

private:
    detail::Elements elements(const void* buffer, MPI_Count count) const
    {
        // No element is larger than 64 bytes: the size in bytes fits.
        constexpr std::uint64_t kMost = std::uint64_t{1} << 56;
        if (is_plain_ && is_memory(buffer) && static_cast<std::uint64_t>(count) < kMost) [[likely]]
            return {static_cast<std::byte*>(const_cast<void*>(buffer)), static_cast<std::size_t>(count),
                    element_bytes_};
        return other_elements(buffer, count);
    }
    // elements() of other types, and of arguments that are wrong.
    detail::Elements other_elements(const void* buffer, MPI_Count count) const;

    const Datatype& type_;
    detail::Operator op_;
    std::size_t element_bytes_;
    bool is_plain_ = false;                      // the core knows operator and type
    const datatype::Typemap* layout_ = nullptr;  // nullptr: contiguous
    std::shared_ptr<UserOperator> user_;         // nullptr: a built-in operator
};

}  // namespace tutti::mpi
