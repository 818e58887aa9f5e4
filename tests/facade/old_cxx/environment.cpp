#include "report.hpp"

void environment()
{
    int version = 0, subversion = 0, length = 0;
    MPI::Get_version(version, subversion);
    say("Get_version", {version, subversion});
    char name[MPI::MAX_PROCESSOR_NAME];
    MPI::Get_processor_name(name, length);
    say("Get_processor_name", name);
    say("Get_processor_name", length);
    say("Is_initialized", MPI::Is_initialized());
    say("Is_finalized", MPI::Is_finalized());
    say("Is_thread_main", MPI::Is_thread_main());
    say("Query_thread", MPI::Query_thread() >= MPI::THREAD_SINGLE);
    const double start = MPI::Wtime();
    say("Wtime", MPI::Wtime() >= start);
    say("Wtick", MPI::Wtick() > 0);
    MPI::Pcontrol(1);
    void* const memory = MPI::Alloc_mem(100, MPI::INFO_NULL);
    say("Alloc_mem", memory != nullptr);
    MPI::Free_mem(memory);
    int numbers[3];
    say("Get_address", MPI::Get_address(&numbers[2]) - MPI::Get_address(&numbers[0]));
    int dims[2] = {0, 0};
    MPI::Compute_dims(6, 2, dims);
    say("Compute_dims", dims, 2);

    const int error_class = MPI::Add_error_class();
    const int code = MPI::Add_error_code(error_class);
    MPI::Add_error_string(code, "too sour");
    char words[MPI::MAX_ERROR_STRING];
    MPI::Get_error_string(code, words, length);
    say("Get_error_string", words);
    say("Get_error_class", MPI::Get_error_class(code) == error_class);
    say("Get_error_class", MPI::Get_error_class(MPI::ERR_TAG) == MPI::ERR_TAG);

    MPI::Info info = MPI::Info::Create();
    info.Set("colour", "blue");
    info.Set("shape", "round");
    say("Info::Get_nkeys", info.Get_nkeys());
    char key[MPI::MAX_INFO_KEY + 1], value[20] = "";
    info.Get_nthkey(1, key);
    say("Info::Get_nthkey", key);
    say("Info::Get", info.Get("colour", 19, value));
    say("Info::Get", value);
    say("Info::Get", info.Get("weight", 19, value));
    say("Info::Get_valuelen", {info.Get_valuelen("shape", length), length});
    MPI::Info copy = info.Dup();
    info.Delete("colour");
    say("Info::Delete", {info.Get_nkeys(), copy.Get_nkeys()});
    info.Free();
    copy.Free();
    say("Info::Free", info == MPI::INFO_NULL);

    MPI::Group world = MPI::COMM_WORLD.Get_group();
    say("Group::Get_size", world.Get_size());
    say("Group::Get_rank", world.Get_rank());
    const int zero[] = {0};
    MPI::Group first = world.Incl(1, zero), rest = world.Excl(1, zero);
    say("Group::Incl", {first.Get_size(), rest.Get_size()});
    MPI::Group both = MPI::Group::Union(rest, first);
    say("Group::Compare",
        {MPI::Group::Compare(world, both) == MPI::IDENT, MPI::Group::Compare(world, both) == MPI::SIMILAR});
    MPI::Group common = MPI::Group::Intersect(both, first), others = MPI::Group::Difference(both, first);
    say("Group::Intersect", {common.Get_size(), others.Get_size()});
    int there = -1;
    MPI::Group::Translate_ranks(world, 1, zero, both, &there);
    say("Group::Translate_ranks", there);
    int range[1][3] = {{ranks - 1, 0, -1}};
    MPI::Group backwards = world.Range_incl(1, range), none = world.Range_excl(1, range);
    say("Group::Range_incl", {backwards.Get_size(), backwards.Get_rank(), none.Get_size()});
    backwards.Free();
    common.Free();
    both.Free();
    first.Free();
    world.Free();
    say("Group::Free", world == MPI::GROUP_NULL);

    MPI::Status status;
    status.Set_source(3);
    status.Set_tag(4);
    status.Set_error(5);
    status.Set_elements(MPI::INT, 6);
    status.Set_cancelled(true);
    say("Status", {status.Get_source(), status.Get_tag(), status.Get_error(), status.Get_elements(MPI::INT),
                   status.Get_count(MPI::INT), status.Is_cancelled()});
}
