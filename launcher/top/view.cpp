#include "launcher/top/view.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "launcher/report/status_socket.hpp"
#include "launcher/wire/codec.hpp"

namespace tutti::launcher {

namespace {

/// Below this a job that gives no answer is only busy.
constexpr double kSilentSeconds = 3;
constexpr std::size_t kPlainWidth = 400;

constexpr std::string_view kHelp = R"(A row is all ranks that do the same.

up, down     choose a row
Enter        show the rank of the row that
             has waited longest
left, right  the rank before, after it
s            its stack (again: read anew)
t c m b r    order by time, CPU, memory,
             bytes/s, number of ranks
Esc          back
q            quit; the job goes on

RANKS   +7: seven more
TIME    since when, at most
CPU%    of a core, by rank
OUT/S   bytes sent per second, of all
IN/S    bytes arrived
MEM     resident memory, of all
MSG/S   messages sent and arrived
QUEUES  receives posted/messages
        unexpected, of those that wait
CALLS/S calls of Tutti
DOES    the call, or what else
)";

/// Lines of at most `width` characters.
std::vector<std::string> wrapped(const std::string& text, std::size_t width)
{
    std::vector<std::string> lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        for (std::size_t at = begin; at == begin || at < end; at += width)
            lines.push_back(text.substr(at, std::min(width, end - at)));
        begin = end + 1;
    }
    return lines;
}

int neighbour(const Ranges& ranges, int rank, int by)
{
    int found = rank;
    for (const auto& [first, last] : ranges) {
        if (by > 0 && last > rank)
            return std::max(first, rank + 1);
        if (by < 0 && first < rank)
            found = std::min(last, rank - 1);
    }
    return found;
}

}  // namespace

void TopView::press(int key)
{
    if (key == 'q')
        quit_ = true;
    else if (key == '?')
        open(Screen::help);
    else if (screen_ == Screen::table)
        press_in_table(key);
    else
        press_in_text(key);
}

void TopView::press_in_table(int key)
{
    const std::size_t rows = snapshot_.groups.size();
    constexpr std::pair<char, TopOrder> kOrders[] = {{'t', TopOrder::time},
                                                     {'c', TopOrder::processors},
                                                     {'m', TopOrder::memory},
                                                     {'b', TopOrder::bytes},
                                                     {'r', TopOrder::ranks}};
    for (const auto& [letter, order] : kOrders)
        if (key == letter)
            order_ = order;
    if (key == kKeyUp || key == kKeyPageUp)
        row_ -= std::min(row_, key == kKeyUp ? 1 : room_);
    else if ((key == kKeyDown || key == kKeyPageDown) && rows > 0)
        row_ = std::min(rows - 1, row_ + (key == kKeyDown ? 1 : room_));
    else if ((key == kKeyEnter || key == 's') && row_ < rows) {
        const RankGroup& group = *ordered(snapshot_, order_)[row_];
        of_row_ = group.ranks;
        rank_ = group.longest;
        open(key == 's' ? Screen::stack : Screen::rank);
    }
}

void TopView::press_in_text(int key)
{
    if (key == kKeyBack && screen_ == Screen::stack)
        open(Screen::rank);
    else if (key == kKeyBack)
        open(Screen::table);
    else if (key == kKeyUp || key == kKeyPageUp)
        top_ -= std::min(top_, key == kKeyUp ? 1 : room_);
    else if (key == kKeyDown || key == kKeyPageDown)
        top_ += key == kKeyDown ? 1 : room_;
    else if (screen_ == Screen::help)
        open(Screen::table);
    else if (key == kKeyLeft || key == kKeyRight)
        step(key == kKeyLeft ? -1 : 1);
    else if (key == 's')
        open(Screen::stack);
    else if (key == kKeyEnter)
        open(Screen::rank);
}

void TopView::open(Screen screen)
{
    screen_ = screen;
    top_ = 0;
    text_ = screen == Screen::help ? std::string(kHelp) : "asking ...\n";
    asks_stack_ = screen == Screen::stack;
}

void TopView::step(int by)
{
    rank_ = neighbour(of_row_, rank_, by);
    open(screen_);
}

std::string TopView::question() const
{
    if (screen_ == Screen::rank)
        return fmt::format("{} {}", kAskRank, rank_);
    // A rank is stopped while its stack is read: once, until a key asks again.
    if (screen_ == Screen::stack && asks_stack_)
        return fmt::format("{} {}", kAskStack, rank_);
    return std::string(kAskSnapshot);
}

void TopView::answered(const std::string& question, const std::string& answer)
{
    silent_seconds_ = 0;
    if (question == kAskSnapshot) {
        snapshot_ = decode<TopSnapshot>(answer);
        row_ = std::min(row_, std::max<std::size_t>(snapshot_.groups.size(), 1) - 1);
    } else if (question == this->question()) {
        text_ = answer;
        asks_stack_ = false;
    }
}

TopPage TopView::page(std::size_t width, std::size_t height)
{
    TopPage page = screen_ == Screen::table ? table_page(width, height) : text_page(width, height);
    page.lines.resize(height > 0 ? height - 1 : 0);
    page.lines.push_back(last_line());
    for (std::string& line : page.lines)
        line.resize(std::min(line.size(), width));
    return page;
}

TopPage TopView::table_page(std::size_t width, std::size_t height)
{
    TopPage page{head_lines(snapshot_)};
    const std::size_t above = page.lines.size() + 1;
    room_ = std::max<std::size_t>(height, above + 2) - above - 1;
    top_ = std::clamp(top_, row_ - std::min(row_, room_ - 1), row_);
    page.titles = static_cast<int>(above) - 1;
    const std::vector<std::string> table = table_lines(ordered(snapshot_, order_), width);
    page.lines.push_back(table.front());
    for (std::size_t row = top_; row < std::min(table.size() - 1, top_ + room_); ++row) {
        if (row == row_)
            page.selected = static_cast<int>(page.lines.size());
        page.lines.push_back(table[row + 1]);
    }
    return page;
}

TopPage TopView::text_page(std::size_t width, std::size_t height)
{
    TopPage page;
    page.titles = 0;
    page.lines.push_back(screen_ == Screen::help    ? "tuttirun --top"
                         : screen_ == Screen::stack ? fmt::format("stack of rank {}", rank_)
                                                    : fmt::format("rank {}", rank_));
    const std::vector<std::string> lines = wrapped(text_, std::max<std::size_t>(width, 1));
    room_ = std::max<std::size_t>(height, 3) - 2;
    top_ = std::min(top_, lines.size() - std::min(lines.size(), room_));
    for (std::size_t i = top_; i < std::min(lines.size(), top_ + room_); ++i)
        page.lines.push_back(lines[i]);
    return page;
}

std::string TopView::last_line() const
{
    if (silent_seconds_ >= kSilentSeconds)
        return fmt::format("no answer for {:.0f} s: is tuttirun stopped?", silent_seconds_);
    if (screen_ == Screen::table)
        return "q quit  ? help  Enter rank  s stack  t c m b r order";
    return screen_ == Screen::help ? "q quit  Esc back" : "q quit  Esc back  s stack  left right other rank";
}

std::string plain_text(const TopSnapshot& snapshot)
{
    std::string text;
    std::vector<std::string> lines = head_lines(snapshot);
    if (!snapshot.groups.empty()) {
        const std::vector<std::string> table = table_lines(ordered(snapshot, TopOrder::time), kPlainWidth);
        lines.insert(lines.end(), table.begin(), table.end());
    }
    for (const std::string& line : lines)
        text += line + '\n';
    return text;
}

}  // namespace tutti::launcher
