#include "lib/mpi/abi/fortran_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "lib/foundation/datatype/build.hpp"
#include "lib/foundation/datatype/walk.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"

namespace tutti::mpi {

namespace {

using datatype::Member;
using datatype::TypemapRef;

/// Elements of the section in the order of the array.
class SectionElements {
public:
    explicit SectionElements(const ArrayDescriptor& section) : section_(section)
    {
        for (int level = 0; level < section.rank; ++level)
            items_below_.push_back(items_below_.back() * static_cast<std::size_t>(std::max<std::ptrdiff_t>(
                                                             section.dimensions[level].extent, 0)));
    }

    std::size_t items() const { return items_below_.back(); }

    std::ptrdiff_t offset_of(std::size_t item) const
    {
        std::ptrdiff_t offset = 0;
        for (int level = 0; level < section_.rank; ++level) {
            const auto extent = static_cast<std::size_t>(section_.dimensions[level].extent);
            offset += static_cast<std::ptrdiff_t>(item % extent) * section_.dimensions[level].stride_bytes;
            item /= extent;
        }
        return offset;
    }

    /// The first `items`, each as `element`. Strides of all levels are in bytes: the extent of a level with
    /// gaps is not its distance to the next one.
    TypemapRef first(std::size_t items, const datatype::Typemap& element) const
    {
        return first_of_level(section_.rank, items, element);
    }

private:
    TypemapRef first_of_level(int level, std::size_t items, const datatype::Typemap& element) const
    {
        if (level == 0)
            return datatype::contiguous(items, element);
        const std::size_t row = items_below_[static_cast<std::size_t>(level) - 1];
        const std::ptrdiff_t stride = section_.dimensions[level - 1].stride_bytes;
        const std::size_t whole = items / row;
        const TypemapRef rows = datatype::hvector(whole, 1, stride, *first_of_level(level - 1, row, element));
        if (whole * row == items)
            return rows;
        const TypemapRef rest = first_of_level(level - 1, items - whole * row, element);
        return datatype::structure(std::vector<Member>{
            {0, 1, rows.get()}, {static_cast<std::ptrdiff_t>(whole) * stride, 1, rest.get()}});
    }

    const ArrayDescriptor& section_;
    std::vector<std::size_t> items_below_ = {1};
};

/// Where a type has gaps, or is no part of an element: run by run.
TypemapRef runs_in_section(const SectionElements& elements, std::size_t element_bytes,
                           const datatype::Typemap& type, std::size_t bytes)
{
    std::vector<datatype::Block> blocks;
    const auto add = [&](std::ptrdiff_t offset, std::size_t run) {
        if (offset < 0 || static_cast<std::size_t>(offset) + run > elements.items() * element_bytes)
            fail(MPI_ERR_BUFFER, fmt::format("the datatype reaches beyond the array section, which has {} "
                                             "elements of {} bytes",
                                             elements.items(), element_bytes));
        auto at = static_cast<std::size_t>(offset);
        while (run > 0) {
            const std::size_t within = at % element_bytes;
            const std::size_t piece = std::min(run, element_bytes - within);
            const std::ptrdiff_t place =
                elements.offset_of(at / element_bytes) + static_cast<std::ptrdiff_t>(within);
            if (!blocks.empty() &&
                blocks.back().offset + static_cast<std::ptrdiff_t>(blocks.back().count) == place)
                blocks.back().count += piece;
            else
                blocks.push_back({place, piece});
            at += piece;
            run -= piece;
        }
    };
    datatype::walk(type, 0, bytes, add);
    return datatype::hindexed(std::move(blocks), *datatype::bytes(1));
}

TypemapRef type_in_section(const ArrayDescriptor& section, MPI_Count count, MPI_Datatype datatype)
{
    const datatype::Typemap& type = *committed_type(datatype).map;
    check_not_negative("the count", count, MPI_ERR_COUNT);
    const SectionElements elements(section);
    const std::size_t size = type.size_bytes();
    const std::size_t bytes = checked_bytes(count, size);
    if (bytes == 0)
        return datatype::bytes(0);
    if (bytes > elements.items() * section.element_bytes)
        fail(MPI_ERR_BUFFER,
             fmt::format(
                 "{} elements of {} bytes are more than the array section has: {} elements of {} bytes",
                 count, size, elements.items(), section.element_bytes));
    // Whole elements of the array keep the type of their parts, which --check compares.
    if (type.is_contiguous() && section.element_bytes % size == 0 && bytes % section.element_bytes == 0)
        return elements.first(bytes / section.element_bytes,
                              *datatype::contiguous(section.element_bytes / size, type));
    return runs_in_section(elements, section.element_bytes, type, bytes);
}

/// What of a descriptor makes the type.
struct Shape {
    Shape() = default;
    // A descriptor has no dimensions behind its rank.
    explicit Shape(const ArrayDescriptor& section) : rank(section.rank), element_bytes(section.element_bytes)
    {
        for (int level = 0; level < rank; ++level)
            steps[static_cast<std::size_t>(level)] = {section.dimensions[level].extent,
                                                      section.dimensions[level].stride_bytes};
    }
    bool operator==(const Shape&) const = default;

    int rank = 0;
    std::size_t element_bytes = 0;
    std::array<std::pair<std::ptrdiff_t, std::ptrdiff_t>, 15> steps{};
};

/// The last types that a thread has made: loops pass the same few sections again and again.
class LastSections {
public:
    TypemapRef type(const ArrayDescriptor& section, MPI_Count count, MPI_Datatype datatype)
    {
        const TypemapRef& parts = committed_type(datatype).map;
        const Shape shape(section);
        for (const Made& made : made_)
            if (made.parts.get() == parts.get() && made.count == count && made.shape == shape)
                return made.type;
        Made& oldest = made_[next_];
        next_ = (next_ + 1) % made_.size();
        oldest = {shape, count, parts, type_in_section(section, count, datatype)};
        return oldest.type;
    }

private:
    struct Made {
        Shape shape;
        MPI_Count count = 0;
        TypemapRef parts;  // held, so that no other has its place in memory
        TypemapRef type;
    };

    std::array<Made, 4> made_;
    std::size_t next_ = 0;
};

}  // namespace

int create_fortran_section(const char* call, const ArrayDescriptor* section, MPI_Count count,
                           MPI_Datatype datatype, MPI_Datatype* made)
{
    thread_local LastSections last;
    return guard(call, [&] {
        *made = new_datatype(last.type(*section, count, datatype), {});
        datatype_of(*made).committed = true;
    });
}

int create_fortran_error(const char* call, int error_class, const char* sentence)
{
    return guard(call, [&] { fail(error_class, sentence); });
}

}  // namespace tutti::mpi
