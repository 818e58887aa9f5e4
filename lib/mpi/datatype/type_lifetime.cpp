// Commit and free; types with other bounds, and duplicates.
#include "lib/foundation/datatype/build.hpp"
#include "lib/mpi/datatype/type_arguments.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

int type_commit(MPI_Datatype* datatype)
{
    return guard("MPI_Type_commit", [&] {
        check_not_null(datatype, "datatype");
        datatype_of(*datatype).committed = true;
    });
}

// Operations in progress and types that are made of it hold what they need of it.
int type_free(MPI_Datatype* datatype)
{
    return guard("MPI_Type_free", [&] {
        check_not_null(datatype, "datatype");
        Datatype& type = datatype_of(*datatype);
        if (type.permanent)
            fail(MPI_ERR_TYPE, fmt::format("{} is predefined; free only what a constructor made",
                                           type.name.empty() ? "the datatype" : type.name));
        if (const int code = delete_attributes(type); code != MPI_SUCCESS)
            return hand_over("MPI_Type_free", MPI_COMM_NULL, code);
        type.free_handle();
        *datatype = MPI_DATATYPE_NULL;
        return MPI_SUCCESS;
    });
}

int type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard("MPI_Type_dup", [&] {
        check_not_null(newtype, "newtype");
        const Datatype& of = datatype_of(oldtype);
        const MPI_Datatype made = NewType(MPI_COMBINER_DUP, false, oldtype).with(of.map);
        Datatype& copy = datatype_of(made);
        copy.number = of.number;
        copy.committed = of.committed;
        if (const int code = copy_attributes(of, copy); code != MPI_SUCCESS) {
            static_cast<void>(delete_attributes(copy));
            copy.drop_reference();
            *newtype = MPI_DATATYPE_NULL;
            return hand_over("MPI_Type_dup", MPI_COMM_NULL, code);
        }
        *newtype = made;
        return MPI_SUCCESS;
    });
}

int type_create_resized(bool large, MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                        MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_resized", newtype, "newtype", [&] {
        const NewType made(MPI_COMBINER_RESIZED, large, oldtype);
        made->add_bytes(lb);
        made->add_bytes(extent);
        return made.with(datatype::resized(lb, extent, made.of()));
    });
}

}  // namespace tutti::mpi
