// Which bytes of a file are whose in the benchmarks of files, and that a wrong byte is found.
#include <catch2/catch.hpp>

#include "benchmarks/suite/files/file_accesses.hpp"
#include "benchmarks/suite/files/shared_pointer.hpp"
#include "benchmarks/tests/temporary_folder.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace tutti::bench;

namespace {

struct Only {
    static std::string library() { return "none"; }
    int rank() const { return 0; }
    int size() const { return 1; }
    void barrier() {}
    void broadcast(Bytes, int) {}
    void allgather(ConstBytes in, Bytes out) { std::memcpy(out.data(), in.data(), in.size()); }
};

// A file by the system's calls, which moves one byte of each access to where it does not belong.
class Mistaken {
public:
    using View = FilePart;

    Mistaken(const std::string& path, bool wrong) : file_(path), wrong_(wrong) {}

    static View view_of(const FilePart& part) { return part; }
    void set_view(const View& view) { view_ = view; }
    void write(ConstBytes data)
    {
        std::vector<std::byte> copy(data.begin(), data.end());
        copy.back() ^= std::byte{wrong_};
        file_.write(copy, *view_);
    }
    void read(Bytes data)
    {
        file_.read(data, *view_);
        data.front() ^= std::byte{wrong_};
    }
    void write_all(ConstBytes data) { write(data); }
    void read_all(Bytes data) { read(data); }
    void sync() { file_.sync(); }
    void seek_shared() { pointer_ = 0; }
    void write_shared(ConstBytes data)
    {
        // One record is written over another.
        pointer_ += pointer_ == 3 * data.size() && wrong_ ? 0 : data.size();
        file_.write(data, pointer_ - data.size());
    }
    void write_ordered(ConstBytes data)
    {
        file_.write(data, wrong_ ? (pointer_ ^ data.size()) : pointer_);  // by twos the wrong way round
        pointer_ += data.size();
    }

private:
    PlainFile file_;
    bool wrong_;
    std::optional<FilePart> view_;
    std::size_t pointer_ = 0;
};

std::string empty_file(const TemporaryFolder& folder, std::size_t size_bytes)
{
    const std::string path = new_file(folder.path().string());
    std::filesystem::resize_file(path, size_bytes);
    return path;
}

}  // namespace

TEST_CASE("the parts of all ranks are the whole file, each byte once", "[benchmarks]")
{
    constexpr std::size_t kRankBytes = 12 * 10;
    for (const FileLayout layout :
         {FileLayout::contiguous, FileLayout::blocks, FileLayout::grid2, FileLayout::grid3})
        for (std::size_t ranks = 1; ranks < 9; ++ranks) {
            CAPTURE(to_string(layout), ranks);
            std::vector<int> writers(ranks * kRankBytes);
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                const FilePart part = part_of(layout, kRankBytes, 10, rank, ranks);
                for (std::size_t i = 0; i < kRankBytes; ++i) {
                    REQUIRE(place_of(part, i) < writers.size());
                    ++writers[place_of(part, i)];
                }
            }
            CHECK(std::ranges::count(writers, 1) == static_cast<std::ptrdiff_t>(writers.size()));
        }
}

TEST_CASE("a part lies in the file as its layout says", "[benchmarks]")
{
    const auto places = [](FileLayout layout, std::size_t rank, std::size_t ranks) {
        const FilePart part = part_of(layout, 8, 2, rank, ranks);
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < 8; i += 2)
            all.push_back(place_of(part, i));
        return all;
    };
    using Places = std::vector<std::size_t>;
    CHECK(places(FileLayout::contiguous, 1, 2) == Places{8, 10, 12, 14});
    CHECK(places(FileLayout::blocks, 1, 3) == Places{2, 8, 14, 20});
    CHECK(places(FileLayout::grid2, 1, 2) == Places{2, 6, 10, 14});    // a column of blocks of a matrix
    CHECK(places(FileLayout::grid2, 2, 4) == Places{16, 20, 24, 28});  // the lower left quarter
    CHECK(places(FileLayout::grid3, 1, 2) == Places{4, 6, 12, 14});    // half of each of two planes
    CHECK(run_bytes(part_of(FileLayout::contiguous, 8, 2, 1, 2)) == 8);
    CHECK(run_bytes(part_of(FileLayout::grid2, 8, 2, 1, 2)) == 2);
    CHECK(run_bytes(part_of(FileLayout::grid3, 8, 2, 1, 2)) == 4);
    CHECK(run_bytes(part_of(FileLayout::grid2, 8, 2, 0, 1)) == 8);
}

TEST_CASE("ranks make grids as equal as can be", "[benchmarks]")
{
    using Grid = std::vector<std::size_t>;
    CHECK(grid_of(1, 3) == Grid{1, 1, 1});
    CHECK(grid_of(2, 2) == Grid{1, 2});
    CHECK(grid_of(8, 2) == Grid{2, 4});
    CHECK(grid_of(12, 2) == Grid{3, 4});
    CHECK(grid_of(2, 3) == Grid{1, 2, 1});
    CHECK(grid_of(4, 3) == Grid{1, 2, 2});
    CHECK(grid_of(8, 3) == Grid{2, 2, 2});
    CHECK(grid_of(12, 3) == Grid{2, 3, 2});
}

TEST_CASE("a byte at a wrong place of a file is found", "[benchmarks]")
{
    const TemporaryFolder folder;
    const std::string path = empty_file(folder, 4096);
    const PlainFile plain(path);
    Only job;
    std::vector<std::byte> data(4096);
    const FilePart part = part_of(FileLayout::grid3, data.size(), 64, 0, 1);
    for (const char* const benchmark :
         {"file_write", "file_read", "file_write_all", "file_read_all", "file_write_all_sync"})
        for (const bool wrong : {false, true}) {
            CAPTURE(benchmark, wrong);
            Mistaken file(path, wrong);
            file.set_view(part);
            CHECK(validate_access(job, file, plain, FileAccesses::of(benchmark), part, data) == !wrong);
        }
}

TEST_CASE("a record at the shared pointer that is lost, or out of order, is found", "[benchmarks]")
{
    const TemporaryFolder folder;
    const std::string path = empty_file(folder, 640);
    const PlainFile plain(path);
    Only job;
    for (const bool ordered : {false, true})
        for (const bool wrong : {false, true}) {
            CAPTURE(ordered, wrong);
            Mistaken file(path, wrong);
            CHECK(validate_records(job, file, plain, ordered, 64) == !wrong);
        }
}

TEST_CASE("files are made in the folder that is chosen, and errors name it", "[benchmarks]")
{
    const TemporaryFolder folder;
    CHECK(folder_of_files(folder.path().string()) == folder.path().string());
    CHECK(folder_of_files("").front() == '/');
    CHECK(free_bytes(folder.path().string()) > 0);
    CHECK(free_bytes("/nowhere") == 0);
    CHECK(file_system_of("/proc").starts_with("type 0x"));
    CHECK_THROWS_WITH(new_file("/nowhere"),
                      Catch::Contains("no file can be made in /nowhere") && Catch::Contains("--folder"));
    CHECK_THROWS_WITH(PlainFile("/nowhere/file"), Catch::Contains("open of /nowhere/file"));
    const std::string path = empty_file(folder, 10);
    std::vector<std::byte> data(11);
    CHECK_THROWS_WITH(PlainFile(path).read(data, std::size_t{0}), Catch::Contains("read of " + path));
}
