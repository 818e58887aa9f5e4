// Questions to datatypes: size, bounds, name.
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/strings.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

int get_bounds(const char* call, MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent)
{
    return guard(call, [&] {
        const datatype::Typemap& map = *datatype_of(datatype).map;
        check_not_null(lb, "lb");
        check_not_null(extent, "extent");
        *lb = map.lower_bound();
        *extent = map.extent_bytes();
    });
}

int get_true_bounds(const char* call, MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent)
{
    return guard(call, [&] {
        const datatype::Typemap& map = *datatype_of(datatype).map;
        check_not_null(true_lb, "true_lb");
        check_not_null(true_extent, "true_extent");
        *true_lb = map.true_lower_bound();
        *true_extent = map.true_extent_bytes();
    });
}

int get_size(const char* call, MPI_Datatype datatype, CountPlace size)
{
    return guard(call, [&] {
        const Datatype& type = datatype_of(datatype);
        check_not_null(size, "size");
        const bool is_missing = is_predefined(type) && missing_types[type.self - Datatype::kFirst];
        size.set(is_missing ? MPI_UNDEFINED : static_cast<MPI_Count>(type.map->size_bytes()));
    });
}

}  // namespace

int type_size(MPI_Datatype datatype, CountPlace size)
{
    return get_size("MPI_Type_size", datatype, size);
}

int type_size_x(MPI_Datatype datatype, MPI_Count* size)
{
    return get_size("MPI_Type_size_x", datatype, CountPlace(size));
}

int type_get_extent(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent)
{
    return get_bounds("MPI_Type_get_extent", datatype, lb, extent);
}

int type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent)
{
    return get_bounds("MPI_Type_get_extent_x", datatype, lb, extent);
}

int type_get_true_extent(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent)
{
    return get_true_bounds("MPI_Type_get_true_extent", datatype, true_lb, true_extent);
}

int type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent)
{
    return get_true_bounds("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent);
}

int type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen)
{
    return guard("MPI_Type_get_name", [&] {
        const bool none = datatype == MPI_DATATYPE_NULL;
        copy_out(none ? "MPI_DATATYPE_NULL" : datatype_of(datatype).name, type_name, resultlen,
                 MPI_MAX_OBJECT_NAME);
    });
}

int type_set_name(MPI_Datatype datatype, const char* type_name)
{
    return guard("MPI_Type_set_name", [&] {
        Datatype& type = datatype_of(datatype);
        check_not_null(type_name, "type_name");
        type.name = type_name;
    });
}

}  // namespace tutti::mpi
