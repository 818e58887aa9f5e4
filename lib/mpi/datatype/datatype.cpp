#include "lib/mpi/datatype/datatype.hpp"

#include <fmt/format.h>

#include <deque>
#include <mutex>

#include "lib/core/process/check_options.hpp"
#include "lib/foundation/datatype/absolute.hpp"
#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

Datatype& datatype_of(MPI_Datatype handle)
{
    Datatype* const found = find<Datatype>(handle);
    if (found != nullptr) [[likely]]
        return *found;
    if (handle == MPI_DATATYPE_NULL)
        fail(MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL");
    fail(MPI_ERR_TYPE, fmt::format("{} is no datatype, or one that was freed", fmt::ptr(handle)));
}

MPI_Datatype new_datatype(datatype::TypemapRef map, base::Ref<const Construction> construction)
{
    auto& made = *new Datatype(std::move(map));
    made.construction = std::move(construction);
    return handle_of(made);
}

Datatype& committed_type(MPI_Datatype handle)
{
    Datatype& type = datatype_of(handle);
    if (!type.committed) [[unlikely]]
        fail(MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit first");
    return type;
}

namespace {

// For checks alone. The element outlives the type, as an operation under way or a persistent one may refer to
// it.
const detail::ElementType* kept_element(Datatype& type)
{
    struct Kept {
        datatype::TypemapRef map;
        detail::ElementType element;
    };
    static std::mutex& mutex = *new std::mutex;
    static auto& kept = *new std::deque<Kept>;
    if (!check::options().any())
        return type.element;
    const std::lock_guard lock(mutex);
    if (type.element == nullptr)
        type.element =
            &kept
                 .emplace_back(Kept{
                     type.map,
                     {detail::ElementType::Kind::described, {}, type.map->size_bytes(), {}, type.map.get()}})
                 .element;
    return type.element;
}

}  // namespace

std::size_t checked_bytes(MPI_Count count, std::size_t element_bytes)
{
    check_not_negative("the count", count, MPI_ERR_COUNT);
    MPI_Count bytes = 0;
    if (__builtin_mul_overflow(count, element_bytes, &bytes))
        fail(MPI_ERR_COUNT,
             fmt::format("{} elements of {} bytes exceed the address space", count, element_bytes));
    return static_cast<std::size_t>(bytes);
}

void refuse_null_buffer(MPI_Count number, std::string_view unit)
{
    fail(MPI_ERR_BUFFER,
         fmt::format("the buffer is a null pointer to {} {}; pass memory that holds them", number, unit));
}

detail::ConstView other_view(const void* buffer, MPI_Count count, MPI_Datatype datatype)
{
    check_not_negative("the count", count, MPI_ERR_COUNT);
    Datatype& type = committed_type(datatype);
    const datatype::Typemap& map = *type.map;
    const std::size_t size_bytes = checked_bytes(count, map.size_bytes());
    const auto* const base = static_cast<const std::byte*>(buffer);
    if (size_bytes == 0)
        return {base, 0, nullptr, nullptr};
    if (buffer == MPI_IN_PLACE)
        fail(MPI_ERR_BUFFER,
             "the buffer is MPI_IN_PLACE, which only collectives take; pass the memory itself");
    // A type with absolute addresses goes with MPI_BOTTOM.
    if (buffer == nullptr && !datatype::may_be_absolute(map))
        refuse_null_buffer(static_cast<MPI_Count>(size_bytes), "bytes");
    if (map.is_contiguous())
        return {base + map.true_lower_bound(), size_bytes, nullptr, kept_element(type)};
    map.description().data.repeated(static_cast<std::size_t>(count),
                                    map.extent_bytes());  // throws: too far apart
    return {base, size_bytes, &map, kept_element(type)};
}

}  // namespace tutti::mpi
