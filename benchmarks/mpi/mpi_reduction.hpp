// MPI's own reduction of two arrays, for the operators and types that MPI defines together.
#pragma once

#include <mpi.h>

#include <optional>

#include "benchmarks/suite/library/backend.hpp"

namespace tutti::bench {

/// Counts in int: benchmarks stay below 2^31 elements.
struct MpiReduction {
    MPI_Op op;
    MPI_Datatype type;
    std::size_t element_bytes;

    void operator()(ConstBytes in, Bytes inout) const
    {
        MPI_Reduce_local(in.data(), inout.data(), static_cast<int>(in.size() / element_bytes), type, op);
    }
};

/// MPI_DATATYPE_NULL where MPI 3 has no such type.
inline MPI_Datatype mpi_type(DataType type)
{
    if (index_bytes(type) == 4) {
        switch (value_type(type)) {
            case DataType::int16:
                return MPI_SHORT_INT;
            case DataType::int32:
                return MPI_2INT;
            case DataType::int64:
                return MPI_LONG_INT;
            case DataType::float32:
                return MPI_FLOAT_INT;
            case DataType::float64:
                return MPI_DOUBLE_INT;
            case DataType::long_double:
                return MPI_LONG_DOUBLE_INT;
            default:
                return MPI_DATATYPE_NULL;
        }
    }
    switch (type) {
        case DataType::boolean:
            return MPI_C_BOOL;
        case DataType::int8:
            return MPI_INT8_T;
        case DataType::int16:
            return MPI_INT16_T;
        case DataType::int32:
            return MPI_INT32_T;
        case DataType::int64:
            return MPI_INT64_T;
        case DataType::uint8:
            return MPI_UINT8_T;
        case DataType::uint16:
            return MPI_UINT16_T;
        case DataType::uint32:
            return MPI_UINT32_T;
        case DataType::uint64:
            return MPI_UINT64_T;
        case DataType::float32:
            return MPI_FLOAT;
        case DataType::float64:
            return MPI_DOUBLE;
        case DataType::long_double:
            return MPI_LONG_DOUBLE;
        case DataType::complex64:
            return MPI_C_FLOAT_COMPLEX;
        case DataType::complex128:
            return MPI_C_DOUBLE_COMPLEX;
        case DataType::complex_long_double:
            return MPI_C_LONG_DOUBLE_COMPLEX;
        default:
            return MPI_DATATYPE_NULL;
    }
}

inline MPI_Op mpi_op(Op op)
{
    switch (op) {
        case Op::sum:
            return MPI_SUM;
        case Op::min:
            return MPI_MIN;
        case Op::max:
            return MPI_MAX;
        case Op::prod:
            return MPI_PROD;
        case Op::land:
            return MPI_LAND;
        case Op::lor:
            return MPI_LOR;
        case Op::lxor:
            return MPI_LXOR;
        case Op::band:
            return MPI_BAND;
        case Op::bor:
            return MPI_BOR;
        case Op::bxor:
            return MPI_BXOR;
        case Op::minloc:
            return MPI_MINLOC;
        case Op::maxloc:
            return MPI_MAXLOC;
    }
    return MPI_OP_NULL;
}

/// Empty if MPI does not define the operator on the type: it has logical operators on integers and bool only,
/// and no other operators on bool.
inline std::optional<MpiReduction> mpi_reduction(Op op, DataType type)
{
    const bool logical = op == Op::land || op == Op::lor || op == Op::lxor;
    const bool integral = value_type(type) <= DataType::uint64 && index_bytes(type) == 0;
    const MPI_Datatype known = mpi_type(type);
    if (!is_defined(op, type) || known == MPI_DATATYPE_NULL || (logical && !integral) ||
        (!logical && type == DataType::boolean))
        return std::nullopt;
    return MpiReduction{mpi_op(op), known, size_bytes(type)};
}

}  // namespace tutti::bench
