// Commands and arguments as arrays of strings, whose end is a blank one.
#include <vector>

#include "lib/mpi/fortran/buffers.hpp"
#include "lib/mpi/fortran/handles.hpp"
#include "lib/mpi/fortran/values.hpp"

namespace tutti::mpi::fortran {

namespace {

/// Strings in C's form, with a null pointer behind the last.
class Words {
public:
    void add(std::string_view word) { words_.emplace_back(word); }
    char** pointers()
    {
        pointers_.clear();
        for (std::string& word : words_)
            pointers_.push_back(word.data());
        pointers_.push_back(nullptr);
        return pointers_.data();
    }

private:
    std::vector<std::string> words_;
    std::vector<char*> pointers_;
};

/// The strings at `text`, `stride` bytes apart, up to a blank one.
Words words_until_blank(const char* text, std::size_t length, std::size_t stride)
{
    Words words;
    for (std::string_view word = trimmed(text, length); !word.empty(); word = trimmed(text += stride, length))
        words.add(word);
    return words;
}

int* error_codes(int* place)
{
    return place == tutti_mpi_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : place;
}

}  // namespace

}  // namespace tutti::mpi::fortran

#pragma GCC visibility push(default)

extern "C" {

using namespace tutti::mpi;
using namespace tutti::mpi::fortran;

void pmpi_comm_spawn_(const char* command, const char* argv, const int* maxprocs, const int* info,
                      const int* root, const int* comm, int* intercomm, int* codes, int* ierror,
                      std::size_t command_length, std::size_t argv_length)
{
    const bool has_arguments = argv != tutti_mpi_argv_null_;
    Words arguments = has_arguments ? words_until_blank(argv, argv_length, argv_length) : Words();
    set(ierror,
        MPI_Comm_spawn(InString(command, command_length),
                       has_arguments ? arguments.pointers() : MPI_ARGV_NULL, *maxprocs, in<MPI_Info>(info),
                       *root, in<MPI_Comm>(comm), Out<MPI_Comm>(intercomm), error_codes(codes)));
}
void mpi_comm_spawn_(const char*, const char*, const int*, const int*, const int*, const int*, int*, int*,
                     int*, std::size_t, std::size_t) __attribute__((weak, alias("pmpi_comm_spawn_")));
void mpi_comm_spawn_f08_(const char*, const char*, const int*, const int*, const int*, const int*, int*, int*,
                         int*, std::size_t, std::size_t) __attribute__((weak, alias("pmpi_comm_spawn_")));

void pmpi_comm_spawn_multiple_(const int* count, const char* commands, const char* arguments,
                               const int* maxprocs, const int* infos, const int* root, const int* comm,
                               int* intercomm, int* codes, int* ierror, std::size_t command_length,
                               std::size_t argument_length)
{
    const auto jobs = static_cast<std::size_t>(std::max(*count, 0));
    const bool has_arguments = arguments != tutti_mpi_argvs_null_;
    Words names;
    std::vector<Words> words;
    std::vector<char**> pointers;
    for (std::size_t job = 0; job < jobs; ++job) {
        names.add(trimmed(commands + job * command_length, command_length));
        if (has_arguments)
            words.push_back(words_until_blank(arguments + job * argument_length, argument_length,
                                              jobs * argument_length));
    }
    for (Words& each : words)
        pointers.push_back(each.pointers());
    set(ierror,
        MPI_Comm_spawn_multiple(*count, names.pointers(), has_arguments ? pointers.data() : MPI_ARGVS_NULL,
                                maxprocs, InArray<MPI_Info>(infos, *count), *root, in<MPI_Comm>(comm),
                                Out<MPI_Comm>(intercomm), error_codes(codes)));
}
void mpi_comm_spawn_multiple_(const int*, const char*, const char*, const int*, const int*, const int*,
                              const int*, int*, int*, int*, std::size_t, std::size_t)
    __attribute__((weak, alias("pmpi_comm_spawn_multiple_")));
void mpi_comm_spawn_multiple_f08_(const int*, const char*, const char*, const int*, const int*, const int*,
                                  const int*, int*, int*, int*, std::size_t, std::size_t)
    __attribute__((weak, alias("pmpi_comm_spawn_multiple_")));
}
