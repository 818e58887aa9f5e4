// Accesses as lists of runs, against lists of all their bytes.
#include "lib/core/files/file_runs.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using namespace tutti::detail;

struct AccessByte {
    std::int64_t place;
    std::uint64_t memory;
    friend bool operator==(const AccessByte&, const AccessByte&) = default;
};

// An access by chance: rows of pieces of one size at one distance, as vectors have them, and single pieces.
class RandomAccess {
public:
    explicit RandomAccess(unsigned seed) : random_(seed)
    {
        for (int rows = number(0, 6); rows > 0; --rows)
            add_row();
    }

    int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

    FileRunList list;
    std::vector<AccessByte> bytes;
    std::uint64_t pieces = 0;  // those that touch in the file and in memory are one

private:
    void add_row()
    {
        const int size = number(1, 9);
        const int gap = number(0, 2) == 0 ? 0 : number(1, 12);
        const int memory_step = number(0, 1) == 0 ? size : number(-40, 40);
        place_ += number(0, 1) * number(0, 30);
        for (int count = number(1, 8); count > 0; --count) {
            add(static_cast<std::uint64_t>(size));
            place_ += gap;
            memory_ += static_cast<std::uint64_t>(memory_step - size);
        }
    }
    void add(std::uint64_t size)
    {
        if (bytes.empty() || bytes.back().place + 1 != place_ || bytes.back().memory + 1 != memory_)
            ++pieces;
        list.add(place_, memory_, size);
        for (std::uint64_t byte = 0; byte < size; ++byte)
            bytes.push_back({place_++, memory_++});
    }

    std::mt19937 random_;
    std::int64_t place_ = 0;
    std::uint64_t memory_ = 1'000'000;
};

std::vector<AccessByte> bytes_of_runs(FileRuns runs)
{
    std::vector<AccessByte> bytes;
    for (const FileRun& run : runs) {
        if (run.before != bytes.size() || run.bytes == 0 || run.count == 0)
            return {};
        for (std::uint64_t piece = 0; piece < run.count; ++piece)
            for (std::uint64_t byte = 0; byte < run.bytes; ++byte)
                bytes.push_back({run.place + static_cast<std::int64_t>(piece) * run.stride + static_cast<std::int64_t>(byte),
                                 run.memory + piece * static_cast<std::uint64_t>(run.memory_stride) + byte});
        if (bytes.back().place + 1 != run.end())
            return {};
    }
    return bytes;
}

// What differs; nothing where all is as it should be.
const char* wrong_pieces(const RandomAccess& access, std::int64_t from, std::int64_t to)
{
    const auto is_before = [](const AccessByte& byte, std::int64_t place) { return byte.place < place; };
    auto at = std::ranges::lower_bound(access.bytes, from, {}, &AccessByte::place);
    const auto end = std::lower_bound(access.bytes.begin(), access.bytes.end(), to, is_before);
    for (PieceCursor cursor(access.list.runs(), from, to); !cursor.done(); cursor.next()) {
        if (cursor.before() != static_cast<std::uint64_t>(at - access.bytes.begin()))
            return "how many bytes lie before a piece";
        if (cursor.bytes() == 0 || cursor.bytes() > static_cast<std::uint64_t>(end - at))
            return "the size of a piece";
        for (std::uint64_t byte = 0; byte < cursor.bytes(); ++byte, ++at)
            if (*at != AccessByte{cursor.place() + static_cast<std::int64_t>(byte), cursor.memory() + byte})
                return "a byte of a piece";
    }
    return at == end ? nullptr : "the number of bytes";
}

}  // namespace

TEST_CASE("runs of an access have all its bytes, and pieces between any two places")
{
    for (unsigned seed = 0; seed < 2000; ++seed) {
        RandomAccess access(seed);
        INFO("seed " << seed);
        REQUIRE(access.list.bytes() == access.bytes.size());
        REQUIRE(bytes_of_runs(access.list.runs()) == access.bytes);
        // One that touches the last piece of several stays a piece.
        REQUIRE(access.list.pieces() >= access.pieces);
        const int end = access.bytes.empty() ? 5 : static_cast<int>(access.bytes.back().place) + 5;
        std::uint64_t before = 0;
        for (int place = 0; place < end; ++place) {
            REQUIRE(bytes_before(access.list.runs(), place) == before);
            before += before < access.bytes.size() && access.bytes[before].place == place ? 1 : 0;
        }
        for (int part = 0; part < 20; ++part) {
            const int from = access.number(0, end);
            const int to = access.number(from, end);
            CAPTURE(from, to);
            const char* const wrong = wrong_pieces(access, from, to);
            if (wrong != nullptr)
                FAIL(wrong);
        }
    }
}

TEST_CASE("pieces of one size at one distance are one run, and what touches is one piece")
{
    FileRunList strided;
    for (int i = 0; i < 1000; ++i)
        strided.add(100 * i, 5'000 + static_cast<std::uint64_t>(10 * i), 10);
    REQUIRE(strided.runs().size() == 1);
    CHECK(strided.runs()[0].count == 1000);
    CHECK(strided.runs()[0].end() == 99'910);
    CHECK(strided.pieces() == 1000);
    CHECK(strided.bytes() == 10'000);
    FileRunList contiguous;
    for (int i = 0; i < 1000; ++i)
        contiguous.add(10 * i, static_cast<std::uint64_t>(10 * i), 10);
    REQUIRE(contiguous.runs().size() == 1);
    CHECK(contiguous.pieces() == 1);
    CHECK(contiguous.runs()[0].bytes == 10'000);
}
