// The object behind an MPI_Datatype, and buffers of (address, count, datatype).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/foundation/datatype/typemap.hpp"
#include "lib/mpi/datatype/construction.hpp"
#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/attributes.hpp"
#include "lib/mpi/object/object.hpp"
#include "tutti/buffer.hpp"
#include "tutti/data_type.hpp"

namespace tutti::mpi {

struct Datatype final : ObjectOf<Datatype> {
    using Handle = MPI_Datatype;
    static constexpr std::uintptr_t kFirst = 0x200;
    static constexpr std::size_t kPredefined = 256;
    static constexpr Kind kKind = Kind::datatype;
    inline static Predefined<Datatype, kPredefined> predefined{};  // set before MPI is running, for ever

    explicit Datatype(datatype::TypemapRef description, std::uintptr_t handle = 0)
        : ObjectOf(handle), map(std::move(description))
    {
    }

    const datatype::TypemapRef map;
    base::Ref<const Construction> construction;  // none: a predefined type with a name
    std::string name;
    std::optional<DataType> number;  // what the built-in operators take it for
    bool committed = false;
    bool permanent = false;                        // the program may not free it
    const detail::ElementType* element = nullptr;  // for checks; once other_view() has needed it
    Attributes<MPI_Datatype> attributes;
};

/// Sizes of the predefined types whose elements are contiguous; 0: another handle, or not yet initialised.
inline std::array<std::uint8_t, Datatype::kPredefined> contiguous_sizes{};

/// The types of the predefined types' elements, for tuttirun --check.
inline std::array<detail::ElementType, Datatype::kPredefined> element_types{};

/// Predefined types of Fortran that its compiler does not have: their size is MPI_UNDEFINED.
inline std::array<std::atomic<bool>, Datatype::kPredefined> missing_types{};

void define_basic_types();

/// Throws Failure for a handle that is no datatype's.
Datatype& datatype_of(MPI_Datatype handle);
/// Throws Failure for a type that was not committed, too.
Datatype& committed_type(MPI_Datatype handle);

/// The handle of a type that is not committed.
MPI_Datatype new_datatype(datatype::TypemapRef map, base::Ref<const Construction> construction);

/// The bytes of `count` elements. Throws Failure for a negative count, and for more than memory has.
std::size_t checked_bytes(MPI_Count count, std::size_t element_bytes);

/// `unit`: what is counted.
[[noreturn]] void refuse_null_buffer(MPI_Count number, std::string_view unit);

/// const_view_of() of derived types, and of arguments that are wrong.
detail::ConstView other_view(const void* buffer, MPI_Count count, MPI_Datatype datatype);

/// Whether `buffer` is an address of memory. The compiler makes one comparison of the two: they are 0 and 1.
inline bool is_memory(const void* buffer) noexcept
{
    return buffer != MPI_BOTTOM && buffer != MPI_IN_PLACE;
}

/// `count` elements at `buffer`; empty ones have no layout. Throws Failure for a negative count, a handle
/// that is no committed type's, or a buffer without memory.
inline detail::ConstView const_view_of(const void* buffer, MPI_Count count, MPI_Datatype datatype)
{
    const std::uintptr_t index = reinterpret_cast<std::uintptr_t>(datatype) - Datatype::kFirst;
    // No element is larger than 32 bytes: the size in bytes fits.
    constexpr MPI_Count kMost = MPI_Count{1} << 57;
    if (index < Datatype::kPredefined && static_cast<std::uint64_t>(count) < kMost) [[likely]]
        if (const std::size_t size = contiguous_sizes[index]; size != 0 && is_memory(buffer)) [[likely]]
            return {static_cast<const std::byte*>(buffer), static_cast<std::size_t>(count) * size, nullptr,
                    &element_types[index]};
    return other_view(buffer, count, datatype);
}
inline detail::View view_of(void* buffer, MPI_Count count, MPI_Datatype datatype)
{
    const detail::ConstView view = const_view_of(buffer, count, datatype);
    return {const_cast<std::byte*>(view.data), view.size_bytes, view.layout, view.element};
}

}  // namespace tutti::mpi
