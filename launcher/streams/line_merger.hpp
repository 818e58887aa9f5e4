// Merges the output of many ranks into one so that lines stay whole.
//
// A stream's text is passed on up to its last line end; the rest waits for the line's end. There are two
// exceptions. A line that is too long to keep is passed on in *pieces*. Where line ends are added between
// streams (see below), a piece is as large as the text that may be kept. A *prompt* is the only unfinished
// line while no rank writes: flush_prompt() passes it on. Until its stream finishes that line, other
// streams are not admitted, unless break_line() ends the wait.
//
// Each byte of a stream comes out once, in order. On a terminal, and where lines have prefixes, an
// unfinished line is ended before other text follows, and its stream goes on in a new line, with a prefix.
// Elsewhere nothing is added to the ranks' text.
//
// On a terminal an unfinished line that begins with a carriage return is a status line, which shows a
// program's progress. It stays below all other text, without prefix, until it is erased or its stream ends.
// No other stream waits for it.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/job/job_messages.hpp"
#include "launcher/job/job_plan.hpp"
#include "launcher/streams/status_line.hpp"

namespace tutti::launcher {

struct StreamId {
    int rank = 0;
    Channel channel = Channel::standard_output;
    auto operator<=>(const StreamId&) const = default;
};

class LineMerger {
public:
    /// No more of a line is kept, so that memory stays bounded.
    static constexpr std::size_t kMaxHeldBytes = std::size_t{1} << 20;

    /// `terminal`: the output is one that can erase a line.
    explicit LineMerger(const OutputOptions& options, bool terminal = false)
        : options_(options),
          terminal_(terminal),
          prefixed_(options.tag || options.label || options.timestamp),
          ends_lines_(terminal || prefixed_)
    {
    }

    /// Whether text of this stream may be added now, and its end.
    bool admits(StreamId stream) const noexcept { return !prompt_open_ || stream == writer_; }
    void add(StreamId stream, std::string_view text);
    /// The stream has ended: its unfinished line is passed on as it is.
    void end(StreamId stream);

    /// A line of the launcher itself, with its line end. A line end is added before it where one is
    /// missing.
    void add_message(std::string_view line);

    bool has_prompt() const noexcept { return unfinished_ == 1 && !prompt_open_; }
    /// Passes on the unfinished line of the only stream that has one.
    void flush_prompt();
    /// All streams are admitted again.
    void break_line() noexcept { prompt_open_ = false; }

    /// Before output() is written: adds the status line where a line can begin.
    void show_status();
    /// No more text comes: passes on the unfinished lines of all streams, and removes the status line.
    void finish();

    /// The text to write. The caller clears it.
    std::string& output() noexcept { return output_; }

private:
    struct Stream {
        std::string unfinished;  // text after the last line end that was not passed on
        bool is_status = false;  // it is a status line
        bool too_long = false;   // pieces of the line that it belongs to have been passed on
    };
    bool goes_on(StreamId id) const noexcept { return inside_line_ && writer_ == id; }
    void pass_on(StreamId id, std::string_view text);
    void append_prefix(StreamId id);
    void set_unfinished(StreamId id, Stream& stream, std::string_view text);
    std::string take_unfinished(StreamId id, Stream& stream);

    OutputOptions options_;
    bool terminal_;
    bool prefixed_;    // each line
    bool ends_lines_;  // before other text follows in them
    std::map<StreamId, Stream> streams_;
    StatusLine status_;
    StreamId status_stream_;          // the last that has set it
    int unfinished_ = 0;              // streams with an unfinished line that is no status line
    bool inside_line_ = false;        // the output's last line has no end
    std::optional<StreamId> writer_;  // of the output's last text, while it may go on with that line
    bool prompt_open_ = false;        // that text is a prompt
    std::string output_;
};

}  // namespace tutti::launcher
