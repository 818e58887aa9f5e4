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
MPI_Datatype make_blocks_type(int combiner, bool large, MPI_Count count, Lengths lengths, Offsets offsets,
                              MPI_Datatype oldtype)
{
    constexpr bool kOneLength = std::is_same_v<Lengths, MPI_Count>;
    constexpr bool kInBytes = std::is_pointer_v<Offsets>;
    const std::size_t number = type_count(count);
    if constexpr (!kOneLength)
        check_entries("array_of_blocklengths", lengths, count);
    check_entries("array_of_displacements", offsets, count);
    const NewType made(combiner, large, oldtype);
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
    return made.with(kInBytes ? datatype::hindexed(std::move(blocks), made.of())
                              : datatype::indexed(std::move(blocks), made.of()));
}

}  // namespace

int type_contiguous(bool large, MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_contiguous", newtype, "newtype", [&] {
        const std::size_t number = type_count(count);
        const NewType made(MPI_COMBINER_CONTIGUOUS, large, oldtype);
        made->add_count(count);
        return made.with(datatype::contiguous(number, made.of()));
    });
}

int type_vector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_vector", newtype, "newtype", [&] {
        const std::size_t number = type_count(count);
        const std::size_t length = block_length(blocklength);
        const NewType made(MPI_COMBINER_VECTOR, large, oldtype);
        for (const MPI_Count argument : {count, blocklength, stride})
            made->add_count(argument);
        return made.with(datatype::vector(number, length, stride, made.of()));
    });
}

int type_create_hvector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                        MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_hvector", newtype, "newtype", [&] {
        const std::size_t number = type_count(count);
        const std::size_t length = block_length(blocklength);
        const NewType made(MPI_COMBINER_HVECTOR, large, oldtype);
        made->add_count(count);
        made->add_count(blocklength);
        made->add_bytes(stride);
        return made.with(datatype::hvector(number, length, stride, made.of()));
    });
}

int type_indexed(bool large, MPI_Count count, Counts array_of_blocklengths, Counts array_of_displacements,
                 MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_indexed", newtype, "newtype", [&] {
        return make_blocks_type(MPI_COMBINER_INDEXED, large, count, array_of_blocklengths,
                                array_of_displacements, oldtype);
    });
}

int type_create_hindexed(bool large, MPI_Count count, Counts array_of_blocklengths,
                         const MPI_Count* array_of_displacements, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_hindexed", newtype, "newtype", [&] {
        return make_blocks_type(MPI_COMBINER_HINDEXED, large, count, array_of_blocklengths,
                                array_of_displacements, oldtype);
    });
}

int type_create_indexed_block(bool large, MPI_Count count, MPI_Count blocklength,
                              Counts array_of_displacements, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_indexed_block", newtype, "newtype", [&] {
        return make_blocks_type(MPI_COMBINER_INDEXED_BLOCK, large, count, blocklength, array_of_displacements,
                                oldtype);
    });
}

int type_create_hindexed_block(bool large, MPI_Count count, MPI_Count blocklength,
                               const MPI_Count* array_of_displacements, MPI_Datatype oldtype,
                               MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_hindexed_block", newtype, "newtype", [&] {
        return make_blocks_type(MPI_COMBINER_HINDEXED_BLOCK, large, count, blocklength,
                                array_of_displacements, oldtype);
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
        const NewType made(MPI_COMBINER_STRUCT, large);
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
        return made.with(datatype::structure(members));
    });
}

}  // namespace tutti::mpi
