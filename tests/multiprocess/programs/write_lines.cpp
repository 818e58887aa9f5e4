// Writes numbered lines of odd lengths to standard output, cut into pieces at places that are no line ends.
// Arguments: NUMBER-OF-LINES LONGEST-LINE. Each line: "rank number length xxxx...".
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include <fmt/format.h>

int main(int argc, char** argv)
{
    if (argc != 3) {
        return 3;
    }
    const char* rank = std::getenv("PMIX_RANK");
    const int lines = std::atoi(argv[1]);
    std::minstd_rand random(static_cast<unsigned>(std::atoi(rank)) + 1);
    std::string text;
    for (int number = 0; number < lines; ++number) {
        const auto length = random() % static_cast<unsigned>(std::atoi(argv[2]));
        text += fmt::format("{} {} {} {}\n", rank, number, length,
                            std::string(length, static_cast<char>('a' + number % 26)));
        const std::size_t piece = random() % 70'000;
        if (text.size() > piece || number == lines - 1) {
            std::size_t written = 0;
            const std::size_t end = number == lines - 1 ? text.size() : piece;
            while (written < end) {
                const ssize_t bytes = ::write(STDOUT_FILENO, text.data() + written, end - written);
                if (bytes < 0) {
                    return 4;
                }
                written += static_cast<std::size_t>(bytes);
            }
            text.erase(0, end);
        }
    }
    return 0;
}
