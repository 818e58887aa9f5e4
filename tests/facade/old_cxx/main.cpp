// The C++ bindings that MPI had until its version 2.2: old_cxx FOLDER [plain]. Each rank reports into FOLDER.
#include "report.hpp"

int main(int argc, char** argv)
{
    const std::string folder = folder_of_reports = argv[1];
    const bool plain = argc > 2 && std::strcmp(argv[2], "plain") == 0;
    const bool aborts = argc > 2 && std::strcmp(argv[2], "abort") == 0;
    int level = MPI::THREAD_SINGLE;
    if (plain)
        MPI::Init(argc, argv);
    else if (aborts)
        MPI::Init();
    else
        level = MPI::Init_thread(argc, argv, MPI::THREAD_SERIALIZED);
    rank = MPI::COMM_WORLD.Get_rank();
    ranks = MPI::COMM_WORLD.Get_size();
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;
    lines = std::fopen((folder + "/" + std::to_string(rank)).c_str(), "w");
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(library, &length);
    is_on_tutti = std::strncmp(library, "Tutti ", 6) == 0;
    if (aborts)
        MPI::COMM_WORLD.Abort(7);
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    MPI::COMM_SELF.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    say("Init_thread", level >= MPI::THREAD_SINGLE);
    for (const auto& [name, group] : {std::pair("environment", environment),
                                      {"messages", messages},
                                      {"requests", requests},
                                      {"collectives", collectives},
                                      {"communicators", communicators},
                                      {"datatypes", datatypes},
                                      {"windows", windows},
                                      {"errors", errors},
                                      {"files", files},
                                      {"absent", absent}}) {
        say("group", name);
        try {
            group();
        } catch (MPI::Exception& error) {
            say(name, {-1, error.Get_error_class()});
            say(name, error.Get_error_string());
        }
    }
    MPI::Finalize();
    say("Is_finalized", MPI::Is_finalized());
    std::fclose(lines);
    return 0;
}
