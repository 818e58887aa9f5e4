// A rank kills itself while all write: "files_killed FOLDER WHERE RANK MILLISECONDS", on three ranks or more.
// WHERE is "write_all", to a file whose first part is on the disk, or "replace" or "open", of one file again
// and again. The others tell their errors, and one of them then ends the job with status 3.
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::files_killed {

namespace {

constexpr std::size_t kBlock = 1000;
constexpr std::size_t kBlocks = 200;  // of a rank

/// Blocks of the ranks in turn, from a byte of the file on.
void write_in_turn(const tutti::Communicator& world, tutti::File& file, std::size_t from, char letter)
{
    const auto size = static_cast<std::size_t>(world.size());
    const auto rank = static_cast<std::size_t>(world.rank());
    const auto displacement = static_cast<std::int64_t>(from + rank * kBlock);
    file.set_view<char>(displacement, tutti::Layout::strided(1, kBlock, 1, 1).repeated_every(size * kBlock));
    world.barrier();  // all have set their views
    file.write_all(std::vector<char>(kBlock * kBlocks, letter));
}

void write_and_sync(const tutti::Communicator& world, const std::string& path)
{
    using enum tutti::FileMode;
    tutti::File file(world, path, write | create, {.buffer_bytes = 4096});
    write_in_turn(world, file, 0, 's');
    file.sync();
    write_in_turn(world, file, kBlock * kBlocks * static_cast<std::size_t>(world.size()), 'n');
    file.close();
}

/// Until a rank dies.
void write_for_ever(const tutti::Communicator& world, const std::string& path, const std::string& where)
{
    if (where == "replace")
        for (int time = 0;; ++time)
            tutti::File::replace(world, path, [&](tutti::File& file) {
                write_in_turn(world, file, 0, static_cast<char>('a' + time % 26));
            });
    while (where == "open")
        tutti::File(world, path, tutti::FileMode::write).close();
    tutti::File file(world, path, tutti::FileMode::write, {.buffer_bytes = 4096});
    for (;;)
        write_in_turn(world, file, kBlock * kBlocks * static_cast<std::size_t>(world.size()), 'n');
}

[[noreturn]] void tell(tutti::Environment& environment, int teller, int dead, const std::string& reported)
{
    const tutti::Communicator world = environment.world();
    if (world.rank() != teller)
        tutti::send_serialized(world, reported, teller);
    for (int rank = 0; world.rank() == teller && rank < world.size(); ++rank)
        if (rank != dead)
            std::printf("%d: %s\n", rank,
                        rank == teller ? reported.c_str()
                                       : tutti::recv_serialized<std::string>(world, rank).c_str());
    std::fflush(stdout);
    if (world.rank() == teller)
        environment.abort(3);
    int nothing = 0;
    world.recv(nothing, teller);  // the end of the job
    std::abort();
}

}  // namespace

int run_program(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    if (argc != 5) {
        std::fprintf(stderr, "usage: api_files_killed FOLDER WHERE RANK MILLISECONDS\n");
        return 2;
    }
    const std::string where = argv[2];
    const std::string path = std::string(argv[1]) + "/file";
    const int dead = std::stoi(argv[3]);
    if (where == "replace")
        tutti::File::replace(world, path, [&](tutti::File& file) { write_in_turn(world, file, 0, 'z'); });
    else
        write_and_sync(world, path);
    world.barrier();
    if (world.rank() == dead)
        std::thread([after = std::chrono::milliseconds(std::stoi(argv[4]))] {
            std::this_thread::sleep_for(after);
            raise(SIGKILL);
        }).detach();
    try {
        write_for_ever(world, path, where);
    } catch (const tutti::Error& error) {
        tell(environment, dead == 1 ? 2 : 1, dead, error.what());
    }
    return 0;
}

const Program program("files_killed", run_program);

}  // namespace tutti::test::files_killed
