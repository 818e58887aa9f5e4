// Merges what many ranks write into one output so that lines stay whole.
//
// A stream's text is passed on up to its last line end; the rest waits for the line's end. The exception is a
// prompt: when one stream alone has an unfinished line and all is quiet, flush_prompt() passes it on, and the
// output then has an *open line*. Until the stream finishes it, other streams are not admitted; break_line()
// ends the wait with a line end of its own.
//
// On a terminal an unfinished line that begins with a carriage return is a status line: how far a program is.
// It is shown below all other text, without prefix, and goes when it is erased or its stream ends; no other
// stream waits for it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "launcher/job.hpp"
#include "launcher/messages.hpp"
#include "launcher/status_line.hpp"

namespace tutti::launcher {

struct StreamId {
    int rank = 0;
    Channel channel = Channel::standard_output;
    bool operator==(const StreamId&) const = default;
};

class LineMerger {
public:
    /// A longer line is passed on in pieces, as a prompt is: memory stays bounded.
    static constexpr std::size_t kMaxHeldBytes = std::size_t{1} << 20;

    /// `terminal`: the output is one that can erase a line.
    explicit LineMerger(const OutputOptions& options, bool terminal = false)
        : options_(options), terminal_(terminal)
    {
    }

    /// Whether text of this stream may be added now.
    bool admits(StreamId stream) const noexcept;
    void add(StreamId stream, std::string_view text);
    /// The stream is at its end: an unfinished line is passed on as it is.
    void end(StreamId stream);

    /// A line of the launcher's own, with its end.
    void add_message(std::string_view line);

    bool has_prompt() const noexcept { return unfinished_ == 1 && !open_line_; }
    /// Passes on the unfinished line of the only stream that has one.
    void flush_prompt();
    bool has_open_line() const noexcept { return open_line_; }
    void break_line();

    /// Before output() is written: adds the status line, if there is a place for it.
    void show_status();
    /// Whatever streams may still have one.
    void end_status();

    /// What is to be written; the caller clears it.
    std::string& output() noexcept { return output_; }

private:
    struct Stream {
        std::string unfinished;    // text after the last line end
        bool inside_line = false;  // the line's beginning has been passed on
        bool is_status = false;    // that text is a status line
    };
    static std::size_t key(StreamId stream) noexcept;
    void pass_on(StreamId id, Stream& stream, std::string_view text);
    void append_prefix(StreamId id);
    void set_unfinished(StreamId id, Stream& stream, std::string_view text);
    void pass_on_unfinished(StreamId id, Stream& stream);
    std::string take_unfinished(StreamId id, Stream& stream);

    OutputOptions options_;
    bool terminal_;
    std::unordered_map<std::size_t, Stream> streams_;
    StatusLine status_;
    StreamId status_stream_;  // the last that has set it
    int unfinished_ = 0;      // streams with an unfinished line that was not passed on, and is no status line
    bool open_line_ = false;  // the output's last line has no end, and its stream may go on with it
    bool torn_line_ = false;  // likewise, but the stream is at its end
    StreamId open_stream_;
    std::string output_;
};

}  // namespace tutti::launcher
