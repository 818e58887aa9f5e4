// Datatypes of blocks: of one type at regular or given places, and of several types.
#include <type_traits>
#include <vector>

#include "lib/foundation/datatype/build.hpp"
#include "lib/mpi/datatype/type_arguments.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using datatype::Block;

std::size_t type_count(MPI_Count count)
{
    check_not_negative("the count", count, MPI_ERR_COUNT);
    return static_cast<std::size_t>(count);
}

std::size_t block_length(MPI_Count length)
{
    check_not_negative("the length of a block", length);
    return static_cast<std::size_t>(length);
}

// Blocks at given places: of one length or of a list, at offsets in extents or, if they are a pointer, in
// bytes.
template <class Lengths, class Offsets>
void make_blocks_type(int combiner, bool large, MPI_Count count, Lengths lengths, Offsets offsets,
                      MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    constexpr bool kOneLength = std::is_same_v<Lengths, MPI_Count>;
    constexpr bool kInBytes = std::is_pointer_v<Offsets>;
    const Datatype& of = old_type(oldtype, newtype);
    const std::size_t number = type_count(count);
    if constexpr (!kOneLength)
        check_entries("array_of_blocklengths", lengths, count);
    check_entries("array_of_displacements", offsets, count);
    const auto made = construction_of(combiner, large, of);
    made->add_count(count);
    std::vector<Block> blocks(number);
    if constexpr (kOneLength) {
        const std::size_t length = block_length(lengths);
        for (Block& block : blocks)
            block.count = length;
        made->add_count(lengths);
    } else {
        for (std::size_t i = 0; i < number; ++i) {
            blocks[i].count = block_length(lengths[i]);
            made->add_count(lengths[i]);
        }
    }
    for (std::size_t i = 0; i < number; ++i) {
        blocks[i].offset = offsets[i];
        kInBytes ? made->add_bytes(offsets[i]) : made->add_count(offsets[i]);
    }
    *newtype = new_datatype(kInBytes ? datatype::hindexed(std::move(blocks), *of.map)
                                     : datatype::indexed(std::move(blocks), *of.map),
                            complete(made));
}

}  // namespace

int type_contiguous(bool large, MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard("MPI_Type_contiguous", [&] {
        const Datatype& of = old_type(oldtype, newtype);
        const std::size_t number = type_count(count);
        const auto made = construction_of(MPI_COMBINER_CONTIGUOUS, large, of);
        made->add_count(count);
        *newtype = new_datatype(datatype::contiguous(number, *of.map), complete(made));
    });
}

int type_vector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                MPI_Datatype* newtype)
{
    return guard("MPI_Type_vector", [&] {
        const Datatype& of = old_type(oldtype, newtype);
        const std::size_t number = type_count(count);
        const std::size_t length = block_length(blocklength);
        const auto made = construction_of(MPI_COMBINER_VECTOR, large, of);
        for (const MPI_Count argument : {count, blocklength, stride})
            made->add_count(argument);
        *newtype = new_datatype(datatype::vector(number, length, stride, *of.map), complete(made));
    });
}

int type_create_hvector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                        MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard("MPI_Type_create_hvector", [&] {
        const Datatype& of = old_type(oldtype, newtype);
        const std::size_t number = type_count(count);
        const std::size_t length = block_length(blocklength);
        const auto made = construction_of(MPI_COMBINER_HVECTOR, large, of);
        made->add_count(count);
        made->add_count(blocklength);
        made->add_bytes(stride);
        *newtype = new_datatype(datatype::hvector(number, length, stride, *of.map), complete(made));
    });
}

int type_indexed(bool large, MPI_Count count, Counts array_of_blocklengths, Counts array_of_displacements,
                 MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard("MPI_Type_indexed", [&] {
        make_blocks_type(MPI_COMBINER_INDEXED, large, count, array_of_blocklengths, array_of_displacements,
                         oldtype, newtype);
    });
}

int type_create_hindexed(bool large, MPI_Count count, Counts array_of_blocklengths,
                         const MPI_Count* array_of_displacements, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard("MPI_Type_create_hindexed", [&] {
        make_blocks_type(MPI_COMBINER_HINDEXED, large, count, array_of_blocklengths, array_of_displacements,
                         oldtype, newtype);
    });
}

int type_create_indexed_block(bool large, MPI_Count count, MPI_Count blocklength,
                              Counts array_of_displacements, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard("MPI_Type_create_indexed_block", [&] {
        make_blocks_type(MPI_COMBINER_INDEXED_BLOCK, large, count, blocklength, array_of_displacements,
                         oldtype, newtype);
    });
}

int type_create_hindexed_block(bool large, MPI_Count count, MPI_Count blocklength,
                               const MPI_Count* array_of_displacements, MPI_Datatype oldtype,
                               MPI_Datatype* newtype)
{
    return guard("MPI_Type_create_hindexed_block", [&] {
        make_blocks_type(MPI_COMBINER_HINDEXED_BLOCK, large, count, blocklength, array_of_displacements,
                         oldtype, newtype);
    });
}

int type_create_struct(bool large, MPI_Count count, Counts array_of_blocklengths,
                       const MPI_Count* array_of_displacements, const MPI_Datatype* array_of_types,
                       MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_struct", newtype, "newtype", [&] {
        const std::size_t number = type_count(count);
        check_entries("array_of_blocklengths", array_of_blocklengths, count);
        check_entries("array_of_displacements", array_of_displacements, count);
        check_entries("array_of_types", array_of_types, count);
        const base::Ref<Construction> made(new Construction(MPI_COMBINER_STRUCT, large));
        std::vector<datatype::Member> members;
        made->add_count(count);
        for (std::size_t i = 0; i < number; ++i) {
            const Datatype& of = datatype_of(array_of_types[i]);
            members.push_back(
                {array_of_displacements[i], block_length(array_of_blocklengths[i]), of.map.get()});
            made->add_count(array_of_blocklengths[i]);
            made->add_type(of);
        }
        for (std::size_t i = 0; i < number; ++i)
            made->add_bytes(array_of_displacements[i]);
        return new_datatype(datatype::structure(members), complete(made));
    });
}

}  // namespace tutti::mpi
