#include "report.hpp"

namespace {

void tell(const char* name, MPI::Datatype made)
{
    made.Commit();
    MPI::Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    made.Get_extent(lower, extent);
    made.Get_true_extent(true_lower, true_extent);
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    made.Get_envelope(integers, addresses, types, combiner);
    say(name, {made.Get_size(), lower, extent, true_lower, true_extent, integers, addresses, types});
    int in[40], out[40];
    for (int i = 0; i < 40; ++i) {
        out[i] = i;
        in[i] = -1;
    }
    MPI::COMM_WORLD.Sendrecv(out + 4, 1, made, right, 1, in + 4, 1, made, left, 1);
    say(name, in, 40);
    made.Free();
    say(name, made == MPI::DATATYPE_NULL);
}

int copies = 0, deletions = 0;

#ifdef OPEN_MPI
using Value = const void*;
#else
using Value = void*;
#endif

int copy(const MPI::Datatype&, int, void*, Value from, void* to, bool& is_copied)
{
    ++copies;
    *static_cast<const void**>(to) = from;
    is_copied = true;
    return MPI::SUCCESS;
}

int remove(MPI::Datatype&, int, void* value, void*)
{
    deletions += static_cast<int>(reinterpret_cast<long>(value));
    return MPI::SUCCESS;
}

void attributes()
{
    int key = MPI::Datatype::Create_keyval(copy, remove, nullptr);
    MPI::Datatype made = MPI::INT.Create_contiguous(2);
    void* value = nullptr;
    say("Datatype::Get_attr", made.Get_attr(key, &value));
    made.Set_attr(key, reinterpret_cast<void*>(6));
    MPI::Datatype twin = made.Dup();
    say("Datatype::Get_attr", {twin.Get_attr(key, &value), reinterpret_cast<long>(value), copies});
    made.Delete_attr(key);
    twin.Free();
    say("Datatype::Delete_attr", deletions);
    made.Free();
    MPI::Datatype::Free_keyval(key);
    say("Datatype::Free_keyval", key == MPI::KEYVAL_INVALID);
}

}  // namespace

void datatypes()
{
    const int lengths[] = {2, 1}, places[] = {0, 3}, sizes[] = {4, 5}, parts[] = {2, 3}, starts[] = {1, 1};
    const MPI::Aint bytes[] = {0, 16};
    const MPI::Datatype types[] = {MPI::INT, MPI::DOUBLE};
    tell("Create_contiguous", MPI::INT.Create_contiguous(3));
    tell("Create_vector", MPI::INT.Create_vector(2, 1, 3));
    tell("Create_indexed", MPI::INT.Create_indexed(2, lengths, places));
    tell("Create_indexed_block", MPI::INT.Create_indexed_block(2, 2, places));
    tell("Create_hvector", MPI::INT.Create_hvector(2, 1, 12));
    tell("Create_hindexed", MPI::INT.Create_hindexed(2, lengths, bytes));
    tell("Create_struct", MPI::Datatype::Create_struct(2, lengths, bytes, types));
    tell("Create_subarray", MPI::INT.Create_subarray(2, sizes, parts, starts, MPI::ORDER_C));
    const int grid[] = {2, 1}, distributions[] = {MPI::DISTRIBUTE_BLOCK, MPI::DISTRIBUTE_CYCLIC},
              arguments[] = {MPI::DISTRIBUTE_DFLT_DARG, 2}, array[] = {4, 6};
    tell("Create_darray",
         MPI::INT.Create_darray(2, 1, 2, array, distributions, arguments, grid, MPI::ORDER_C));
    tell("Create_resized", MPI::INT.Create_resized(-4, 16));
    say("Match_size", MPI::Datatype::Match_size(MPI::TYPECLASS_REAL, 8).Get_size());
    say("Create_f90_integer", MPI::Datatype::Create_f90_integer(9).Get_size());
    say("Create_f90_real", MPI::Datatype::Create_f90_real(15, MPI::UNDEFINED).Get_size());
    say("Create_f90_complex", MPI::Datatype::Create_f90_complex(15, MPI::UNDEFINED).Get_size());
    MPI::Datatype made = MPI::Datatype::Create_struct(2, lengths, bytes, types);
    made.Set_name("two of them");
    char name[MPI::MAX_OBJECT_NAME];
    int length = 0;
    made.Get_name(name, length);
    say("Datatype::Get_name", name);
    MPI::INT.Get_name(name, length);
    say("Datatype::Get_name", name);
    int integers[10] = {};
    MPI::Aint addresses[10] = {};
    MPI::Datatype inner[2];
    made.Get_contents(3, 2, 2, integers, addresses, inner);
    say("Get_contents",
        {integers[0], integers[1], integers[2], addresses[1], inner[0] == MPI::INT, inner[1] == MPI::DOUBLE});
    made.Free();
    const MPI::Datatype all[] = {MPI::CHAR,
                                 MPI::SHORT,
                                 MPI::LONG,
                                 MPI::FLOAT,
                                 MPI::LONG_DOUBLE,
                                 MPI::BYTE,
                                 MPI::PACKED,
                                 MPI::BOOL,
                                 MPI::COMPLEX,
                                 MPI::DOUBLE_COMPLEX,
                                 MPI::FLOAT_INT,
                                 MPI::TWOINT,
                                 MPI::UNSIGNED_LONG_LONG,
                                 MPI::WCHAR};
    for (const MPI::Datatype& each : all)
        say("Get_size", each.Get_size());
    attributes();
}
