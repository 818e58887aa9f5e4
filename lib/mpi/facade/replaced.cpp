#include "lib/mpi/facade/replaced.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "lib/mpi/buffer/attached_buffers.hpp"
#include "lib/mpi/facade/convert.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/strings.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi::facade {

namespace {

// Predefined attributes whose values are constants or codes that differ.
int convert_attribute(int key, void* value, const int* flag)
{
    static int host = 0;
    static int ranks_that_read_and_write = 0;
    static int last_code = 0;
    int* own = nullptr;
    const int* standard = nullptr;
    if (*flag == 0 || (key != MPI_HOST && key != MPI_IO && key != MPI_LASTUSEDCODE))
        return MPI_SUCCESS;
    std::memcpy(&standard, value, sizeof standard);
    if (key == MPI_LASTUSEDCODE) {
        own = &last_code;
        *own = *standard == MPI_ERR_LASTCODE ? kLimit_ERR_LASTCODE : out_code(*standard);
    } else {
        own = key == MPI_HOST ? &host : &ranks_that_read_and_write;
        *own = out_rank(*standard);
    }
    std::memcpy(value, &own, sizeof own);
    return MPI_SUCCESS;
}

// Constants among the integers that a datatype was made of. Sizes are among them unless they are large
// counts.
void convert_contents(MPI_Datatype datatype, int* integers)
{
    MPI_Count numbers = 0;
    MPI_Count addresses = 0;
    MPI_Count large_counts = 0;
    MPI_Count types = 0;
    int combiner = MPI_COMBINER_NAMED;
    mpi::type_get_envelope_c(datatype, &numbers, &addresses, &large_counts, &types, &combiner);
    const bool has_sizes = large_counts == 0;
    int* at = integers;
    if (combiner == MPI_COMBINER_SUBARRAY) {
        const int dimensions = *at++;
        at += has_sizes ? 3 * dimensions : 0;
    } else if (combiner == MPI_COMBINER_DARRAY) {
        const int dimensions = at[2];
        at += 3 + (has_sizes ? dimensions : 0);
        for (int i = 0; i < dimensions; ++i, ++at)
            *at = out_number(kNumbers_distribution, *at);
        for (int i = 0; i < dimensions; ++i, ++at)
            *at = out_number(kNumbers_distribution_argument, *at);
        at += dimensions;
    } else {
        return;
    }
    *at = out_number(kNumbers_order, *at);
}

}  // namespace

int attr_get(MPI_Comm comm, int key, void* value, int* flag)
{
    const int code = mpi::attr_get(comm, key, value, flag);
    return code != MPI_SUCCESS ? code : convert_attribute(key, value, flag);
}

int buffer_attach(void* buffer, MPI_Count size)
{
    return guard("MPI_Buffer_attach", [&] { attach_buffer({}, buffer, size, kLimit_BSEND_OVERHEAD); });
}

int comm_get_attr(MPI_Comm comm, int key, void* value, int* flag)
{
    const int code = mpi::comm_get_attr(comm, key, value, flag);
    return code != MPI_SUCCESS ? code : convert_attribute(key, value, flag);
}

int win_get_attr(MPI_Win window, int key, void* value, int* flag)
{
    const int code = mpi::win_get_attr(window, key, value, flag);
    if (code != MPI_SUCCESS || *flag == 0 || (key != MPI_WIN_CREATE_FLAVOR && key != MPI_WIN_MODEL))
        return code;
    static int flavors[] = {out_number(kNumbers_flavor, MPI_WIN_FLAVOR_CREATE),
                            out_number(kNumbers_flavor, MPI_WIN_FLAVOR_ALLOCATE),
                            out_number(kNumbers_flavor, MPI_WIN_FLAVOR_DYNAMIC),
                            out_number(kNumbers_flavor, MPI_WIN_FLAVOR_SHARED)};
    static int unified = out_number(kNumbers_model, MPI_WIN_UNIFIED);
    const int* standard = nullptr;
    std::memcpy(&standard, value, sizeof standard);
    int* const own = key == MPI_WIN_MODEL ? &unified : &flavors[*standard - MPI_WIN_FLAVOR_CREATE];
    std::memcpy(value, &own, sizeof own);
    return code;
}

int get_version(int* version, int* subversion)
{
    const int code = mpi::get_version(version, subversion);
    if (code == MPI_SUCCESS) {
        *version = kVersion_VERSION;
        *subversion = kVersion_SUBVERSION;
    }
    return code;
}

int get_library_version(char* version, int* length)
{
    return guard("MPI_Get_library_version", [&] {
        copy_out("Tutti " TUTTI_VERSION " for programs of " TUTTI_FACADE, version, length,
                 MPI_MAX_LIBRARY_VERSION_STRING);
    });
}

