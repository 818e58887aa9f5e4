// Datatypes made once more, of numbers as large as they are in a file.
#include <fmt/format.h>

#include <vector>

#include "lib/foundation/datatype/build.hpp"
#include "lib/mpi/file/representation.hpp"
#include "lib/mpi/object/callbacks.hpp"
#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

namespace {

using datatype::TypemapRef;

/// The arguments of a constructor, in the order of its call.
class Arguments {
public:
    explicit Arguments(const Construction& of) noexcept : of_(of) {}

    int number() { return of_.integers()[next_integer_++]; }
    MPI_Count count() { return of_.is_large() ? of_.large_counts()[next_large_++] : number(); }
    MPI_Count bytes()
    {
        return of_.is_large() ? of_.large_counts()[next_large_++] : of_.addresses()[next_address_++];
    }
    std::size_t size() { return static_cast<std::size_t>(count()); }

private:
    const Construction& of_;
    std::size_t next_integer_ = 0;
    std::size_t next_address_ = 0;
    std::size_t next_large_ = 0;
};

datatype::Order order_in_file(int order) noexcept
{
    return order == MPI_ORDER_C ? datatype::Order::c : datatype::Order::fortran;
}

std::vector<datatype::Block> blocks_in_file(Arguments& arguments, bool one_length, bool in_bytes)
{
    std::vector<datatype::Block> blocks(arguments.size());
    const std::size_t length = one_length ? arguments.size() : 0;
    for (datatype::Block& block : blocks)
        block.count = one_length ? length : arguments.size();
    for (datatype::Block& block : blocks)
        block.offset = in_bytes ? arguments.bytes() : arguments.count();
    return blocks;
}

TypemapRef subarray_of(Arguments& arguments, const datatype::Typemap& of)
{
    std::vector<datatype::Dimension> dimensions(static_cast<std::size_t>(arguments.number()));
    for (datatype::Dimension& each : dimensions)
        each.size = arguments.size();
    for (datatype::Dimension& each : dimensions)
        each.taken = arguments.size();
    for (datatype::Dimension& each : dimensions)
        each.start = arguments.size();
    return datatype::subarray(dimensions, order_in_file(arguments.number()), of);
}

TypemapRef distributed_array_of(Arguments& arguments, const datatype::Typemap& of)
{
    arguments.number();  // the ranks, which the grid has
    const int rank = arguments.number();
    std::vector<datatype::DistributedDimension> dimensions(static_cast<std::size_t>(arguments.number()));
    for (datatype::DistributedDimension& each : dimensions)
        each.size = arguments.size();
    for (datatype::DistributedDimension& each : dimensions) {
        const int how = arguments.number();
        each.distribution = how == MPI_DISTRIBUTE_NONE    ? datatype::Distribution::none
                            : how == MPI_DISTRIBUTE_BLOCK ? datatype::Distribution::block
                                                          : datatype::Distribution::cyclic;
    }
    for (datatype::DistributedDimension& each : dimensions) {
        const int block = arguments.number();
        const bool is_usual =
            block == MPI_DISTRIBUTE_DFLT_DARG || each.distribution == datatype::Distribution::none;
        each.block = is_usual ? 0 : static_cast<std::size_t>(block);
    }
    for (datatype::DistributedDimension& each : dimensions)
        each.processes = static_cast<std::size_t>(arguments.number());
    return datatype::distributed_array(dimensions, static_cast<std::size_t>(rank),
                                       order_in_file(arguments.number()), of);
}

TypemapRef structure_of(Arguments& arguments, const std::vector<TypemapRef>& types)
{
    std::vector<datatype::Member> members(arguments.size());
    for (std::size_t i = 0; i < members.size(); ++i)
        members[i] = {0, arguments.size(), types[i].get()};
    for (datatype::Member& member : members)
        member.offset_bytes = arguments.bytes();
    return datatype::structure(members);
}

TypemapRef made_again(const Construction& made, const std::vector<TypemapRef>& types)
{
    Arguments arguments(made);
    if (made.combiner() == MPI_COMBINER_STRUCT)
        return structure_of(arguments, types);
    const datatype::Typemap& of = *types.front();
    switch (made.combiner()) {
        case MPI_COMBINER_CONTIGUOUS:
            return datatype::contiguous(arguments.size(), of);
        case MPI_COMBINER_VECTOR:
        case MPI_COMBINER_HVECTOR: {
            const bool in_bytes = made.combiner() == MPI_COMBINER_HVECTOR;
            const std::size_t count = arguments.size();
            const std::size_t block = arguments.size();
            return in_bytes ? datatype::hvector(count, block, arguments.bytes(), of)
                            : datatype::vector(count, block, arguments.count(), of);
        }
        case MPI_COMBINER_INDEXED:
            return datatype::indexed(blocks_in_file(arguments, false, false), of);
        case MPI_COMBINER_HINDEXED:
            return datatype::hindexed(blocks_in_file(arguments, false, true), of);
        case MPI_COMBINER_INDEXED_BLOCK:
            return datatype::indexed(blocks_in_file(arguments, true, false), of);
        case MPI_COMBINER_HINDEXED_BLOCK:
            return datatype::hindexed(blocks_in_file(arguments, true, true), of);
        case MPI_COMBINER_SUBARRAY:
            return subarray_of(arguments, of);
        case MPI_COMBINER_DARRAY:
            return distributed_array_of(arguments, of);
        case MPI_COMBINER_RESIZED: {
            const MPI_Count lower_bound = arguments.bytes();
            return datatype::resized(lower_bound, arguments.bytes(), of);
        }
        default:  // MPI_COMBINER_DUP
            return types.front();
    }
}

TypemapRef number_in_file(const Construction::Inner& type, const Representation& representation)
{
    if (representation.extent == nullptr)
        return datatype::bytes(type.map->signature().external_bytes);
    MPI_Aint extent = -1;
    const int code = call_extent(representation.extent, type.permanent, &extent, representation.extra_state);
    if (code != MPI_SUCCESS || extent < 0)
        fail(MPI_ERR_CONVERSION,
             fmt::format("the function for extents of data representation \"{}\" has returned "
                         "error {} and extent {} for {}",
                         representation.name, code, extent, datatype_of(type.permanent).name));
    return datatype::bytes(static_cast<std::size_t>(extent));
}

}  // namespace

datatype::TypemapRef type_in_file(const Construction::Inner& type, const Representation& representation)
{
    if (!representation.converts())
        return type.map;
    if (type.permanent != MPI_DATATYPE_NULL)
        return number_in_file(type, representation);
    std::vector<TypemapRef> types;
    for (const Construction::Inner& each : type.construction->types())
        types.push_back(type_in_file(each, representation));
    return made_again(*type.construction, types);
}

}  // namespace tutti::mpi
