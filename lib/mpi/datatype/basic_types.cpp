// The predefined datatypes.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <mutex>
#include <string_view>

#include "lib/foundation/datatype/build.hpp"
#include "lib/mpi/datatype/datatype.hpp"

namespace tutti::mpi {

namespace {

using datatype::basic;
using datatype::contiguous;
using datatype::TypemapRef;

// In the portable form these are shorter than here.
constexpr std::size_t kExternalLong = 4;
constexpr std::size_t kExternalWideCharacter = 2;

Datatype& define(MPI_Datatype handle, std::string_view name, TypemapRef map)
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    auto& type = *new Datatype(std::move(map), value);
    type.name = name;
    type.committed = true;
    type.permanent = true;
    Datatype::predefined[value - Datatype::kFirst] = &type;
    // Packed data takes any type.
    detail::ElementType& element = element_types[value - Datatype::kFirst];
    if (handle != MPI_PACKED)
        element = {detail::ElementType::Kind::described, {}, type.map->size_bytes(), {}, type.map.get()};
    type.element = &element;
    if (type.map->is_contiguous() && type.map->true_lower_bound() == 0)
        contiguous_sizes[value - Datatype::kFirst] = static_cast<std::uint8_t>(type.map->size_bytes());
    return type;
}

// `external_bytes`: in the portable form, where that is not the usual size.
void define_number(MPI_Datatype handle, std::string_view name, DataType number,
                   std::size_t external_bytes = 0)
{
    define(handle, name, basic(number, external_bytes)).number = number;
}

// No operator combines these.
void define_other(MPI_Datatype handle, std::string_view name, DataType like, std::size_t bytes)
{
    define(handle, name, datatype::number(like, bytes));
}

/// Two numbers of one type.
void define_two(MPI_Datatype handle, std::string_view name, DataType value)
{
    define(handle, name, contiguous(2, *basic(value))).number = with_own_index(value);
}

/// A value and its place, in C's struct. `number`: as the operators know it.
template <class Value>
void define_pair(MPI_Datatype handle, std::string_view name, DataType value, std::size_t external_bytes = 0)
{
    struct Pair {
        Value value;
        int index;
    };
    const TypemapRef first = basic(value, external_bytes);
    const TypemapRef second = basic(DataType::int32);
    const datatype::Member members[] = {{0, 1, first.get()}, {offsetof(Pair, index), 1, second.get()}};
    define(handle, name, datatype::structure(members)).number = with_index(value, sizeof(int));
}

void define_c_types()
{
    define_number(MPI_AINT, "MPI_AINT", DataType::int64);
    define_number(MPI_COUNT, "MPI_COUNT", DataType::int64);
    define_number(MPI_OFFSET, "MPI_OFFSET", DataType::int64);
    define_number(MPI_SHORT, "MPI_SHORT", DataType::int16);
    define_number(MPI_INT, "MPI_INT", DataType::int32);
    define_number(MPI_LONG, "MPI_LONG", data_type_of<long>(), kExternalLong);
    define_number(MPI_LONG_LONG_INT, "MPI_LONG_LONG_INT", DataType::int64);  // the other name is a synonym
    define_number(MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", DataType::uint16);
    define_number(MPI_UNSIGNED, "MPI_UNSIGNED", DataType::uint32);
    define_number(MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", data_type_of<unsigned long>(), kExternalLong);
    define_number(MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", DataType::uint64);
    define_number(MPI_FLOAT, "MPI_FLOAT", DataType::float32);
    define_number(MPI_DOUBLE, "MPI_DOUBLE", DataType::float64);
    define_number(MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", DataType::long_double);
    define_number(MPI_C_BOOL, "MPI_C_BOOL", DataType::boolean);
    define_number(MPI_INT8_T, "MPI_INT8_T", DataType::int8);
    define_number(MPI_UINT8_T, "MPI_UINT8_T", DataType::uint8);
    define_number(MPI_INT16_T, "MPI_INT16_T", DataType::int16);
    define_number(MPI_UINT16_T, "MPI_UINT16_T", DataType::uint16);
    define_number(MPI_INT32_T, "MPI_INT32_T", DataType::int32);
    define_number(MPI_UINT32_T, "MPI_UINT32_T", DataType::uint32);
    define_number(MPI_INT64_T, "MPI_INT64_T", DataType::int64);
    define_number(MPI_UINT64_T, "MPI_UINT64_T", DataType::uint64);
    define_number(MPI_CHAR, "MPI_CHAR", DataType::int8);
    define_number(MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", DataType::int8);
    define_number(MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", DataType::uint8);
    define_number(MPI_WCHAR, "MPI_WCHAR", DataType::int32, kExternalWideCharacter);
    define_number(MPI_BYTE, "MPI_BYTE", DataType::uint8);
    define_other(MPI_PACKED, "MPI_PACKED", DataType::uint8, 1);
}

void define_complex_types()
{
    define_number(MPI_C_COMPLEX, "MPI_C_COMPLEX", DataType::complex64);  // the other name is a synonym
    define_number(MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", DataType::complex128);
    define_number(MPI_CXX_BOOL, "MPI_CXX_BOOL", DataType::boolean);
    define_number(MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", DataType::complex64);
    define_number(MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", DataType::complex128);
    define_number(MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", DataType::complex_long_double);
    define_number(MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX", DataType::complex_long_double);
}

void define_fortran_types()
{
    define_number(MPI_LOGICAL, "MPI_LOGICAL", DataType::int32);
    define_number(MPI_INTEGER, "MPI_INTEGER", DataType::int32);
    define_number(MPI_REAL, "MPI_REAL", DataType::float32);
    define_number(MPI_COMPLEX, "MPI_COMPLEX", DataType::complex64);
    define_number(MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", DataType::float64);
    define_number(MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", DataType::complex128);
    define_number(MPI_CHARACTER, "MPI_CHARACTER", DataType::int8);
    define_number(MPI_LOGICAL1, "MPI_LOGICAL1", DataType::int8);
    define_number(MPI_INTEGER1, "MPI_INTEGER1", DataType::int8);
    define_number(MPI_LOGICAL2, "MPI_LOGICAL2", DataType::int16);
    define_number(MPI_INTEGER2, "MPI_INTEGER2", DataType::int16);
    define_number(MPI_REAL2, "MPI_REAL2", DataType::float16);
    define_number(MPI_LOGICAL4, "MPI_LOGICAL4", DataType::int32);
    define_number(MPI_INTEGER4, "MPI_INTEGER4", DataType::int32);
    define_number(MPI_REAL4, "MPI_REAL4", DataType::float32);
    define_other(MPI_COMPLEX4, "MPI_COMPLEX4", DataType::complex64, 4);
    define_number(MPI_LOGICAL8, "MPI_LOGICAL8", DataType::int64);
    define_number(MPI_INTEGER8, "MPI_INTEGER8", DataType::int64);
    define_number(MPI_REAL8, "MPI_REAL8", DataType::float64);
    define_number(MPI_COMPLEX8, "MPI_COMPLEX8", DataType::complex64);
    define_other(MPI_LOGICAL16, "MPI_LOGICAL16", DataType::int64, 16);
    define_other(MPI_INTEGER16, "MPI_INTEGER16", DataType::int64, 16);
    define_other(MPI_REAL16, "MPI_REAL16", DataType::float64, 16);
    define_number(MPI_COMPLEX16, "MPI_COMPLEX16", DataType::complex128);
    define_other(MPI_COMPLEX32, "MPI_COMPLEX32", DataType::complex64, 32);
}

void define_pairs()
{
    define_pair<float>(MPI_FLOAT_INT, "MPI_FLOAT_INT", DataType::float32);
    define_pair<double>(MPI_DOUBLE_INT, "MPI_DOUBLE_INT", DataType::float64);
    define_pair<long>(MPI_LONG_INT, "MPI_LONG_INT", data_type_of<long>(), kExternalLong);
    define_pair<int>(MPI_2INT, "MPI_2INT", DataType::int32);
    define_pair<short>(MPI_SHORT_INT, "MPI_SHORT_INT", DataType::int16);
    define_pair<long double>(MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", DataType::long_double);
    define_pair<int>(MPI_2INTEGER, "MPI_2INTEGER", DataType::int32);
    define_two(MPI_2REAL, "MPI_2REAL", DataType::float32);
    define_two(MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", DataType::float64);
}

}  // namespace

void define_basic_types()
{
    static std::once_flag once;
    std::call_once(once, [] {
        define_c_types();
        define_complex_types();
        define_fortran_types();
        define_pairs();
    });
}

}  // namespace tutti::mpi
