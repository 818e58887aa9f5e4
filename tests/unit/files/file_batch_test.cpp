// Pieces of a small file that are moved together.
#include "lib/core/files/file_batch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/foundation/base/unique_fd.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using namespace tutti::detail;

std::byte byte_of_file(std::size_t place)
{
    return static_cast<std::byte>(place * 7 + (place >> 8) * 3 + 1);
}

// An open file.
class SmallFile {
public:
    explicit SmallFile(std::size_t bytes, int flags = O_RDWR)
        : fd(open((folder_.path() / "file").c_str(), flags | O_CREAT | O_CLOEXEC, 0600))
    {
        std::vector<std::byte> content(bytes);
        for (std::size_t place = 0; place < bytes; ++place)
            content[place] = byte_of_file(place);
        write(content);
    }
    void write(const std::vector<std::byte>& content) const
    {
        const tutti::base::UniqueFd file(open((folder_.path() / "file").c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
        REQUIRE(pwrite(file.get(), content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
    }
    std::vector<std::byte> content() const
    {
        const tutti::base::UniqueFd file(open((folder_.path() / "file").c_str(), O_RDONLY | O_CLOEXEC));
        std::vector<std::byte> all(static_cast<std::size_t>(lseek(file.get(), 0, SEEK_END)));
        REQUIRE(pread(file.get(), all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
        return all;
    }

private:
    tutti::test::TemporaryFolder folder_;

public:
    tutti::base::UniqueFd fd;
};

struct FilePiece {
    std::size_t place;
    std::size_t memory;
    std::size_t bytes;
};

// Pieces that ascend in the file and lie anywhere in memory, without overlap.
std::vector<FilePiece> random_pieces(std::mt19937& random, std::size_t count, std::size_t longest, std::size_t widest)
{
    const auto number = [&](std::size_t least, std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(least, most)(random);
    };
    std::vector<FilePiece> pieces;
    std::size_t place = number(0, widest);
    for (std::size_t i = 0; i < count; ++i) {
        pieces.push_back({place, 0, number(1, longest)});
        place += pieces.back().bytes + (number(0, 2) == 0 ? 0 : number(0, widest));
    }
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i)
        order[i] = i;
    if (number(0, 2) != 0)
        std::ranges::shuffle(order, random);
    std::size_t memory = 0;
    for (const std::size_t i : order) {
        pieces[i].memory = memory;
        memory += pieces[i].bytes + number(0, 1);
    }
    return pieces;
}

std::size_t memory_of(const std::vector<FilePiece>& pieces)
{
    std::size_t end = 0;
    for (const FilePiece& piece : pieces)
        end = std::max(end, piece.memory + piece.bytes);
    return end;
}

constexpr std::byte kUntouched{0xA5};

void check_read(const std::vector<FilePiece>& pieces, std::size_t file_bytes)
{
    const SmallFile file(file_bytes);
    std::vector<std::byte> memory(memory_of(pieces), kUntouched);
    std::vector<std::byte> expected = memory;
    FileBatch batch(file.fd.get(), false);
    for (const FilePiece& piece : pieces) {
        batch.add(static_cast<std::int64_t>(piece.place), memory.data() + piece.memory, piece.bytes);
        for (std::size_t byte = 0; byte < piece.bytes && piece.place + byte < file_bytes; ++byte)
            expected[piece.memory + byte] = byte_of_file(piece.place + byte);
    }
    batch.finish();
    CHECK_FALSE(batch.trouble());
    CHECK((memory == expected));
    const bool ends_behind = pieces.back().place + pieces.back().bytes <= file_bytes;
    if (ends_behind)
        CHECK(batch.end_of_file() == FileBatch::kNoEnd);
    else
        // It is known exactly where a piece lies on it, and else found behind it.
        CHECK(batch.end_of_file() >= static_cast<std::int64_t>(file_bytes));
    for (const FilePiece& piece : pieces)
        if (piece.place < file_bytes && piece.place + piece.bytes > file_bytes)
            CHECK(batch.end_of_file() == static_cast<std::int64_t>(file_bytes));
}

void check_write(const std::vector<FilePiece>& pieces, std::size_t file_bytes)
{
    const SmallFile file(file_bytes);
    std::vector<std::byte> expected = file.content();
    std::vector<std::byte> memory(memory_of(pieces));
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<std::byte>(i * 11 + (i >> 8) + 5);
    const std::vector<std::byte> kept = memory;
    FileBatch batch(file.fd.get(), true);
    expected.resize(std::max(expected.size(), pieces.back().place + pieces.back().bytes));
    for (const FilePiece& piece : pieces) {
        batch.add(static_cast<std::int64_t>(piece.place), memory.data() + piece.memory, piece.bytes);
        std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(piece.memory), piece.bytes,
                    expected.begin() + static_cast<std::ptrdiff_t>(piece.place));
    }
    batch.finish();
    CHECK_FALSE(batch.trouble());
    CHECK((file.content() == expected));
    CHECK((memory == kept));
}

}  // namespace

TEST_CASE("batches move pieces of every size, next to each other and with gaps")
{
    const auto [count, longest, widest] = GENERATE(table<std::size_t, std::size_t, std::size_t>({
        {1, 9, 100},
        {40, 9, 30},        // all through the buffer, gaps are read
        {40, 600, 5'000},   // short and long ones, gaps of both kinds
        {3'000, 3, 0},      // one row
        {3'000, 40, 6},
        {2'500, 300, 1},    // more than 1,024 places in a call, and than the buffer has room for
        {1'500, 400, 4'200},
    }));
    for (unsigned seed = 0; seed < 6; ++seed) {
        CAPTURE(count, longest, widest, seed);
        std::mt19937 random(seed);
        const std::vector<FilePiece> pieces = random_pieces(random, count, longest, widest);
        const std::size_t end = pieces.back().place + pieces.back().bytes;
        check_read(pieces, end + seed);
        check_read(pieces, end * (seed + 1) / 8);  // the file ends before
        check_write(pieces, end * (seed + 1) / 5);
    }
}

TEST_CASE("a batch fills more than 1,024 places with pieces that no buffer takes")
{
    const std::size_t bytes = 257;
    std::vector<FilePiece> pieces;
    for (std::size_t i = 0; i < 2'100; ++i)
        pieces.push_back({i * bytes, (2'100 - 1 - i) * (bytes + 1), bytes});
    check_read(pieces, 2'100 * bytes);
    check_read(pieces, 1'500 * bytes + 3);
    check_write(pieces, 0);
}

TEST_CASE("a read finds the end of the file where there is nothing left")
{
    const SmallFile file(1'000);
    std::vector<std::byte> memory(600, kUntouched);
    FileBatch batch(file.fd.get(), false);
    batch.add(700, memory.data(), 100);
    batch.add(900, memory.data() + 100, 500);
    batch.add(9'000'000, memory.data(), 100);  // is dropped, or finds nothing
    batch.finish();
    CHECK_FALSE(batch.trouble());
    CHECK(batch.end_of_file() == 1'000);
    CHECK(memory[0] == byte_of_file(700));
    CHECK(memory[199] == byte_of_file(999));
    CHECK(memory[200] == kUntouched);
}

TEST_CASE("a batch without pieces moves nothing")
{
    const SmallFile file(10);
    for (const bool writes : {false, true}) {
        FileBatch batch(file.fd.get(), writes);
        batch.add(4, nullptr, 0);
        batch.finish();
        CHECK_FALSE(batch.trouble());
        CHECK(batch.end_of_file() == FileBatch::kNoEnd);
    }
    CHECK(file.content().size() == 10);
}

TEST_CASE("a run that reaches behind the end of the file keeps none from being read that lies in front of it")
{
    const SmallFile file(1'000);
    std::vector<std::byte> memory(700);
    FileBatch batch(file.fd.get(), false);
    batch.add(900, memory.data(), 300);
    batch.add(950, memory.data() + 300, 20);
    batch.add(1'100, memory.data() + 320, 10);
    batch.add(0, memory.data() + 330, 300);
    batch.finish();
    CHECK_FALSE(batch.trouble());
    CHECK(batch.end_of_file() == 1'000);
    CHECK(memory[99] == byte_of_file(999));
    CHECK(memory[300] == byte_of_file(950));
    CHECK(memory[319] == byte_of_file(969));
    CHECK(memory[330] == byte_of_file(0));
    CHECK(memory[629] == byte_of_file(299));
}

TEST_CASE("the first trouble ends a batch, with its place")
{
    const SmallFile file(1'000, O_RDONLY);
    std::vector<std::byte> memory(1'000);
    FileBatch batch(file.fd.get(), true);
    batch.add(100, memory.data(), 300);
    batch.add(900, memory.data(), 20);
    batch.add(950, memory.data(), 20);
    batch.finish();
    CHECK(batch.trouble().error == EBADF);
    CHECK(batch.trouble().place == 100);
    CHECK(file.content()[100] == byte_of_file(100));
}
