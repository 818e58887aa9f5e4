// The writer between many streams and two outputs: what is written is what came.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "launcher/streams/output_writer.hpp"

using namespace tutti::launcher;

namespace {

/// Standard output and standard error of this process are files in memory as long as this lives.
class CaughtOutputs {
public:
    explicit CaughtOutputs(bool same_file)
    {
        for (std::size_t i = 0; i < 2; ++i) {
            files_[i].reset(same_file && i == 1 ? ::dup(files_[0].get())
                                                : ::memfd_create("output", MFD_CLOEXEC));
            saved_[i].reset(::dup(static_cast<int>(i) + 1));
            ::dup2(files_[i].get(), static_cast<int>(i) + 1);
        }
    }
    ~CaughtOutputs() { restore(); }
    CaughtOutputs(const CaughtOutputs&) = delete;
    CaughtOutputs& operator=(const CaughtOutputs&) = delete;

    void restore()
    {
        for (std::size_t i = 0; i < 2; ++i) {
            if (saved_[i]) {
                ::dup2(saved_[i].get(), static_cast<int>(i) + 1);
                saved_[i].reset();
            }
        }
    }
    std::string text(std::size_t file) const
    {
        std::string text(static_cast<std::size_t>(::lseek(files_.at(file).get(), 0, SEEK_END)), '\0');
        CHECK(::pread(files_.at(file).get(), text.data(), text.size(), 0) ==
              static_cast<ssize_t>(text.size()));
        return text;
    }

private:
    std::array<UniqueFd, 2> files_;
    std::array<UniqueFd, 2> saved_;
};

constexpr std::size_t kSources = 6;

/// A stream's bytes say which stream and which place in it they are from: two bytes a number, the first with
/// the stream, the second counting. Line ends stand between.
class Source {
public:
    Source(StreamId stream, std::size_t index) : stream_(stream), index_(static_cast<char>(index)) {}

    StreamId stream() const { return stream_; }
    const std::string& numbers() const { return numbers_; }
    std::size_t written_bytes() const { return written_bytes_; }

    std::string next(std::size_t count, bool with_end)
    {
        std::string text(2 * count, static_cast<char>(0x20 + index_));
        for (std::size_t i = 0; i < count; ++i) {
            // Neither is a line end, and they are told from each other by the highest bit.
            text[2 * i + 1] = static_cast<char>(0x80 + (numbers_.size() / 2 + i) % 0x80);
        }
        numbers_ += text;
        text += with_end ? "\n" : "";
        written_bytes_ += text.size();
        return text;
    }

private:
    StreamId stream_;
    char index_;
    std::string numbers_;  // without line ends
    std::size_t written_bytes_ = 0;
};

/// The numbers of each source, as they stand in `output`.
std::array<std::string, kSources> numbers_in(const std::string& output)
{
    std::array<std::string, kSources> found;
    for (std::size_t i = 0; i + 1 < output.size(); ++i) {
        const auto index = static_cast<std::size_t>(output[i] - 0x20);
        if (index < kSources) {
            found[index].append(output, i, 2);
        }
    }
    return found;
}

/// Gives the writer pieces of all shapes from all sources in random turns. Half of the sources have hardly
/// any line end, two no end.
std::vector<Source> write_random(OutputWriter& writer, unsigned seed)
{
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t limit) { return random() % limit; };
    std::vector<Source> sources;
    for (std::size_t i = 0; i < kSources; ++i) {
        const auto channel = i % 3 == 2 ? Channel::standard_error : Channel::standard_output;
        sources.emplace_back(StreamId{static_cast<int>(i), channel}, i);
    }
    for (int turn = 0; turn < 450; ++turn) {
        Source& source = sources[below(kSources)];
        const std::array<std::size_t, 4> sizes{1, 1 + below(100), 1 + below(5000), 32768};
        const std::size_t size = sizes[below(sizes.size())];
        const bool with_end = below(source.stream().rank % 2 == 0 ? 100 : 3) == 0;
        writer.write(0, source.stream(), source.next(size, with_end));
        if (turn % 225 == 224) {
            // All but one have ended their lines, and after some quiet that one's is a prompt.
            for (std::size_t i = 0; i < kSources; ++i) {
                writer.write(0, sources[i].stream(), sources[i].next(1, i > 0));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
    }
    for (std::size_t i = 0; i + 2 < kSources; ++i) {
        writer.write(0, sources[i].stream(), {});
    }
    return sources;
}

}  // namespace

TEST_CASE("every byte of every stream is written once, in its order, and no other")
{
    for (const unsigned seed : {1U, 2U, 3U}) {
        const bool same_file = seed == 3;
        CAPTURE(seed);
        CaughtOutputs outputs(same_file);
        std::uint64_t taken = 0;
        std::vector<Source> sources;
        {
            OutputWriter writer(
                {}, {[&taken](int, std::uint64_t bytes) { taken += bytes; }, [](const char*, int) {}});
            sources = write_random(writer, seed);
            writer.finish([] {});
        }
        outputs.restore();
        const std::array<std::string, 2> texts{outputs.text(0), outputs.text(1)};
        const std::array numbers{numbers_in(texts[0]), numbers_in(texts[1])};
        std::array<std::size_t, 2> expected_bytes{};
        for (std::size_t i = 0; i < kSources; ++i) {
            CAPTURE(i);
            const bool second = !same_file && sources[i].stream().channel == Channel::standard_error;
            expected_bytes[second ? 1 : 0] += sources[i].written_bytes();
            const bool in_order = numbers[second ? 1 : 0][i] == sources[i].numbers();
            CHECK(in_order);
        }
        CHECK(texts[0].size() == expected_bytes[0]);
        CHECK((same_file || texts[1].size() == expected_bytes[1]));
        CHECK(taken == expected_bytes[0] + expected_bytes[1]);
    }
}

TEST_CASE("whole lines are written whole, whatever others write")
{
    CaughtOutputs outputs(false);
    const std::string line(100'000, 'a');
    {
        OutputWriter writer({}, {[](int, std::uint64_t) {}, [](const char*, int) {}});
        for (int i = 0; i < 40; ++i) {
            writer.write(0, {0, Channel::standard_output}, line.substr(0, 60'000));
            writer.write(0, {1, Channel::standard_output}, std::string(200'000, 'b'));
            writer.write(0, {0, Channel::standard_output}, line.substr(60'000) + "\n");
        }
        writer.finish([] {});
    }
    outputs.restore();
    const std::string text = outputs.text(0);
    std::size_t lines = 0;
    for (std::size_t at = text.find('a'); at != std::string::npos; at = text.find('a', at)) {
        const std::size_t end = text.find_first_not_of('a', at);
        REQUIRE(end != std::string::npos);
        const bool whole = text[end] == '\n' && end - at == line.size();
        CHECK(whole);
        ++lines;
        at = end;
    }
    CHECK(lines == 40);
    CHECK(text.size() == 40 * (line.size() + 1) + 40 * 200'000);
}
