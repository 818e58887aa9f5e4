#include "lib/mpi/fortran/buffers.hpp"

#include <cstring>

namespace tutti::mpi::fortran {

namespace {

std::size_t items_of(const ArrayDescriptor& array)
{
    std::size_t items = 1;
    for (int level = 0; level < array.rank; ++level)
        items *= static_cast<std::size_t>(array.dimensions[level].extent);
    return items;
}

/// Calls visit(place) for all elements in the order of the array.
template <class Visit>
void visit_elements(const ArrayDescriptor& array, int level, char* place, const Visit& visit)
{
    if (level < 0)
        return visit(place);
    const ArrayDescriptor::Dimension& dimension = array.dimensions[level];
    for (std::ptrdiff_t i = 0; i < dimension.extent; ++i, place += dimension.stride_bytes)
        visit_elements(array, level - 1, place, visit);
}

template <class Move>
void move_elements(const ArrayDescriptor& array, char* copied, const Move& move)
{
    visit_elements(array, array.rank - 1, static_cast<char*>(array.address), [&](char* place) {
        move(place, copied);
        copied += array.element_bytes;
    });
}

}  // namespace

Copy::Copy(const char* call, const ArrayDescriptor* array, Use use)
    : array_(array), use_(use), address_(address_of(array))
{
    if (is_contiguous(*array))
        return;
    const std::size_t bytes = items_of(*array) * array->element_bytes;
    copied_ = static_cast<char*>(std::malloc(bytes));
    if (copied_ == nullptr) {
        code_ = create_fortran_error(
            call, MPI_ERR_NO_MEM,
            "there is no memory for a copy of an array section with gaps; pass a contiguous array");
        return;
    }
    address_ = copied_;
    move_elements(*array, copied_, [bytes_each = array->element_bytes](char* place, char* copy) {
        std::memcpy(copy, place, bytes_each);
    });
}

Copy::~Copy()
{
    if (copied_ != nullptr && use_ == Use::written)
        move_elements(*array_, copied_, [bytes_each = array_->element_bytes](char* place, char* copy) {
            std::memcpy(place, copy, bytes_each);
        });
    std::free(copied_);
}

Whole::Whole(const char* call, const ArrayDescriptor* array) : address_(address_of(array))
{
    if (!is_contiguous(*array))
        code_ = create_fortran_error(
            call, MPI_ERR_BUFFER,
            "a buffer of blocks or of a reduction is an array section with gaps, and the call returns "
            "before it has used the buffer; pass a contiguous array, or use the blocking call");
}

}  // namespace tutti::mpi::fortran
