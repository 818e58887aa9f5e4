// Counts words by MapReduce: every rank counts those of its pieces of the files (map), sends each word to the
// rank that owns it, which adds up what comes (reduce); rank 0 prints what all have (gather).
//
//     tuttirun -n 4 word_count [--all] [FILE...]
//
// A word is a run of letters of the ASCII alphabet, in lower case. Without files: Debian's licence texts.
// Prints the twenty most frequent words, or with --all every word, as `sort | uniq -c` does, the most
// frequent first.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <tutti/map_reduce.hpp>
#include <tutti/tutti.hpp>
#include <vector>

#include "command_line.hpp"

const auto count_words = [](std::string_view text, auto& emit) {
    std::string word;
    for (const char c : text) {
        if (const char lower = static_cast<char>(c | 0x20); lower >= 'a' && lower <= 'z') {
            word += lower;
        } else if (!word.empty()) {
            emit(word, 1u);
            word.clear();
        }
    }
    if (!word.empty())
        emit(word, 1u);
};

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
        for (const auto& entry : std::filesystem::directory_iterator("/usr/share/common-licenses"))
            if (entry.is_regular_file())
                files.push_back(entry.path());
    std::ranges::sort(files);  // the same order at all ranks

    const tutti::TextPieces pieces(files);
    auto counts =
        tutti::map_reduce<std::string, std::uint64_t>(world, pieces, count_words, tutti::sum).gather(0);
    std::ranges::stable_sort(counts, std::greater{}, [](const auto& count) { return count.second; });
    for (std::size_t i = 0; i < (all ? counts.size() : std::min<std::size_t>(20, counts.size())); ++i)
        fmt::print("{:7} {}\n", counts[i].second, counts[i].first);
}
