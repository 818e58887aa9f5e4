// One file of all ranks, and calls that are refused.
#include "report.hpp"

namespace {

int seen[2] = {-1, -1};

void on_error(MPI::File& file, int* code, ...)
{
    seen[0] = file != MPI::FILE_NULL;
    seen[1] = MPI::Get_error_class(*code);
}

#ifdef OPEN_MPI
void convert(void*, MPI::Datatype&, int, void*, MPI::Offset, void*) {}
void extend(const MPI::Datatype&, MPI::Aint&, void*) {}
#endif

int words[4], got[4];

void done(const char* name, const MPI::Status& status, const int* values)
{
    say(name, {status.Get_count(MPI::INT), values[0], values[1], values[2], values[3]});
}

void waited(const char* name, MPI::Request request, const int* values)
{
    MPI::Status status;
    request.Wait(status);
    done(name, status, values);
}

// Other values than before.
void next(MPI::File& file)
{
    file.Sync();
    MPI::COMM_WORLD.Barrier();
    for (int& word : words)
        word += 100;
    for (int& each : got)
        each = -1;
}

void by_offset(MPI::File& file, MPI::Offset offset)
{
    MPI::Status status;
    file.Write_at(offset, words, 4, MPI::INT, status);
    done("Write_at", status, words);
    file.Read_at(offset, got, 4, MPI::INT, status);
    done("Read_at", status, got);
    next(file);
    file.Write_at_all(offset, words, 4, MPI::INT, status);
    file.Read_at_all(offset, got, 4, MPI::INT, status);
    done("Read_at_all", status, got);
    next(file);
    waited("Iwrite_at", file.Iwrite_at(offset, words, 4, MPI::INT), words);
    waited("Iread_at", file.Iread_at(offset, got, 4, MPI::INT), got);
    next(file);
    file.Write_at_all_begin(offset, words, 4, MPI::INT);
    file.Write_at_all_end(words, status);
    file.Read_at_all_begin(offset, got, 4, MPI::INT);
    file.Read_at_all_end(got, status);
    done("Read_at_all_end", status, got);
    next(file);
}

void by_pointer(MPI::File& file, MPI::Offset offset)
{
    MPI::Status status;
    const auto seek = [&] { file.Seek(offset, MPI_SEEK_SET); };
    seek();
    file.Write(words, 4, MPI::INT, status);
    say("Get_position", file.Get_position());
    seek();
    file.Read(got, 4, MPI::INT, status);
    done("Read", status, got);
    next(file);
    seek();
    file.Write_all(words, 4, MPI::INT, status);
    seek();
    file.Read_all(got, 4, MPI::INT, status);
    done("Read_all", status, got);
    next(file);
    seek();
    waited("Iwrite", file.Iwrite(words, 4, MPI::INT), words);
    seek();
    waited("Iread", file.Iread(got, 4, MPI::INT), got);
    next(file);
    seek();
    file.Write_all_begin(words, 4, MPI::INT);
    file.Write_all_end(words, status);
    seek();
    file.Read_all_begin(got, 4, MPI::INT);
    file.Read_all_end(got, status);
    done("Read_all_end", status, got);
    next(file);
}

// All ranks write the same without an order, since any may be first.
void by_shared_pointer(MPI::File& file)
{
    MPI::Status status;
    const auto seek = [&] {
        file.Sync();
        MPI::COMM_WORLD.Barrier();
        file.Seek_shared(0, MPI_SEEK_SET);
        MPI::COMM_WORLD.Barrier();
    };
    seek();
    file.Write_ordered(words, 4, MPI::INT, status);
    MPI::COMM_WORLD.Barrier();
    say("Get_position_shared", file.Get_position_shared());
    seek();
    file.Read_ordered(got, 4, MPI::INT, status);
    done("Read_ordered", status, got);
    next(file);
    seek();
    file.Write_ordered_begin(words, 4, MPI::INT);
    file.Write_ordered_end(words, status);
    seek();
    file.Read_ordered_begin(got, 4, MPI::INT);
    file.Read_ordered_end(got, status);
    done("Read_ordered_end", status, got);
    for (int& word : words)
        word = 5;
    seek();
    file.Write_shared(words, 4, MPI::INT, status);
    seek();
    file.Read_shared(got, 4, MPI::INT, status);
    done("Read_shared", status, got);
    seek();
    waited("Iwrite_shared", file.Iwrite_shared(words, 4, MPI::INT), words);
    seek();
    waited("Iread_shared", file.Iread_shared(got, 4, MPI::INT), got);
    seek();
}

void whole(MPI::File& file)
{
    file.Preallocate(10000);
    MPI::COMM_WORLD.Barrier();
    file.Set_size(64 * ranks);
    say("Get_size", file.Get_size());
    say("Get_amode", file.Get_amode() == (MPI::MODE_RDWR | MPI::MODE_CREATE));
    MPI::Group group = file.Get_group();
    say("Get_group", group.Get_size());
    group.Free();
    MPI::Info info = file.Get_info();
    file.Set_info(info);
    info.Free();
    file.Set_view(4, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
    MPI::Offset place = 0;
    MPI::Datatype etype, filetype;
    char representation[MPI::MAX_DATAREP_STRING];
    file.Get_view(place, etype, filetype, representation);
    say("Get_view", {place, etype == MPI::INT, filetype == MPI::INT});
    say("Get_view", representation);
    say("Get_byte_offset", file.Get_byte_offset(3));
    say("Get_type_extent", file.Get_type_extent(MPI::INT));
    file.Set_atomicity(true);
    say("Get_atomicity", file.Get_atomicity());
    file.Set_atomicity(false);
    say("Get_atomicity", file.Get_atomicity());
}

}  // namespace

void files()
{
    const std::string path = folder_of_reports + "/data";
    try {
        MPI::File::Open(MPI::COMM_WORLD, (path + ".none").c_str(), MPI::MODE_RDONLY, MPI::INFO_NULL);
        say("Open", "nothing thrown");
    } catch (MPI::Exception& error) {
        say("Open", error.Get_error_class());
    }
    MPI::File file =
        MPI::File::Open(MPI::COMM_WORLD, path.c_str(), MPI::MODE_RDWR | MPI::MODE_CREATE, MPI::INFO_NULL);
    for (int i = 0; i < 4; ++i)
        words[i] = rank + 10 * i;
    whole(file);
    by_offset(file, 4 * rank);
    by_pointer(file, 4 * rank);
    by_shared_pointer(file);
    MPI::Errhandler handler = MPI::File::Create_errhandler(on_error);
    file.Set_errhandler(handler);
    file.Call_errhandler(MPI::ERR_OTHER);
    say("Call_errhandler", {seen[0], seen[1] == MPI::ERR_OTHER});
    MPI::Errhandler found = file.Get_errhandler();
    say("Get_errhandler", found == handler);
    found.Free();
    handler.Free();
    file.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        file.Seek(-1, MPI_SEEK_SET);
        say("Seek", "nothing thrown");
    } catch (MPI::Exception& error) {
        say("Seek", error.Get_error_class());
    }
    file.Close();
    say("Close", file == MPI::FILE_NULL);
    MPI::COMM_WORLD.Barrier();
    if (rank == 0)
        MPI::File::Delete(path.c_str(), MPI::INFO_NULL);
#ifdef OPEN_MPI
    if (is_on_tutti)
        MPI::Register_datarep("tutti", convert, convert, extend, nullptr);
#endif
}
