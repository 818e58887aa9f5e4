// Info about the start of the program: MPI_INFO_ENV and the like, which MPI_Init does not change. There
// is no thread_level: nobody asks for one before the program starts.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/control/rank_numbers.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
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

/// The ranks of MPI_COMM_WORLD, once it has been there; 0 before.
constinit std::atomic<int> ranks_of_job{0};

/// How many ranks were asked for. Before MPI begins it is in the environment, though not with every launcher:
/// then empty.
std::string ranks_asked_for()
{
    if (const int ranks = ranks_of_job.load(std::memory_order_relaxed); ranks > 0)
        return std::to_string(ranks);
    const char* const size = std::getenv("PMI_SIZE");
    const bool is_of_hydra = std::getenv("PMI_FD") != nullptr;
    if (size != nullptr && (is_of_hydra || control::are_rank_numbers_of_tutti("PMI_RANK", "PMI_SIZE")))
        return size;
    return std::getenv("PMIX_NAMESPACE") == nullptr ? "1" : "";
}

std::vector<Info::Entry> entries_of_start(const Words& command)
{
    std::vector<Info::Entry> entries;
    // Values that are too long are left out.
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
    if (std::string ranks = ranks_asked_for(); !ranks.empty())
        add("maxprocs", std::move(ranks));
    return entries;
}

}  // namespace

void define_info_env()
{
    ranks_of_job.store(Runtime::process().world()->size(),
                       std::memory_order_relaxed);  // says nothing of other memory
    info_of(MPI_INFO_ENV).assign(entries_of_start(words_of_command()));
}

int info_create_env(int argc, char** argv, MPI_Info* info)
{
    return guard_result("MPI_Info_create_env", info, "info", [&] {
        check_not_negative("argc", argc);
        return new_info(
            entries_of_start(argc > 0 && argv != nullptr ? Words(argv, argv + argc) : words_of_command()));
    });
}

int get_hw_resource_info(MPI_Info* info)
{
    return guard_result("MPI_Get_hw_resource_info", info, "hw_info", [&] {
        // A type of resource for MPI_Comm_split_type, and whether the rank is bound to one of them: a node.
        return new_info({{"mpi_shared_memory", "true"}});
    });
}

}  // namespace tutti::mpi