int type_create_struct(bool large, MPI_Count count, Counts lengths, const MPI_Count* displacements,
                       const MPI_Datatype* types, MPI_Datatype* made)
{
    const auto is_marker = [&](MPI_Count i) {
        const auto value = reinterpret_cast<std::uintptr_t>(types[i]);
        return value == kLowerBoundMarker || value == kUpperBoundMarker;
    };
    MPI_Count markers = 0;
    if (types != nullptr && displacements != nullptr && !lengths.is_null())
        for (MPI_Count i = 0; i < count; ++i)
            markers += is_marker(i) ? 1 : 0;
    if (markers == 0)
        return mpi::type_create_struct(large, count, lengths, displacements, types, made);

    // The structure without its markers, resized to what they say.
    std::vector<MPI_Count> inner_lengths;
    std::vector<MPI_Count> inner_displacements;
    std::vector<MPI_Datatype> inner_types;
    std::optional<MPI_Count> lower;
    std::optional<MPI_Count> upper;
    for (MPI_Count i = 0; i < count; ++i) {
        const MPI_Count at = displacements[i];
        if (!is_marker(i)) {
            inner_lengths.push_back(lengths[static_cast<std::size_t>(i)]);
            inner_displacements.push_back(at);
            inner_types.push_back(types[i]);
        } else if (reinterpret_cast<std::uintptr_t>(types[i]) == kLowerBoundMarker) {
            lower = std::min(lower.value_or(at), at);
        } else {
            upper = std::max(upper.value_or(at), at);
        }
    }
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    MPI_Count inner_lower = 0;
    MPI_Count inner_extent = 0;
    int code = mpi::type_create_struct(true, count - markers, Counts(inner_lengths.data()),
                                       inner_displacements.data(), inner_types.data(), &inner);
    if (code == MPI_SUCCESS)
        code = mpi::type_get_extent(inner, &inner_lower, &inner_extent);
    if (code != MPI_SUCCESS)
        return code;
    const MPI_Count from = lower.value_or(inner_lower);
    code =
        mpi::type_create_resized(large, inner, from, upper.value_or(inner_lower + inner_extent) - from, made);
    mpi::type_free(&inner);
    return code;
}

int type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                      int* integers, MPI_Aint* addresses, MPI_Datatype* datatypes)
{
    const int code = mpi::type_get_contents(datatype, max_integers, max_addresses, max_datatypes, integers,
                                            addresses, datatypes);
    if (code == MPI_SUCCESS)
        convert_contents(datatype, integers);
    return code;
}

int type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int* integers,
                        MPI_Aint* addresses, MPI_Count* large_counts, MPI_Datatype* datatypes)
{
    const int code = mpi::type_get_contents_c(datatype, max_integers, max_addresses, max_large_counts,
                                              max_datatypes, integers, addresses, large_counts, datatypes);
    if (code == MPI_SUCCESS)
        convert_contents(datatype, integers);
    return code;
}

int address(const void* location, MPI_Aint* address)
{
    return mpi::get_address(location, address);
}

int errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler)
{
    return mpi::comm_create_errhandler(function, handler);
}

int errhandler_get(MPI_Comm comm, MPI_Errhandler* handler)
{
    return mpi::comm_get_errhandler(comm, handler);
}

int errhandler_set(MPI_Comm comm, MPI_Errhandler handler)
{
    return mpi::comm_set_errhandler(comm, handler);
}

int type_extent(MPI_Datatype datatype, MPI_Aint* extent)
{
    MPI_Count lower_bound = 0;
    return mpi::type_get_extent(datatype, &lower_bound, extent);
}

int type_hindexed(int count, const int* lengths, const MPI_Aint* displacements, MPI_Datatype old,
                  MPI_Datatype* made)
{
    return mpi::type_create_hindexed(false, count, Counts(lengths), displacements, old, made);
}

int type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* made)
{
    return mpi::type_create_hvector(false, count, length, stride, old, made);
}

int type_lb(MPI_Datatype datatype, MPI_Aint* lower_bound)
{
    MPI_Count extent = 0;
    return mpi::type_get_extent(datatype, lower_bound, &extent);
}

int type_struct(int count, const int* lengths, const MPI_Aint* displacements, const MPI_Datatype* types,
                MPI_Datatype* made)
{
    return facade::type_create_struct(false, count, Counts(lengths), displacements, types, made);
}

int type_ub(MPI_Datatype datatype, MPI_Aint* upper_bound)
{
    MPI_Count extent = 0;
    const int code = mpi::type_get_extent(datatype, upper_bound, &extent);
    if (code == MPI_SUCCESS)
        *upper_bound += extent;
    return code;
}

}  // namespace tutti::mpi::facade
