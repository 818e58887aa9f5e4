// What tuttirun --top shows and asks: answers and keys go in, a page comes out. It knows no terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/top/rank_table.hpp"

namespace tutti::launcher {

/// Keys that are no characters.
enum TopKey : int {
    kKeyUp = 256,
    kKeyDown,
    kKeyLeft,
    kKeyRight,
    kKeyPageUp,
    kKeyPageDown,
    kKeyEnter,
    kKeyBack
};

struct TopPage {
    std::vector<std::string> lines;
    int titles = -1;    // the line of titles; -1: none
    int selected = -1;  // the line of the selected group; -1: none
};

class TopView {
public:
    explicit TopView(TopSnapshot snapshot) : snapshot_(std::move(snapshot)) {}

    void press(int key);
    /// What the job is to be asked next.
    std::string question() const;
    /// The answer. Throws WireError for one that no tuttirun of this version gives.
    void answered(const std::string& question, const std::string& answer);
    /// The job has not answered for so long.
    void waits(double seconds) { silent_seconds_ = seconds; }

    bool is_done() const noexcept { return quit_ || has_ended(); }
    bool has_ended() const noexcept { return snapshot_.ended; }
    /// Fits into `width` and `height`.
    TopPage page(std::size_t width, std::size_t height);

private:
    enum class Screen { table, rank, stack, help };

    void press_in_table(int key);
    void press_in_text(int key);
    void open(Screen screen);
    void step(int by);
    TopPage table_page(std::size_t width, std::size_t height);
    TopPage text_page(std::size_t width, std::size_t height);
    std::string last_line() const;

    TopSnapshot snapshot_;
    TopOrder order_ = TopOrder::time;
    Screen screen_ = Screen::table;
    bool quit_ = false;
    double silent_seconds_ = 0;
    std::size_t row_ = 0;
    std::size_t top_ = 0;  // the first line shown, of rows or of text
    std::size_t room_ = 1;
    Ranges of_row_;  // of the row from which a rank was opened
    int rank_ = 0;
    std::string text_;
    bool asks_stack_ = false;
};

/// A snapshot as plain text.
std::string plain_text(const TopSnapshot& snapshot);

}  // namespace tutti::launcher
