// tutti::map_reduce: every result beside one that a single process makes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <tutti/map_reduce.hpp>
#include <tutti/tutti.hpp>

namespace {

using Catch::Matchers::Contains;
using tutti::MapReduceOptions;
using tutti::TextPieces;

const MapReduceOptions kLittleMemory{.memory_bytes = 20'000};

/// Numbers and the sum of what each was emitted with.
using Sums = std::map<std::uint64_t, std::uint64_t>;

/// What piece `piece` emits: pairs of few keys, and of many.
std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs_of(int piece)
{
    std::mt19937_64 random(static_cast<std::uint64_t>(piece));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (int i = 0; i < 500; ++i)
        pairs.emplace_back(i % 2 == 0 ? random() % 7 : random() % 5000, random() % 1000);
    return pairs;
}

std::vector<int> pieces(int count)
{
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// A folder with files, until the end of a test.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("map_reduce_" + std::to_string(std::random_device()())))
    {
        std::filesystem::create_directory(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string add(const std::string& name, const std::string& text) const
    {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }
    std::string path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// All that the pieces of all ranks hold, in the files' order as far as pieces do not matter: records,
/// sorted.
std::vector<std::string> records_in(const TextPieces& input, int ranks, char last = '\n')
{
    std::vector<std::string> records;
    for (int rank = 0; rank < ranks; ++rank)
        input.for_each_piece(rank, ranks, [&](std::string_view text) {
            CHECK(!text.empty());
            while (!text.empty()) {
                const std::size_t end = std::min(text.find(last), text.size() - 1);
                records.emplace_back(text.substr(0, end + 1));
                text.remove_prefix(end + 1);
            }
        });
    std::ranges::sort(records);
    return records;
}

}  // namespace

TEST_CASE("map_reduce adds the values of each key, with and without room in memory")
{
    const int ranks = GENERATE(1, 2, 3, 5);
    const bool spills = GENERATE(false, true);
    constexpr int kPieces = 40;
    Sums expected;
    for (int piece = 0; piece < kPieces; ++piece)
        for (const auto& [key, value] : pairs_of(piece))
            expected[key] += value;
    std::mutex mutex;
    Sums found;
    tutti::run_threads(ranks, [&](tutti::Environment& environment) {
        auto sums = tutti::map_reduce<std::uint64_t, std::uint64_t>(
            environment.world(), pieces(kPieces),
            [](int piece, auto& emit) {
                for (const auto& [key, value] : pairs_of(piece))
                    emit(key, value);
            },
            tutti::sum, spills ? kLittleMemory : MapReduceOptions{});
        std::move(sums).for_each([&](std::uint64_t key, std::uint64_t value) {
            const std::lock_guard lock(mutex);
            CHECK(found.emplace(key, value).second);  // each key is at one rank
        });
    });
    CHECK(found == expected);
}

TEST_CASE("map_reduce combines strings by any operator, and gathers them by key")
{
    const int ranks = GENERATE(1, 2, 4);
    const int root = ranks - 1;
    const MapReduceOptions options = GENERATE(MapReduceOptions{}, kLittleMemory);
    // Every word with its longest companion.
    const auto map = [](int piece, auto& emit) {
        for (int i = 0; i < 300; ++i)
            emit("word " + std::to_string((piece * 31 + i * 7) % 400),
                 std::string(static_cast<std::size_t>(piece % 9), 'x'));
    };
    std::map<std::string, std::string> expected;
    const auto keep_longer = [](std::string& known, std::string&& more) {
        if (more.size() > known.size())
            known = std::move(more);
    };
    for (const int piece : pieces(12))
        map(piece, *std::make_unique<std::function<void(const std::string&, std::string)>>(
                       [&](const std::string& key, std::string value) {
                           keep_longer(expected[key], std::move(value));
                       }));
    tutti::run_threads(ranks, [&](tutti::Environment& environment) {
        const auto all = tutti::map_reduce<std::string, std::string>(environment.world(), pieces(12), map,
                                                                     keep_longer, options)
                             .gather(root);
        if (environment.world().rank() != root) {
            CHECK(all.empty());
            return;
        }
        CHECK(std::ranges::is_sorted(all));
        CHECK(std::map<std::string, std::string>(all.begin(), all.end()) == expected);
        CHECK(all.size() == expected.size());
    });
}

TEST_CASE("map_reduce sorts the pairs of all ranks, in parts of about equal size")
{
    const int ranks = GENERATE(1, 2, 3, 5, 8);
    const int count = GENERATE(0, 1, 40);
    const MapReduceOptions options = GENERATE(MapReduceOptions{}, kLittleMemory);
    Sums expected;
    for (const int piece : pieces(count))
        for (const auto& [key, value] : pairs_of(piece))
            expected[key] += value;
    std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> parts(static_cast<std::size_t>(ranks));
    tutti::run_threads(ranks, [&](tutti::Environment& environment) {
        const tutti::Communicator world = environment.world();
        parts[static_cast<std::size_t>(world.rank())] =
            tutti::map_reduce<std::uint64_t, std::uint64_t>(
                world, pieces(count),
                [](int piece, auto& emit) {
                    for (const auto& [key, value] : pairs_of(piece))
                        emit(key, value);
                },
                tutti::sum, options)
                .take_sorted();
    });
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const auto& part : parts) {
        // Regular sampling bounds a part by twice the mean, and some for what does not divide.
        CHECK(part.size() <= 2 * expected.size() / static_cast<std::size_t>(ranks) + 2);
        all.insert(all.end(), part.begin(), part.end());
    }
    CHECK(all == std::vector<std::pair<std::uint64_t, std::uint64_t>>(expected.begin(), expected.end()));
}

TEST_CASE("the operators of map_reduce")
{
    tutti::run_threads(2, [](tutti::Environment& environment) {
        const tutti::Communicator world = environment.world();
        const auto map = [](int piece, auto& emit) { emit(0, piece); };
        const std::vector<int> numbers = {3, 5, 2};
        const auto result = [&](const auto& op) {
            return tutti::map_reduce<int, int>(world, numbers, map, op).gather(0);
        };
        const auto check = [&](const auto& found, int expected) {
            if (world.rank() == 0)
                CHECK(found == std::vector<std::pair<int, int>>{{0, expected}});
        };
        check(result(tutti::sum), 10);
        check(result(tutti::prod), 30);
        check(result(tutti::min), 2);
        check(result(tutti::max), 5);
        check(result([](int a, int b) { return a | b; }), 7);
        check(result([](int& known, int&& more) {
                  known += 10 * more;
                  known -= 9 * more;
              }),
              10);
    });
}

TEST_CASE("map_group sees all values of a key at once")
{
    const int ranks = GENERATE(1, 2, 3);
    const MapReduceOptions options = GENERATE(MapReduceOptions{}, kLittleMemory);
    std::map<int, std::vector<int>> expected;
    for (int piece = 0; piece < 30; ++piece)
        for (int i = 0; i < 50; ++i)
            expected[i % 13].push_back(piece * i);
    std::mutex mutex;
    std::map<int, std::vector<int>> found;
    tutti::run_threads(ranks, [&](tutti::Environment& environment) {
        const auto mine = tutti::map_group<int, int>(
            environment.world(), pieces(30),
            [](int piece, auto& emit) {
                for (int i = 0; i < 50; ++i)
                    emit(i % 13, piece * i);
            },
            [](const int&, std::vector<int> values) {
                std::ranges::sort(values);
                return values;
            },
            options);
        const std::lock_guard lock(mutex);
        for (const auto& [key, values] : mine)
            CHECK(found.emplace(key, values).second);
    });
    for (auto& [key, values] : expected)
        std::ranges::sort(values);
    CHECK(found == expected);
}

TEST_CASE("map_reduce of nothing, and ranks without a piece")
{
    const int pieces_of_all = GENERATE(0, 1, 2);
    tutti::run_threads(3, [&](tutti::Environment& environment) {
        const auto all = tutti::map_reduce<int, int>(
                             environment.world(), pieces(pieces_of_all),
                             [](int piece, auto& emit) { emit(piece, piece + 1); }, tutti::sum)
                             .gather(0);
        if (environment.world().rank() == 0) {
            CHECK(all.size() == static_cast<std::size_t>(pieces_of_all));
            for (const auto& [key, value] : all)
                CHECK(value == key + 1);
        }
    });
}

TEST_CASE("pieces of text end where records end, and hold each record once")
{
    const Folder folder;
    std::vector<std::string> expected;
    std::string text;
    std::mt19937 random(5);
    for (int i = 0; i < 2000; ++i) {
        // Some lines are longer than a piece, and some than a search for the next record.
        const std::size_t size = i == 1000 ? 200'000 : i % 97 == 0 ? 700 : random() % 40;
        expected.push_back(std::to_string(i) + std::string(size, 'x') + "\n");
        text += expected.back();
    }
    expected.push_back("no newline at the end");
    text += expected.back();
    expected.push_back("a small file\n");
    const std::vector<std::string> files = {folder.add("large", text), folder.add("empty", ""),
                                            folder.add("small", "a small file\n")};
    std::ranges::sort(expected);
    const int ranks = GENERATE(1, 2, 3, 7);
    const std::size_t piece_bytes = GENERATE(250, 4096, 1 << 20);
    CHECK(records_in(TextPieces(files, tutti::records_to('\n'), piece_bytes), ranks) == expected);
}

TEST_CASE("records end where the program says")
{
    const Folder folder;
    const std::string file = folder.add("records", "one;two;three;four;five");
    CHECK(records_in(TextPieces({file}, tutti::records_to(';'), 4), 2, ';') ==
          std::vector<std::string>{"five", "four;", "one;", "three;", "two;"});
    // An empty line ends a record.
    const std::string paragraphs = folder.add("paragraphs", "a\nb\n\nc\n\nd\ne\n");
    const TextPieces input(
        {paragraphs},
        [](std::string_view text) {
            const std::size_t at = text.find("\n\n");
            return at == text.npos ? at : at + 2;
        },
        3);
    std::vector<std::string> found;
    for (int rank = 0; rank < 2; ++rank)
        input.for_each_piece(rank, 2, [&](std::string_view text) { found.emplace_back(text); });
    std::string all;
    std::ranges::sort(found, [](const std::string& a, const std::string& b) { return a[0] < b[0]; });
    for (const std::string& piece : found) {
        CHECK((piece == "d\ne\n" || piece.ends_with("\n\n")));
        all += piece;
    }
    CHECK(all == "a\nb\n\nc\n\nd\ne\n");
    const TextPieces wrong(
        {paragraphs}, [](std::string_view text) { return text.size() + 1; }, 3);
    CHECK_THROWS_WITH(wrong.for_each_piece(0, 1, [](std::string_view) {}),
                      Contains("function for the next record"));
}

TEST_CASE("files that cannot be read or written are named")
{
    const Folder folder;
    const auto read = [](const std::string& file) {
        TextPieces({file}).for_each_piece(0, 1, [](std::string_view) {});
    };
    CHECK_THROWS_WITH(read(folder.path() + "/none"), Contains("none") && Contains("No such file"));
    CHECK_THROWS_WITH(read(folder.path()), Contains(folder.path()) && Contains("directory"));
    const auto spill = [&](const std::string& where) {
        tutti::run_threads(1, [&](tutti::Environment& environment) {
            tutti::map_reduce<int, int>(environment.world(), pieces(1),
                                        [](int, auto& emit) {
                                            for (int i = 0; i < 10'000; ++i)
                                                emit(i, i);
                                        },
                                        tutti::sum, {.memory_bytes = 20'000, .spill_folder = where});
        });
    };
    CHECK_THROWS_WITH(spill(folder.path() + "/none"), Contains("none") && Contains("spill_folder"));
    spill(folder.path());
    CHECK(std::filesystem::is_empty(folder.path()));
}
