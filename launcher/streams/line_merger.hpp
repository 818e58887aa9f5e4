// Merges what many ranks write into one output so that lines stay whole.
//
// A stream's text is passed on up to its last line end; the rest waits for the line's end. There are two
// exceptions. A line that grows too long goes on in *pieces*, and nobody waits for its end. Where something
// is added between pieces of different streams (see below) they are as large as what may be kept. A *prompt*
// is an unfinished line of the only stream that has one while all is quiet: flush_prompt() passes it on, and
// until the stream finishes it other streams are not admitted, unless break_line() ends the wait.
//
// A stream's bytes come out in their order, each of them once. On a terminal, and where lines have prefixes,
// a line that is not finished is ended before other text follows, and its stream goes on in a line of its
// own, with a prefix. Elsewhere nothing is added to what the ranks wrote.
//
// On a terminal an unfinished line that begins with a carriage return is a status line: how far a program is.
// It is shown below all other text, without prefix, and goes when it is erased or its stream ends; no other
// stream waits for it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "launcher/job/job.hpp"
#include "launcher/job/messages.hpp"
#include "launcher/streams/status_line.hpp"

namespace tutti::launcher {

struct StreamId {
    int rank = 0;
    Channel channel = Channel::standard_output;
    bool operator==(const StreamId&) const = default;
};

class LineMerger {
public:
    /// More than this of a line is not kept: memory stays bounded.
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
    /// The stream is at its end: an unfinished line is passed on as it is.
    void end(StreamId stream);

    /// A line of the launcher's own, with its end. It stands alone, also where that takes a line end before
    /// it.
    void add_message(std::string_view line);

    bool has_prompt() const noexcept { return unfinished_ == 1 && !prompt_open_; }
    /// Passes on the unfinished line of the only stream that has one.
    void flush_prompt();
    /// All streams are admitted again.
    void break_line() noexcept { prompt_open_ = false; }

    /// Before output() is written: adds the status line, if there is a place for it.
    void show_status();
    /// Nothing more comes: passes on what streams without an end have left, and removes the status line.
    void finish();

    /// What is to be written; the caller clears it.
    std::string& output() noexcept { return output_; }

private:
    struct Stream {
        std::string unfinished;  // text after the last line end that was not passed on
        bool is_status = false;  // it is a status line
        bool too_long = false;   // pieces of the line that it belongs to have been passed on
    };
    static std::size_t key(StreamId stream) noexcept;
    static StreamId stream_of(std::size_t key) noexcept;
    bool goes_on(StreamId id) const noexcept { return inside_line_ && writer_ == id; }
    void pass_on(StreamId id, std::string_view text);
    void append_prefix(StreamId id);
    void set_unfinished(StreamId id, Stream& stream, std::string_view text);
    std::string take_unfinished(StreamId id, Stream& stream);

    OutputOptions options_;
    bool terminal_;
    bool prefixed_;    // each line
    bool ends_lines_;  // before other text follows in them
    std::unordered_map<std::size_t, Stream> streams_;
    StatusLine status_;
    StreamId status_stream_;          // the last that has set it
    int unfinished_ = 0;              // streams with an unfinished line that is no status line
    bool inside_line_ = false;        // the output's last line has no end
    std::optional<StreamId> writer_;  // of the output's last text, while it may go on with that line
    bool prompt_open_ = false;        // that text is a prompt
    std::string output_;
};

}  // namespace tutti::launcher
