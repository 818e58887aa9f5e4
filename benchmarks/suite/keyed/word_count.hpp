// How fast map_reduce counts the words of a text that all ranks have parts of in memory.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "benchmarks/suite/keyed/generated_text.hpp"
#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

inline constexpr std::size_t kPieceBytes = 64 * 1024;

struct TextExtent {
    double bytes = 0.0;
    double words = 0.0;
};

/// A rank's part of the text: of `pieces` pieces, dealt in turn, its own.
class TextOfRank {
public:
    TextOfRank(const GeneratedText& text, int pieces, std::size_t piece_bytes, int rank, int ranks)
        : ranks_(ranks)
    {
        for (int piece = rank; piece < pieces; piece += ranks) {
            pieces_.push_back(text.piece(static_cast<std::uint64_t>(piece), piece_bytes));
            extent_.bytes += static_cast<double>(pieces_.back().size());
            for_each_word(pieces_.back(), [this](std::string_view) { extent_.words += 1.0; });
        }
    }

    const std::string& piece(int number) const { return pieces_[static_cast<std::size_t>(number / ranks_)]; }
    const TextExtent& extent() const noexcept { return extent_; }

private:
    int ranks_;
    std::vector<std::string> pieces_;
    TextExtent extent_;
};

/// `pairs`: those that map_reduce left at this rank. Whether each word of the whole text is at one rank, with
/// its count.
template <Job B, class Pairs>
bool validate_words(B& job, const Pairs& pairs, const GeneratedText& text, int pieces,
                    std::size_t piece_bytes)
{
    std::unordered_map<std::string, std::uint64_t> wanted;
    for (int piece = 0; piece < pieces; ++piece)
        for_each_word(text.piece(static_cast<std::uint64_t>(piece), piece_bytes),
                      [&](std::string_view word) { ++wanted[std::string(word)]; });
    std::size_t wrong = 0;
    for (const auto& [word, count] : pairs) {
        const auto found = wanted.find(word);
        wrong += found == wanted.end() || found->second != count ? 1 : 0;
        if (found != wanted.end())
            found->second = 0;  // a second pair of the word is wrong
    }
    const std::size_t own = pairs.size();
    const std::vector<std::size_t> all = gathered(job, std::span<const std::size_t>(&own, 1));
    const std::size_t found = std::accumulate(all.begin(), all.end(), std::size_t{0});
    return none_wrong(job, wrong + (found == wanted.size() ? 0 : 1));
}

/// The row of texts of so much a rank; without one at other ranks than 0.
template <Backend B>
std::optional<Row> counted_words(Session<B>& session, const GeneratedText& text, std::size_t size_bytes)
{
    B& job = session.job();
    const std::size_t pieces_each = std::max<std::size_t>(1, size_bytes / kPieceBytes);
    const std::size_t piece_bytes = size_bytes / pieces_each;
    const int pieces = job.size() * static_cast<int>(pieces_each);
    const TextOfRank own(text, pieces, piece_bytes, job.rank(), job.size());
    const auto count = [&] {
        return job.map_reduce(pieces, [&](int piece, auto& emit) {
            for_each_word(own.piece(piece), [&](std::string_view word) { emit(word, 1); });
        });
    };
    const std::optional<bool> valid =
        session.checked([&] { return validate_words(job, count(), text, pieces, piece_bytes); });
    const std::vector<TextExtent> of_ranks = gathered(job, std::span<const TextExtent>(&own.extent(), 1));
    const Series series =
        session.sampler().iterations(Over::slowest, Start::barrier, [&] { static_cast<void>(count()); });
    if (!session.is_root())
        return std::nullopt;
    TextExtent all;
    for (const TextExtent& one : of_ranks)
        all = {all.bytes + one.bytes, all.words + one.words};
    Row row = row_of(static_cast<double>(size_bytes), series, [&](double us) { return all.bytes / us; });
    row.valid = valid;
    row.parts = {row.summary.median * all.words / std::max(all.bytes, 1.0)};
    return row;
}

/// map_reduce: for each size the words of a text of so much a rank.
template <Backend B>
void word_count(Session<B>& session)
{
    if constexpr (requires(B & job) { job.map_reduce(0, [](int, auto&) {}); }) {
        const std::vector<std::size_t> sizes = session.options().size_list();
        const std::size_t words = session.options().vocabulary;
        session.open(Start::barrier,
                     {.parts = {{"Pairs/us"}},
                      .notes = {fmt::format("Size: of a rank's text, which is in memory and has {} different "
                                            "words; figures of all ranks together",
                                            words)}});
        require_memory(session.job(), session.placement(), 2.0 * static_cast<double>(sizes.back()));
        session.expect_rows(sizes.size());
        const GeneratedText text(words);
        for (const std::size_t size_bytes : sizes) {
            session.begin_row(fmt::format("size {}", size_bytes));
            if (const std::optional<Row> row = counted_words(session, text, size_bytes))
                session.row(*row);
        }
    } else {
        throw NotOffered("map_reduce is of Tutti's C++ interface only");
    }
}

}  // namespace tutti::bench
