// Rows and words of the benchmarks by key: which there are, and that wrong ones are found.
#include <catch2/catch.hpp>

#include "benchmarks/suite/keyed/generated_text.hpp"
#include "benchmarks/suite/keyed/row_choice.hpp"
#include "benchmarks/suite/keyed/table_rows.hpp"
#include "benchmarks/suite/keyed/word_count.hpp"

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace tutti::bench;

namespace {

struct Alone {
    static std::string library() { return "none"; }
    int rank() const { return 0; }
    int size() const { return 1; }
    void barrier() {}
    void broadcast(Bytes, int) {}
    void allgather(ConstBytes in, Bytes out) { std::memcpy(out.data(), in.data(), in.size()); }
};

// A table of this process, which loses the pushes to one row.
class Rows {
public:
    Rows(std::size_t rows, std::size_t width, std::size_t lost)
        : width_(width), lost_(lost), all_(rows * width)
    {
    }
    std::size_t rows() const { return all_.size() / width_; }
    std::size_t width() const { return width_; }
    void push(std::span<const std::size_t> rows, std::span<const float> values, const auto&)
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (rows[i / width_] != lost_)
                all_[rows[i / width_] * width_ + i % width_] += values[i];
    }
    void pull(std::span<const std::size_t> rows, std::span<float> values) const
    {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = all_[rows[i / width_] * width_ + i % width_];
    }

private:
    std::size_t width_;
    std::size_t lost_;
    std::vector<float> all_;
};

bool is_valid(RowOrder order, std::size_t lost)
{
    Alone job;
    Rows table(40, 3, lost);
    std::vector<float> out(30), in(30);
    return validate_rows(job, table, {order, 10, 40}, out, in);
}

}  // namespace

TEST_CASE("a rank names each row once, in a run or at random", "[benchmarks]")
{
    using Rows = std::vector<std::size_t>;
    const auto run_of = [](std::size_t rows, int rank) {
        return RowChoice{RowOrder::run, 3, rows}.of_rank(rank);
    };
    CHECK(run_of(12, 0) == Rows{0, 1, 2});
    CHECK(run_of(12, 2) == Rows{6, 7, 8});
    CHECK(run_of(12, 4) == Rows{2, 3, 4});
    CHECK(run_of(3, 5) == Rows{0, 1, 2});
    const RowChoice random{RowOrder::random, 100, 1000};
    for (const int rank : {0, 1, 7}) {
        const Rows rows = random.of_rank(rank);
        CHECK(rows == random.of_rank(rank));
        CHECK(rows != random.of_rank(rank + 1));
        CHECK(std::set<std::size_t>(rows.begin(), rows.end()).size() == 100);
        CHECK(std::ranges::max(rows) < 1000);
        CHECK_FALSE(std::ranges::is_sorted(rows));
    }
    CHECK(RowChoice{RowOrder::random, 5, 5}.of_rank(0).size() == 5);
}

TEST_CASE("keys are as many as rows, and far apart", "[benchmarks]")
{
    const std::vector<std::size_t> keys = RowChoice{RowOrder::run, 1000, 1000, true}.of_rank(0);
    const std::set<std::size_t> in_order(keys.begin(), keys.end());
    CHECK(in_order.size() == 1000);
    CHECK(*in_order.begin() > 1'000'000'000);
    CHECK(*in_order.rbegin() - *in_order.begin() > ~std::size_t{0} / 2);
}

TEST_CASE("a row that loses a push is found", "[benchmarks]")
{
    for (const RowOrder order : {RowOrder::run, RowOrder::random}) {
        CHECK(is_valid(order, 40));
        CHECK_FALSE(is_valid(order, RowChoice{order, 10, 40}.of_rank(0)[7]));
    }
}

TEST_CASE("generated text has words as frequent as Zipf says, the same for a number", "[benchmarks]")
{
    const GeneratedText text(1000);
    CHECK(text.piece(3, 5000) == text.piece(3, 5000));
    CHECK(text.piece(3, 5000) != text.piece(4, 5000));
    CHECK(text.piece(3, 0).empty());
    std::map<std::string, int> counts;
    std::size_t bytes = 0;
    for_each_word(text.piece(0, 1 << 20), [&](std::string_view word) {
        ++counts[std::string(word)];
        bytes += word.size() + 1;
    });
    CHECK(bytes == text.piece(0, 1 << 20).size());
    CHECK(bytes < (1 << 20) + 12);
    CHECK(counts.size() > 950);
    CHECK(counts.size() <= 1000);
    std::vector<int> by_frequency;
    for (const auto& [word, count] : counts)
        by_frequency.push_back(count);
    std::ranges::sort(by_frequency, std::greater());
    CHECK(by_frequency[0] > 5 * by_frequency[9]);
    CHECK(by_frequency[0] < 20 * by_frequency[9]);
}

TEST_CASE("words are parted by blanks", "[benchmarks]")
{
    std::vector<std::string> words;
    for_each_word("  one two  three", [&](std::string_view word) { words.emplace_back(word); });
    CHECK(words == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("pairs are compared with a count of the whole text", "[benchmarks]")
{
    Alone job;
    const GeneratedText text(100);
    std::map<std::string, std::uint64_t> counts;
    for (const std::uint64_t piece : {0, 1, 2})
        for_each_word(text.piece(piece, 1000), [&](std::string_view word) { ++counts[std::string(word)]; });
    std::vector<std::pair<std::string, std::uint64_t>> pairs(counts.begin(), counts.end());
    CHECK(validate_words(job, pairs, text, 3, 1000));
    CHECK_FALSE(validate_words(job, pairs, text, 2, 1000));
    ++pairs[5].second;
    CHECK_FALSE(validate_words(job, pairs, text, 3, 1000));
    --pairs[5].second;
    pairs.push_back(pairs[5]);  // one key at two places
    CHECK_FALSE(validate_words(job, pairs, text, 3, 1000));
    pairs.resize(pairs.size() - 2);
    CHECK_FALSE(validate_words(job, pairs, text, 3, 1000));
}
