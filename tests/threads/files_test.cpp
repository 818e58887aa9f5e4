// Files whose ranks are threads: pointers, errors, and files that take the place of others.
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include "tests/temporary_folder.hpp"
#include "tests/threads/support.hpp"

namespace tutti::test {

namespace {

using enum FileMode;

std::string text_of(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void at_file_sizes(const std::function<void(const Communicator&)>& body)
{
    for (const int ranks : {1, 2, 3, 5})
        at_size(ranks, body);
}

}  // namespace

TEST_CASE("file: an own pointer, sizes, and reads that end with the file", "[files]")
{
    const TemporaryFolder folder;
    const std::string path = folder.path() / "numbers";
    at_file_sizes([&](const Communicator& world) {
        const auto own = static_cast<std::size_t>(world.rank());
        const auto ranks = static_cast<std::size_t>(world.size());
        File file(world, path, read | write | create | empty);
        expect(file.path() == path && file.size() == 0, "a new file");
        // Each rank has every `ranks`-th block of ten.
        const std::size_t sizes[] = {10 * ranks};
        const std::size_t mine[] = {10};
        const std::size_t starts[] = {10 * own};
        file.set_view<int>(8, Layout::subarray(sizes, mine, starts, sizeof(int)));
        file.write_all(numbers(world.rank(), 1, 25));
        expect(file.position() == 25, "the pointer behind what was written");
        expect(file.byte_of(10) == static_cast<std::int64_t>(8 + 4 * (10 * ranks + 10 * own)), "a place");
        world.barrier();
        // The last block of the last rank ends the file.
        const auto end = static_cast<std::int64_t>(8 + 4 * (20 * ranks + 10 * (ranks - 1) + 5));
        expect(file.size() == end, "the size");
        world.barrier();
        file.seek(-5, FileFrom::current);
        std::vector<int> found(15, -1);
        const std::size_t last = own + 1 < ranks ? 40 : 20;
        expect(file.read(found) == last, "the size of a short read");
        expect(file.position() == 35, "the pointer behind a short read");
        const std::vector<int> written = numbers(world.rank(), 1, 25);
        expect(std::equal(found.begin(), found.begin() + 5, written.begin() + 20), "what is read");
        expect(file.read_at_all(1000, found) == 0, "a read behind the end");
        expect(file.read(std::span<int>()) == 0, "a read of nothing");
        file.seek(0, FileFrom::end);
        expect(file.position() == (own + 1 < ranks ? 30 : 25), "the end of the view");
        file.resize(100);
        expect(file.size() == 100, "a size that was set");
        world.barrier();
        file.preallocate(50);
        expect(file.size() == 100, "room makes no file shorter");
        world.barrier();
        file.preallocate(200);
        expect(file.size() == 200, "room makes a file longer");
        world.barrier();
        file.close();
        // Memory of several forms.
        File again(world, path, read | write | append);
        expect(again.position() == 200, "append begins at the end");
        const double pi = 3.25;
        again.write_at_all(static_cast<std::int64_t>(256 + 8 * own), pi);
        again.sync();
        double other = 0;
        again.read_at(static_cast<std::int64_t>(256 + 8 * ((own + 1) % ranks)), other);
        expect(other == pi, "an object");
        world.barrier();
    });
}

TEST_CASE("file: the shared pointer gives each place once, in order where that is asked", "[files]")
{
    const TemporaryFolder folder;
    const std::string path = folder.path() / "log";
    at_file_sizes([&](const Communicator& world) {
        constexpr int kAppends = 40;
        File file(world, path, read | write | create | empty);
        file.set_view<int>(4);
        for (int i = 0; i < kAppends; ++i) {
            const std::array<int, 2> pair{world.rank(), i};
            if (i % 2 == 0) {
                file.append_shared(pair);
            } else {
                file.iappend_shared(pair).wait();
            }
        }
        world.barrier();
        expect(file.shared_position() == 2 * kAppends * world.size(), "the pointer behind all");
        file.seek_shared(0);
        std::vector<int> counts(static_cast<std::size_t>(world.size()));
        std::array<int, 2> pair{};
        std::vector<int> last(counts.size(), -1);
        int sum_of_indices = 0;
        while (file.read_shared(pair) == sizeof pair) {
            expect(pair[1] > last[static_cast<std::size_t>(pair[0])], "appends of a rank keep their order");
            last[static_cast<std::size_t>(pair[0])] = pair[1];
            ++counts[static_cast<std::size_t>(pair[0])];
            sum_of_indices += pair[1];
        }
        world.allreduce(counts, sum);
        world.allreduce(sum_of_indices, sum);
        expect(std::ranges::all_of(counts, [&](int each) { return each == kAppends; }),
               "each append is there");
        expect(sum_of_indices == world.size() * kAppends * (kAppends - 1) / 2, "as it was written");
        file.seek_shared(0);
        // As many numbers as the rank says, none of the first one.
        for (int round = 0; round < 3; ++round)
            file.append_ordered(
                std::vector<int>(static_cast<std::size_t>(world.rank()), 10 * round + world.rank()));
        world.barrier();
        std::vector<int> expected;
        for (int round = 0; round < 3; ++round)
            for (int rank = 0; rank < world.size(); ++rank)
                expected.insert(expected.end(), static_cast<std::size_t>(rank), 10 * round + rank);
        std::vector<int> found(expected.size());
        file.read_at(0, found);
        expect(found == expected, "the order of ranks");
        file.seek_shared(0);
        std::vector<int> own(static_cast<std::size_t>(world.rank()));
        file.read_ordered(own);
        expect(std::ranges::all_of(own, [&](int each) { return each == world.rank(); }),
               "read in that order");
        world.barrier();
    });
}

TEST_CASE("file: in atomic mode each access is whole", "[files]")
{
    const TemporaryFolder folder;
    const std::string path = folder.path() / "atomic";
    at_file_sizes([&](const Communicator& world) {
        File file(world, path, read | write | create | empty);
        // With gaps, so that an access is several calls of the kernel.
        const std::size_t sizes[] = {64};
        const std::size_t mine[] = {32};
        const std::size_t starts[] = {0};
        file.set_view<int>(0, Layout::subarray(sizes, mine, starts, sizeof(int)));
        file.set_atomic(true);
        for (int round = 0; round < 30; ++round) {
            file.write_at(0, std::vector<int>(3200, world.rank() + 10 * round));
            std::vector<int> found(3200);
            file.read_at(0, found);
            expect(std::ranges::all_of(found, [&](int each) { return each == found[0]; }),
                   "one writer's bytes");
        }
        file.set_atomic(false);
    });
}

TEST_CASE("file: what the file system refuses is an error of all ranks, with file and remedy", "[files]")
{
    const TemporaryFolder folder;
    const std::string missing = folder.path() / "no" / "file";
    const std::string there = folder.path() / "there";
    folder.write("there", "old");
    at_file_sizes([&](const Communicator& world) {
        const auto opens = [&](const std::string& path, FileMode mode) {
            return [&world, path, mode] { File file(world, path, mode); };
        };
        expect_error(ErrorCode::file, missing, opens(missing, write | create));
        expect_error(ErrorCode::file, "check the path", opens(missing, read));
        expect_error(ErrorCode::file, "File exists; remove it", opens(there, write | create | exclusive));
        expect_error(ErrorCode::file, "directory", opens(folder.path(), read | write));
        expect_error(ErrorCode::invalid_argument, "to read, to write, or for both", opens(there, create));
        expect_error(ErrorCode::invalid_argument, "is not created", opens(there, read | create));
        File file(world, there, read);
        expect_error(ErrorCode::file, "not opened to be written", [&] { file.write_at(0, 1); });
        expect_error(ErrorCode::file, "not opened to be written", [&] { file.write_all(1); });
        file.set_view<int>(0);
        char three[3];
        expect_error(ErrorCode::invalid_argument, "3 bytes", [&] { file.read_at(0, three); });
        expect_error(ErrorCode::invalid_argument, "-1", [&] { file.read_at(-1, three); });
        expect_error(ErrorCode::invalid_argument, "front of the view", [&] { file.seek(-1); });
        const Layout::Block descending[] = {{8, 4}, {0, 4}};
        expect_error(ErrorCode::invalid_argument, "ascend",
                     [&] { file.set_view<int>(0, Layout::indexed(descending)); });
        expect_error(ErrorCode::invalid_argument, "-4", [&] { file.set_view<int>(-4); });
        expect_error(ErrorCode::invalid_argument, "3 bytes",
                     [&] { file.set_view<int>(0, Layout::strided(1, 3, 3, 1)); });
        // One that vanishes stays open, as in all of Unix.
        world.barrier();
        if (world.rank() == 0)
            File::remove(there);
        world.barrier();
        file.set_view(0);
        expect(file.read_at(0, three) == 3 && three[0] == 'o', "a file without a name");
        world.barrier();
        if (world.rank() == 0)
            folder.write("there", "old");
        world.barrier();
        expect_error(ErrorCode::file, missing, [&] { File::remove(missing); });
    });
    CHECK(text_of(there) == "old");
}

TEST_CASE("file: a part that is moved again and again is mapped, with the bytes that calls would move",
          "[files]")
{
    // Blocks of 64 KiB of each rank by turns: 256 KiB of each.
    constexpr std::size_t kBlock = std::size_t{64} << 10;
    constexpr std::size_t kBlocks = 4;
    constexpr std::size_t kPage = 4096;
    const TemporaryFolder folder;
    const std::string path = folder.path() / "again";
    const auto is_mapped = [&] { return text_of("/proc/self/maps").find(path) != std::string::npos; };
    // Each page has a letter of its own.
    const auto values = [](int rank, int round) {
        std::string text;
        for (std::size_t page = 0; page < kBlocks * kBlock / kPage; ++page)
            text.append(kPage, static_cast<char>(rank * 37 + round * 11 + static_cast<int>(page) + 1));
        return text;
    };
    at_file_sizes([&](const Communicator& world) {
        File file(world, path, read | write | create);
        const auto ranks = static_cast<std::size_t>(world.size());
        const auto own = static_cast<std::size_t>(world.rank());
        const std::size_t whole[] = {ranks * kBlock};
        const std::size_t part[] = {kBlock};
        const std::size_t start[] = {own * kBlock};
        file.set_view<std::byte>(0, Layout::subarray(whole, part, start, 1));
        std::string data;
        const auto turn = [&](int round, bool together) {
            data = values(world.rank(), round);
            together ? file.write_at_all(0, data) : file.write_at(0, data);
            world.barrier();
            const int other = (world.rank() + 1) % world.size();
            std::string found(kBlock, ' ');
            std::ifstream(path, std::ios::binary)
                .seekg(static_cast<std::streamoff>((static_cast<std::size_t>(other) + ranks) * kBlock))
                .read(found.data(), static_cast<std::streamsize>(found.size()));
            expect(found == values(other, round).substr(kBlock, kBlock), "what another rank has written");
            std::string back(data.size(), '?');
            const std::size_t bytes = together ? file.read_at_all(0, back) : file.read_at(0, back);
            expect(bytes == data.size() && back == data, "what this rank has written");
            world.barrier();
        };
        turn(0, true);
        expect(!is_mapped(), "the first accesses are calls of the kernel");
        world.barrier();
        for (int round = 1; round < 4 * world.size(); ++round)
            turn(round, round % 2 == 0);
        turn(100, true);
        expect(is_mapped(), "later accesses are mapped");
        world.barrier();

        // The file becomes shorter: reads end with it, and a write makes it longer again.
        file.resize(static_cast<std::int64_t>(ranks * kBlock + 10));
        std::string back(data.size(), '?');
        const std::size_t there = file.read_at_all(0, back);
        expect(there == kBlock + (own == 0 ? 10 : 0), "bytes of a file that has become shorter");
        expect(back[there] == '?', "memory behind the file's end");
        turn(101, true);
        file.sync();
        turn(102, false);
        file.close();
        if (world.rank() == 0)
            File::remove(path);
        world.barrier();
    });
}

TEST_CASE("file: reads again and again of holes take no room, those of a file that is only read are mapped",
          "[files]")
{
    const TemporaryFolder folder;
    const std::string path = folder.path() / "holes";
    constexpr std::size_t kBytes = std::size_t{256} << 10;
    for (const bool has_holes : {true, false}) {
        std::ofstream(path) << (has_holes ? std::string("x") : std::string(kBytes, 'x'));
        std::filesystem::resize_file(path, kBytes);
        at_size(1, [&](const Communicator& world) {
            File file(world, path, read);
            std::string data(kBytes, '?');
            for (int round = 0; round < 8; ++round) {
                expect(file.read_at(0, data) == kBytes, "bytes of a read");
                expect(data.front() == 'x' && data.back() == (has_holes ? '\0' : 'x'), "what was read");
            }
            const bool is_mapped = text_of("/proc/self/maps").find(path) != std::string::npos;
            expect(is_mapped == !has_holes, "whether it is mapped");
        });
    }
}

TEST_CASE("file: a full disk is an error that names the place", "[files]")
{
    if (geteuid() != 0)
        return;
    const TemporaryFolder folder;
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0)
        return;
    const std::string path = folder.path() / "full";
    at_file_sizes([&](const Communicator& world) {
        File file(world, path, read | write | create);
        const std::vector<char> much(std::size_t{2} << 20, 'x');
        for (const auto collective : {FileHints::Collective::never, FileHints::Collective::always}) {
            File other(world, path, read | write | empty, {.collective_writes = collective});
            const auto at = static_cast<std::int64_t>(much.size()) * world.rank();
            expect_error(ErrorCode::file, "No space left on device; free room",
                         [&] { other.write_at_all(at, much); });
        }
        expect_error(ErrorCode::file, path, [&] { file.write_at(0, much); });
        expect_error(ErrorCode::file, path, [&] { file.preallocate(2 << 20); });
        // The file is as usable as before.
        file.resize(10);
        const std::string words = "ten bytes!";
        file.write_at_all(0, words);
        std::string back(10, ' ');
        file.read_at_all(0, back);
        expect(back == words, "what is written behind an error");
    });
    umount(folder.path().c_str());
}

TEST_CASE("file: replace() leaves the new file, or the old one", "[files]")
{
    const TemporaryFolder folder;
    const std::string path = folder.path() / "checkpoint";
    const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder.path()), {}); };
    at_file_sizes([&](const Communicator& world) {
        const auto write_letters = [&](char first) {
            return [&world, first](File& file) {
                file.write_at_all(world.rank(), static_cast<char>(first + world.rank()));
            };
        };
        const std::string old = std::string("ABCDE").substr(0, static_cast<std::size_t>(world.size()));
        File::replace(world, path, write_letters('A'));
        expect(text_of(path) == old, "the first file");
        File::replace(world, path, write_letters('a'));
        expect(text_of(path) == std::string("abcde").substr(0, old.size()), "the second file");
        world.barrier();
        File::replace(world, path, write_letters('A'));
        const int failing = world.size() - 1;
        expect_error(world.rank() == failing ? ErrorCode::truncated : ErrorCode::file, "no more", [&] {
            File::replace(world, path, [&](File& file) {
                write_letters('x')(file);
                if (world.rank() == failing)
                    throw Error(ErrorCode::truncated, "test", "no more");
            });
        });
        world.barrier();
        expect(text_of(path) == old, "the old file stays");
        expect(files() == 1, "no other file stays");
        expect_error(ErrorCode::file, "cannot create",
                     [&] { File::replace(world, path + "/below", write_letters('x')); });
        world.barrier();
    });
}

TEST_CASE("file: replace() brings back ranks that wait for one whose part has failed", "[files]")
{
    const TemporaryFolder folder;
    const std::string path = folder.write("checkpoint", "old");
    for (const int ranks : {2, 3, 5})
        at_size(ranks, [&](const Communicator& world) {
            const bool fails = world.rank() == world.size() / 2;
            try {
                File::replace(world, path, [&](File& file) {
                    if (fails)
                        throw Error(ErrorCode::truncated, "test", "no more");
                    file.write_at_all(world.rank(), 'x');
                });
                expect(false, "no error was thrown");
            } catch (const Error& error) {
                const std::string told = "checkpoint stays as it was, because rank " +
                                         std::to_string(world.size() / 2) +
                                         " has not written its part: no more";
                expect(error.code() == (fails ? ErrorCode::truncated : ErrorCode::file), error.what());
                expect(fails || std::string(error.what()).find(told) != std::string::npos, error.what());
            }
            world.barrier();  // the caller's communicator is as before
        });
    CHECK(text_of(path) == "old");
    CHECK(!std::filesystem::exists(path + ".new"));
}

}  // namespace tutti::test
