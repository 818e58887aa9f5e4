// How the program was started: MPI_INFO_ENV and the like.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <filesystem>
#include <fstream>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/info.hpp"
#include "lib/mpi/runtime.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using Words = std::vector<std::string>;

Words words_of_command()
{
    std::ifstream file("/proc/self/cmdline");
    Words words;
    for (std::string word; std::getline(file, word, '\0');)
        words.push_back(word);
    return words;
}

std::string level_name(ThreadLevel level)
{
    switch (level) {
        case ThreadLevel::single:
            return "MPI_THREAD_SINGLE";
        case ThreadLevel::funneled:
            return "MPI_THREAD_FUNNELED";
        case ThreadLevel::serialized:
            return "MPI_THREAD_SERIALIZED";
        case ThreadLevel::multiple:
            break;
    }
    return "MPI_THREAD_MULTIPLE";
}

std::vector<Info::Entry> entries_of_start(const Words& command)
{
    std::vector<Info::Entry> entries;
    // What is too long for a value is left out.
    const auto add = [&](const char* key, std::string value) {
        if (value.size() < MPI_MAX_INFO_VAL)
            entries.emplace_back(key, std::move(value));
    };
    if (!command.empty()) {
        add("command", command.front());
        add("argv", fmt::format("{}", fmt::join(command.begin() + 1, command.end(), " ")));
    }
    std::error_code no_folder;
    if (const std::filesystem::path folder = std::filesystem::current_path(no_folder); !no_folder)
        add("wdir", folder.string());
    if (utsname system{}; uname(&system) == 0) {
        add("host", system.nodename);
        add("arch", system.machine);
    }
    if (Runtime::is_running()) {
        const detail::Process& process = Runtime::process();
        add("maxprocs", std::to_string(process.world()->size()));
        add("thread_level", level_name(process.thread_level()));
    }
    return entries;
}

}  // namespace

void define_info_of_start()
{
    info_of(MPI_INFO_ENV).assign(entries_of_start(words_of_command()));
}

int info_create_env(int argc, char** argv, MPI_Info* info)
{
    return guard("MPI_Info_create_env", [&] {
        check_not_null(info, "info");
        if (argc < 0)
            fail(MPI_ERR_ARG, fmt::format("argc is {}; it must not be negative", argc));
        *info = new_info(
            entries_of_start(argc > 0 && argv != nullptr ? Words(argv, argv + argc) : words_of_command()));
    });
}

int get_hw_resource_info(MPI_Info* info)
{
    return guard("MPI_Get_hw_resource_info", [&] {
        check_not_null(info, "hw_info");
        // A type of resource for MPI_Comm_split_type, and whether the rank is bound to one of them: a node.
        *info = new_info({{"mpi_shared_memory", "true"}});
    });
}

}  // namespace tutti::mpi
