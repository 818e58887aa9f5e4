#include "launcher/line_merger.hpp"

#include <chrono>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace tutti::launcher {

std::size_t LineMerger::key(StreamId stream) noexcept
{
    return static_cast<std::size_t>(stream.rank) * 2 + (stream.channel == Channel::standard_error ? 1 : 0);
}

bool LineMerger::admits(StreamId stream) const noexcept
{
    return !open_line_ || stream == open_stream_;
}

void LineMerger::add(StreamId id, std::string_view text)
{
    if (torn_line_) {
        output_ += '\n';
        torn_line_ = false;
    }
    Stream& stream = streams_[key(id)];
    const bool at_beginning = (stream.unfinished.empty() || stream.is_status) && !stream.inside_line;
    if (terminal_ && at_beginning && StatusLine::is_meant_by(text) && text.find('\n') != text.npos) {
        take_unfinished(id, stream);
        text = StatusLine::final(text);
    }
    const std::size_t last_end = text.rfind('\n');
    if (last_end == std::string_view::npos) {
        if (open_line_) {
            pass_on(id, stream, text);
        } else {
            set_unfinished(id, stream, text);
        }
    } else {
        const std::string held = take_unfinished(id, stream);
        if (!held.empty()) {
            pass_on(id, stream, held);
        }
        pass_on(id, stream, text.substr(0, last_end + 1));
        open_line_ = false;
        set_unfinished(id, stream, text.substr(last_end + 1));
    }
    if (stream.unfinished.size() > kMaxHeldBytes) {
        pass_on_unfinished(id, stream);
        open_line_ = true;
        open_stream_ = id;
    }
}

void LineMerger::set_unfinished(StreamId id, Stream& stream, std::string_view text)
{
    if (text.empty()) {
        return;
    }
    if (stream.unfinished.empty()) {
        stream.is_status = terminal_ && StatusLine::is_meant_by(text);
        unfinished_ += stream.is_status ? 0 : 1;
    }
    stream.unfinished += text;
    if (stream.is_status) {
        stream.unfinished = std::string(StatusLine::latest(stream.unfinished));
        status_.set(stream.unfinished);
        status_stream_ = id;
    }
}

void LineMerger::pass_on_unfinished(StreamId id, Stream& stream)
{
    pass_on(id, stream, take_unfinished(id, stream));
}

/// A status line becomes an ordinary one, in front of which there may be a prefix.
std::string LineMerger::take_unfinished(StreamId id, Stream& stream)
{
    std::string text = std::exchange(stream.unfinished, {});
    if (!stream.is_status) {
        unfinished_ -= text.empty() ? 0 : 1;
        return text;
    }
    stream.is_status = false;
    if (status_stream_ == id) {
        status_.set({});
    }
    return std::string(StatusLine::visible(text));
}

void LineMerger::pass_on(StreamId id, Stream& stream, std::string_view text)
{
    status_.hide(output_);
    if (!options_.tag && !options_.label && !options_.timestamp) {
        output_ += text;
        stream.inside_line = !text.ends_with('\n');
        return;
    }
    while (!text.empty()) {
        if (!stream.inside_line) {
            append_prefix(id);
        }
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t with_end = std::min(line.size() + 1, text.size());
        output_ += text.substr(0, with_end);
        stream.inside_line = with_end == line.size();
        text.remove_prefix(with_end);
    }
}

void LineMerger::append_prefix(StreamId id)
{
    if (options_.timestamp) {
        const auto now = std::chrono::system_clock::now();
        const auto microseconds =
            std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() % 1'000'000;
        output_ += fmt::format("{:%Y-%m-%d %H:%M:%S}.{:06} ",
                               fmt::localtime(std::chrono::system_clock::to_time_t(now)), microseconds);
    }
    if (options_.tag) {
        output_ +=
            fmt::format("[{}]<{}>: ", id.rank, id.channel == Channel::standard_error ? "stderr" : "stdout");
    } else if (options_.label) {
        output_ += fmt::format("{}: ", id.rank);
    }
}

void LineMerger::end(StreamId id)
{
    const auto found = streams_.find(key(id));
    if (found == streams_.end()) {
        return;
    }
    Stream& stream = found->second;
    if (stream.is_status) {
        take_unfinished(id, stream);
    } else if (!stream.unfinished.empty()) {
        if (torn_line_) {
            output_ += '\n';
        }
        pass_on_unfinished(id, stream);
        torn_line_ = true;
    } else if (open_line_ && open_stream_ == id) {
        open_line_ = false;
        torn_line_ = true;
    }
    streams_.erase(found);
}

void LineMerger::add_message(std::string_view line)
{
    status_.hide(output_);
    break_line();
    if (torn_line_) {
        output_ += '\n';
        torn_line_ = false;
    }
    output_ += line;
}

void LineMerger::flush_prompt()
{
    if (!has_prompt()) {
        return;
    }
    for (auto& [number, stream] : streams_) {
        if (!stream.unfinished.empty() && !stream.is_status) {
            const StreamId id{static_cast<int>(number / 2),
                              number % 2 == 1 ? Channel::standard_error : Channel::standard_output};
            if (torn_line_) {
                output_ += '\n';
                torn_line_ = false;
            }
            pass_on_unfinished(id, stream);
            open_line_ = true;
            open_stream_ = id;
            return;
        }
    }
}

void LineMerger::show_status()
{
    if (!open_line_ && !torn_line_) {
        status_.show(output_);
    }
}

void LineMerger::end_status()
{
    status_.set({});
    status_.hide(output_);
}

void LineMerger::break_line()
{
    if (open_line_) {
        output_ += '\n';
        open_line_ = false;
        // Its stream goes on in a new line, with a new prefix.
        streams_[key(open_stream_)].inside_line = false;
    }
}

}  // namespace tutti::launcher
