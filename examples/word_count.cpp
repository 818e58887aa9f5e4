// Counts words by MapReduce: every rank counts those of its share of the files (map), sends each word to the
// rank that owns it (shuffle, an alltoallv), which adds up what comes (reduce); rank 0 prints what all have
// (gather).
//
//     tuttirun -n 4 word_count [--all] [FILE...]
//
// A word is a run of letters of the ASCII alphabet, in lower case. Without files: Debian's licence texts.
// Prints the twenty most frequent words, or with --all every word, as `sort | uniq -c` does, the most
// frequent first.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tutti/tutti.hpp>
#include <utility>
#include <vector>

#include "command_line.hpp"

namespace {

using Counts = std::map<std::string, std::uint64_t>;

void count_words(const std::string& file, Counts& counts)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw std::runtime_error("cannot read " + file);
    std::string word;
    for (std::istreambuf_iterator<char> c(in), end; c != end; ++c) {
        const auto letter = static_cast<unsigned char>(*c);
        if (letter < 128 && std::isalpha(letter) != 0)
            word += static_cast<char>(std::tolower(letter));
        else if (!word.empty())
            ++counts[std::exchange(word, {})];
    }
    if (!word.empty())
        ++counts[word];
}

// Lines of "count word".
std::string to_text(const Counts& counts)
{
    std::string text;
    for (const auto& [word, count] : counts)
        text += fmt::format("{} {}\n", count, word);
    return text;
}

void add_text(const std::string& text, Counts& counts)
{
    std::istringstream in(text);
    std::uint64_t count = 0;
    for (std::string word; in >> count >> word;)
        counts[word] += count;
}

// Every rank sends each other the words that it owns.
Counts shuffle(const tutti::Communicator& world, const Counts& mine)
{
    const auto ranks = static_cast<std::size_t>(world.size());
    std::vector<Counts> by_owner(ranks);
    for (const auto& [word, count] : mine)
        by_owner[std::hash<std::string>{}(word) % ranks][word] = count;

    std::string out;
    std::vector<std::size_t> out_sizes;
    for (const Counts& share : by_owner) {
        const std::string text = to_text(share);
        out += text;
        out_sizes.push_back(text.size());
    }
    std::vector<std::size_t> in_sizes(ranks);
    world.alltoall(out_sizes, in_sizes);
    std::string in(std::accumulate(in_sizes.begin(), in_sizes.end(), std::size_t{0}), ' ');
    world.alltoallv(out, out_sizes, in, in_sizes);
    Counts owned;
    add_text(in, owned);
    return owned;
}

Counts gather(const tutti::Communicator& world, const Counts& owned)
{
    const std::string mine = to_text(owned);
    std::vector<std::size_t> sizes(world.rank() == 0 ? static_cast<std::size_t>(world.size()) : 0);
    world.gather(mine.size(), sizes);
    std::string all(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), ' ');
    world.gatherv(mine, all, sizes);
    Counts counts;
    add_text(all, counts);
    return counts;
}

void print(const Counts& counts, std::size_t most)
{
    std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::greater{}, [](const auto& entry) { return entry.second; });
    sorted.resize(std::min(most, sorted.size()));
    for (const auto& [word, count] : sorted)
        fmt::print("{:7} {}\n", count, word);
}

std::vector<std::string> licences()
{
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/share/common-licenses")) {
        if (entry.is_regular_file())
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    std::vector<std::string> files;
    bool all = false;
    example::CommandLine line("Counts the words of files, each rank those of its share");
    line.files("FILE", files, "text files (default: Debian's licence texts)");
    line.flag("--all", all, "print every word, not the twenty most frequent alone");
    if (const auto status = line.read(argc, argv, world))
        return *status;
    if (files.empty())
        files = licences();

    Counts mine;
    const auto ranks = static_cast<std::size_t>(world.size());
    for (std::size_t i = static_cast<std::size_t>(world.rank()); i < files.size(); i += ranks)
        count_words(files[i], mine);
    const Counts total = gather(world, shuffle(world, mine));
    if (world.rank() == 0)
        print(total, all ? total.size() : 20);
}
