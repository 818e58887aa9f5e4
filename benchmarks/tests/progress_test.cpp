// The line that says how far a long run is, on a terminal made for the test.
#include "benchmarks/progress/progress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>

using namespace tutti::bench;

namespace {

// Both ends of a terminal.
class Terminal {
public:
    Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY))
    {
        REQUIRE(master_ >= 0);
        REQUIRE(grantpt(master_) == 0);
        REQUIRE(unlockpt(master_) == 0);
        // Not the terminal of this process: its end would hang us up.
        const int slave = open(ptsname(master_), O_RDWR | O_NOCTTY);
        REQUIRE(slave >= 0);
        stream_ = fdopen(slave, "r+");
        REQUIRE(stream_ != nullptr);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    ~Terminal()
    {
        std::fclose(stream_);
        close(master_);
    }

    std::FILE* stream() const { return stream_; }
    // What is to be read now; at least one byte must have been written.
    std::string shown() const
    {
        std::array<char, 1024> bytes{};
        const ssize_t count = read(master_, bytes.data(), bytes.size());
        return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
    }

private:
    int master_;
    std::FILE* stream_;
};

// TERM for as long as it lives.
class TerminalKind {
public:
    explicit TerminalKind(const char* kind) { setenv("TERM", kind, 1); }
    TerminalKind(const TerminalKind&) = delete;
    TerminalKind& operator=(const TerminalKind&) = delete;
    ~TerminalKind()
    {
        if (had_)
            setenv("TERM", before_.c_str(), 1);
        else
            unsetenv("TERM");
    }

private:
    bool had_ = std::getenv("TERM") != nullptr;
    std::string before_ = had_ ? std::getenv("TERM") : "";
};

}  // namespace

TEST_CASE("a line of progress foretells the time from the steps done", "[benchmarks]")
{
    CHECK(progress_line("latency, MPICH", 1, 12, 0.5, 80) == "[1/12] latency, MPICH");
    CHECK(progress_line("bw", 3, 12, 4.0, 80) == "[3/12] bw, about 20 s left");
    CHECK(progress_line("bw", 2, 11, 30.0, 80) == "[2/11] bw, about 5 min left");
    CHECK(progress_line("bw", 2, 3, 5400.0, 80) == "[2/3] bw, about 3.0 h left");
    CHECK(progress_line("allreduce", 1, 2, 0.0, 10) == "[1/2] all");
    CHECK(progress_line("allreduce", 1, 2, 0.0, 0).empty());
}

TEST_CASE("progress is shown on a terminal and erased at the end", "[benchmarks]")
{
    const TerminalKind kind("xterm");
    const Terminal terminal;
    {
        tutti::bench::ProgressLine progress(2, terminal.stream());
        progress.next("first");
        CHECK(terminal.shown() == "\r[1/2] first\033[K");
        progress.erase();
        CHECK(terminal.shown() == "\r\033[K");
        progress.erase();
        progress.next("second");
        CHECK(terminal.shown().starts_with("\r[2/2] second, about "));
    }
    CHECK(terminal.shown() == "\r\033[K");
}

TEST_CASE("progress is shown neither in a file nor on a terminal that cannot erase", "[benchmarks]")
{
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    {
        tutti::bench::ProgressLine progress(1, file);
        progress.next("alone");
        progress.erase();
    }
    CHECK(std::ftell(file) == 0);
    std::fclose(file);

    const TerminalKind kind("dumb");
    const Terminal terminal;
    {
        tutti::bench::ProgressLine progress(1, terminal.stream());
        progress.next("alone");
    }
    std::fputs("end", terminal.stream());
    std::fflush(terminal.stream());
    CHECK(terminal.shown() == "end");
}
