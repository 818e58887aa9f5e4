// What Tutti does not have: each call gives an error, by an exception or in silence, as its handler has it.
#include "report.hpp"

namespace {

template <class Call>
void refused(const char*, Call&& call)
{
    try {
        call();
    } catch (const MPI::Exception&) {
    }
}

void on_error(MPI::File&, int*, ...) {}

void files()
{
    int buffer[4] = {};
    MPI::Offset place = 0;
    MPI::Status status;
    MPI::File file;
    refused("Open",
            [&] { file = MPI::File::Open(MPI::COMM_SELF, "none", MPI::MODE_RDONLY, MPI::INFO_NULL); });
    refused("Delete", [&] { MPI::File::Delete("none", MPI::INFO_NULL); });
    refused("Set_size", [&] { file.Set_size(0); });
    refused("Preallocate", [&] { file.Preallocate(0); });
    refused("Get_size", [&] { place = file.Get_size(); });
    refused("Get_group", [&] { file.Get_group(); });
    refused("Get_amode", [&] { file.Get_amode(); });
    refused("Set_info", [&] { file.Set_info(MPI::INFO_NULL); });
    refused("Get_info", [&] { file.Get_info(); });
    refused("Set_view", [&] { file.Set_view(0, MPI::INT, MPI::INT, "native", MPI::INFO_NULL); });
    refused("Get_view", [&] {
        MPI::Datatype one, other;
        char representation[MPI::MAX_DATAREP_STRING];
        file.Get_view(place, one, other, representation);
    });
    refused("Read_at", [&] { file.Read_at(0, buffer, 1, MPI::INT, status); });
    refused("Read_at_all", [&] { file.Read_at_all(0, buffer, 1, MPI::INT, status); });
    refused("Write_at", [&] { file.Write_at(0, buffer, 1, MPI::INT, status); });
    refused("Write_at_all", [&] { file.Write_at_all(0, buffer, 1, MPI::INT, status); });
    refused("Iread_at", [&] { file.Iread_at(0, buffer, 1, MPI::INT); });
    refused("Iwrite_at", [&] { file.Iwrite_at(0, buffer, 1, MPI::INT); });
    refused("Read", [&] { file.Read(buffer, 1, MPI::INT, status); });
    refused("Read_all", [&] { file.Read_all(buffer, 1, MPI::INT, status); });
    refused("Write", [&] { file.Write(buffer, 1, MPI::INT, status); });
    refused("Write_all", [&] { file.Write_all(buffer, 1, MPI::INT, status); });
    refused("Iread", [&] { file.Iread(buffer, 1, MPI::INT); });
    refused("Iwrite", [&] { file.Iwrite(buffer, 1, MPI::INT); });
    refused("Seek", [&] { file.Seek(0, MPI::SEEK_SET); });
    refused("Get_position", [&] { file.Get_position(); });
    refused("Get_byte_offset", [&] { file.Get_byte_offset(0); });
    refused("Read_shared", [&] { file.Read_shared(buffer, 1, MPI::INT, status); });
    refused("Write_shared", [&] { file.Write_shared(buffer, 1, MPI::INT, status); });
    refused("Iread_shared", [&] { file.Iread_shared(buffer, 1, MPI::INT); });
    refused("Iwrite_shared", [&] { file.Iwrite_shared(buffer, 1, MPI::INT); });
    refused("Read_ordered", [&] { file.Read_ordered(buffer, 1, MPI::INT, status); });
    refused("Write_ordered", [&] { file.Write_ordered(buffer, 1, MPI::INT, status); });
    refused("Seek_shared", [&] { file.Seek_shared(0, MPI::SEEK_SET); });
    refused("Get_position_shared", [&] { file.Get_position_shared(); });
    refused("Read_at_all_begin", [&] { file.Read_at_all_begin(0, buffer, 1, MPI::INT); });
    refused("Read_at_all_end", [&] { file.Read_at_all_end(buffer, status); });
    refused("Write_at_all_begin", [&] { file.Write_at_all_begin(0, buffer, 1, MPI::INT); });
    refused("Write_at_all_end", [&] { file.Write_at_all_end(buffer, status); });
    refused("Read_all_begin", [&] { file.Read_all_begin(buffer, 1, MPI::INT); });
    refused("Read_all_end", [&] { file.Read_all_end(buffer, status); });
    refused("Write_all_begin", [&] { file.Write_all_begin(buffer, 1, MPI::INT); });
    refused("Write_all_end", [&] { file.Write_all_end(buffer, status); });
    refused("Read_ordered_begin", [&] { file.Read_ordered_begin(buffer, 1, MPI::INT); });
    refused("Read_ordered_end", [&] { file.Read_ordered_end(buffer, status); });
    refused("Write_ordered_begin", [&] { file.Write_ordered_begin(buffer, 1, MPI::INT); });
    refused("Write_ordered_end", [&] { file.Write_ordered_end(buffer, status); });
    refused("Get_type_extent", [&] { file.Get_type_extent(MPI::INT); });
    refused("Set_atomicity", [&] { file.Set_atomicity(true); });
    refused("Get_atomicity", [&] { file.Get_atomicity(); });
    refused("Sync", [&] { file.Sync(); });
    refused("Create_errhandler", [&] { MPI::File::Create_errhandler(on_error); });
    refused("Set_errhandler", [&] { file.Set_errhandler(MPI::ERRORS_RETURN); });
    refused("Get_errhandler", [&] { file.Get_errhandler(); });
    refused("Call_errhandler", [&] { file.Call_errhandler(MPI::ERR_OTHER); });
    refused("Close", [&] { file.Close(); });
}

#ifdef OPEN_MPI
void convert(void*, MPI::Datatype&, int, void*, MPI::Offset, void*) {}
void extend(const MPI::Datatype&, MPI::Aint&, void*) {}
#endif

}  // namespace

void absent()
{
    if (!is_on_tutti)
        return;
    char port[MPI::MAX_PORT_NAME] = "none";
    const char* commands[] = {"true", "true"};
    const int counts[] = {1, 1};
    const MPI::Info infos[] = {MPI::INFO_NULL, MPI::INFO_NULL};
    refused("Open_port", [&] { MPI::Open_port(MPI::INFO_NULL, port); });
    refused("Publish_name", [&] { MPI::Publish_name("tutti", MPI::INFO_NULL, port); });
    refused("Lookup_name", [&] { MPI::Lookup_name("tutti", MPI::INFO_NULL, port); });
    refused("Unpublish_name", [&] { MPI::Unpublish_name("tutti", MPI::INFO_NULL, port); });
    refused("Close_port", [&] { MPI::Close_port(port); });
    refused("Accept", [&] { MPI::COMM_SELF.Accept(port, MPI::INFO_NULL, 0); });
    refused("Connect", [&] { MPI::COMM_SELF.Connect(port, MPI::INFO_NULL, 0); });
    refused("Join", [&] { MPI::Comm::Join(0); });
    refused("Spawn", [&] { MPI::COMM_SELF.Spawn("true", MPI::ARGV_NULL, 1, MPI::INFO_NULL, 0); });
    refused("Spawn_multiple",
            [&] { MPI::COMM_SELF.Spawn_multiple(2, commands, MPI::ARGVS_NULL, counts, infos, 0); });
#ifdef OPEN_MPI
    refused("Register_datarep", [&] { MPI::Register_datarep("tutti", convert, convert, extend, nullptr); });
#endif
    files();
}
