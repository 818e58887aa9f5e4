#include "benchmarks/progress/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/terminal.hpp"

namespace tutti::bench {

namespace {

constexpr int kMostColumns = 200;

// A launcher that passes the line on cuts it off where its terminal ends.
int columns_of(std::FILE* stream)
{
    winsize size{};
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kMostColumns;
}

std::string duration(double seconds)
{
    if (seconds < 90)
        return fmt::format("{:.0f} s", std::ceil(seconds));
    if (seconds < 90 * 60)
        return fmt::format("{:.0f} min", std::ceil(seconds / 60));
    return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string progress_line(std::string_view what, int step, int steps, double seconds_so_far, int columns)
{
    std::string line = fmt::format("[{}/{}] {}", step, steps, what);
    const int done = step - 1;
    if (done > 0)
        line += fmt::format(", about {} left", duration(seconds_so_far / done * (steps - done)));
    // A line that is broken by the terminal could not be erased.
    line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(columns - 1, 0))));
    return line;
}

ProgressLine::ProgressLine(int steps, std::FILE* stream)
    : stream_(base::reaches_terminal(fileno(stream)) ? stream : nullptr),
      steps_(steps),
      start_ns_(base::now_ns())
{
}

ProgressLine::~ProgressLine()
{
    erase();
}

void ProgressLine::next(std::string_view what)
{
    ++step_;
    if (stream_ == nullptr)
        return;
    const double seconds = static_cast<double>(base::now_ns() - start_ns_) / 1e9;
    fmt::print(stream_, "\r{}\033[K", progress_line(what, step_, steps_, seconds, columns_of(stream_)));
    std::fflush(stream_);
    shown_ = true;
}

void ProgressLine::erase()
{
    if (!shown_)
        return;
    fmt::print(stream_, "\r\033[K");
    std::fflush(stream_);
    shown_ = false;
}

}  // namespace tutti::bench
