// Ranks write output of every shape at once, and every byte of each comes out once, in its order.
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/hostile/rounds.hpp"
#include "tests/hostile/shapes.hpp"
#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

namespace {

/// Empty where both are the same: megabytes are not to be printed.
std::string difference(const std::string& expected, const std::string& found)
{
    if (expected == found) {
        return {};
    }
    const auto [at, other] = std::ranges::mismatch(expected, found);
    return std::to_string(found.size()) + " bytes instead of " + std::to_string(expected.size()) +
           ", the first difference at " + std::to_string(at - expected.begin());
}

/// A job of ranks that write shapes, and what they are to write.
struct ShapesJob {
    explicit ShapesJob(std::uint32_t its_seed)
        : seed(its_seed), ranks(1 + static_cast<int>(seed) % kMaxShapeRanks)
    {
        for (int rank = 0; rank < ranks; ++rank) {
            steps.push_back(shape_steps(seed, rank));
        }
    }
    Result run(std::vector<std::string> options) const
    {
        options.insert(options.end(),
                       {"-n", std::to_string(ranks), program("write_shapes"), std::to_string(seed)});
        Result result = tuttirun(options);
        CHECK(result.status == 0);
        return result;
    }
    std::string expected(int rank, int channel) const
    {
        return shape_bytes(steps.at(static_cast<std::size_t>(rank)), channel);
    }

    std::uint32_t seed;
    int ranks;
    std::vector<std::vector<ShapeStep>> steps;
};

std::map<char, std::size_t> count_common(const std::string& text)
{
    std::map<char, std::size_t> counts;
    for (const char byte : {'\0', '\r', '\n'}) {
        counts[byte] = static_cast<std::size_t>(std::ranges::count(text, byte));
    }
    return counts;
}

/// `channels`: those that were written to `text`. Bytes that all ranks may write are counted only.
void check_merged(const ShapesJob& job, const std::string& text, const std::vector<int>& channels)
{
    std::size_t bytes = 0;
    std::map<char, std::size_t> common = count_common({});
    for (int rank = 0; rank < job.ranks; ++rank) {
        for (const int channel : channels) {
            CAPTURE(rank, channel);
            const std::string expected = job.expected(rank, channel);
            std::string found;
            std::ranges::copy_if(text, std::back_inserter(found),
                                 [rank, channel](char byte) { return is_letter_of(byte, rank, channel); });
            CHECK(difference(only_letters(expected), found) == "");
            bytes += expected.size();
            for (const auto& [byte, count] : count_common(expected)) {
                common[byte] += count;
            }
        }
    }
    CHECK(text.size() == bytes);
    CHECK(count_common(text) == common);
}

/// Each line begins with its stream's prefix, and holds nothing of another.
void check_tagged(const ShapesJob& job, const std::string& text, int channel)
{
    std::vector<std::string> found(static_cast<std::size_t>(job.ranks));
    int strange_lines = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        int rank = -1;
        int header = 0;
        const std::string head = text.substr(begin, std::min<std::size_t>(end - begin, 20));
        const char* format = channel == 1 ? "[%d]<stdout>: %n" : "[%d]<stderr>: %n";
        // The blank matches nothing as well, so its byte is counted by hand.
        const bool known = std::sscanf(head.c_str(), format, &rank, &header) == 1 && header > 0 &&
                           rank >= 0 && rank < job.ranks;
        strange_lines += known ? 0 : 1;
        if (known) {
            const std::size_t prefix = head.find(": ") + 2;
            found.at(static_cast<std::size_t>(rank)).append(text, begin + prefix, end - begin - prefix);
        }
        begin = end + 1;
    }
    CHECK(strange_lines == 0);
    for (int rank = 0; rank < job.ranks; ++rank) {
        CAPTURE(rank, channel);
        std::string expected = job.expected(rank, channel);
        std::erase(expected, '\n');
        CHECK(difference(expected, found.at(static_cast<std::size_t>(rank))) == "");
    }
}

/// A folder that is gone in the end.
class Folder {
public:
    Folder() : path_((std::filesystem::temp_directory_path() / "tutti-shapes-XXXXXX").string())
    {
        REQUIRE(::mkdtemp(path_.data()) != nullptr);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace

TEST_CASE("output of every shape comes out as it was written, merged and in files", "[output_shapes]")
{
    for_each_seed(kSanitized ? 1 : 5, [](std::uint32_t seed) {
        const ShapesJob job(seed);
        const Folder folder;
        const Result result = job.run({"--output-filename", folder.path()});
        check_merged(job, result.out, {1});
        check_merged(job, result.err, {2});
        for (int rank = 0; rank < job.ranks; ++rank) {
            CAPTURE(rank);
            const std::string files = folder.path() + "/rank." + std::to_string(rank);
            CHECK(difference(job.expected(rank, 1), file_text(files + "/stdout")) == "");
            CHECK(difference(job.expected(rank, 2), file_text(files + "/stderr")) == "");
        }
    });
}

TEST_CASE("output of every shape is told apart by its prefixes", "[output_shapes]")
{
    for_each_seed(kSanitized ? 1 : 3, [](std::uint32_t seed) {
        const ShapesJob job(seed + 1'000'000);
        const Result result = job.run({"--tag-output"});
        check_tagged(job, result.out, 1);
        check_tagged(job, result.err, 2);
    });
}

TEST_CASE("stdout and stderr of every shape keep their order where they are merged", "[output_shapes]")
{
    for_each_seed(kSanitized ? 1 : 2, [](std::uint32_t seed) {
        const ShapesJob job(seed + 2'000'000);
        const Folder folder;
        const Result result = job.run({"--merge-stderr-to-stdout", "--output-filename", folder.path()});
        CHECK(result.err == "");
        check_merged(job, result.out, {1, 2});
        for (int rank = 0; rank < job.ranks; ++rank) {
            CAPTURE(rank);
            const std::string files = folder.path() + "/rank." + std::to_string(rank);
            CHECK(difference(job.expected(rank, 0), file_text(files + "/stdout")) == "");
        }
    });
}
