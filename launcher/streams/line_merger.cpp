#include "launcher/streams/line_merger.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "lib/foundation/base/date_time.hpp"

namespace tutti::launcher {

void LineMerger::add(StreamId id, std::string_view text)
{
    Stream& stream = streams_[id];
    const bool at_beginning = (stream.unfinished.empty() || stream.is_status) && !goes_on(id);
    if (terminal_ && at_beginning && StatusLine::is_meant_by(text) && text.find('\n') != text.npos) {
        take_unfinished(id, stream);
        text = StatusLine::final(text);
    }
    // rfind() would be slower: it compares single bytes.
    if (const void* last_end = ::memrchr(text.data(), '\n', text.size())) {
        const std::size_t whole_bytes =
            static_cast<std::size_t>(static_cast<const char*>(last_end) - text.data()) + 1;
        pass_on(id, take_unfinished(id, stream));
        pass_on(id, text.substr(0, whole_bytes));
        text.remove_prefix(whole_bytes);
        stream.too_long = false;
    }
    if (goes_on(id) || (stream.too_long && !ends_lines_))
        pass_on(id, text);
    else
        set_unfinished(id, stream, text);
    if (stream.unfinished.size() > kMaxHeldBytes) {
        pass_on(id, take_unfinished(id, stream));
        stream.too_long = true;
    }
}

void LineMerger::set_unfinished(StreamId id, Stream& stream, std::string_view text)
{
    if (text.empty())
        return;
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

/// A status line becomes an ordinary one, which may get a prefix.
std::string LineMerger::take_unfinished(StreamId id, Stream& stream)
{
    std::string text = std::exchange(stream.unfinished, {});
    if (!stream.is_status) {
        unfinished_ -= text.empty() ? 0 : 1;
        return text;
    }
    stream.is_status = false;
    if (status_stream_ == id)
        status_.set({});
    return std::string(StatusLine::visible(text));
}

void LineMerger::pass_on(StreamId id, std::string_view text)
{
    if (text.empty())
        return;
    status_.hide(output_);
    bool inside = goes_on(id);
    if (inside_line_ && !inside && ends_lines_)
        output_ += '\n';
    writer_ = id;
    inside_line_ = !text.ends_with('\n');
    prompt_open_ = prompt_open_ && inside_line_;
    if (!prefixed_) {
        output_ += text;
        return;
    }
    while (!text.empty()) {
        if (!inside)
            append_prefix(id);
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t with_end = std::min(line.size() + 1, text.size());
        output_ += text.substr(0, with_end);
        inside = false;
        text.remove_prefix(with_end);
    }
}

void LineMerger::append_prefix(StreamId id)
{
    if (options_.timestamp) {
        const auto now = std::chrono::system_clock::now();
        const auto microseconds =
            std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() % 1'000'000;
        output_ += fmt::format(
            "{}.{:06} ", base::local_text(std::chrono::system_clock::to_time_t(now), "%F %T"), microseconds);
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
    const auto found = streams_.find(id);
    if (found == streams_.end())
        return;
    Stream& stream = found->second;
    const bool was_status = stream.is_status;
    const std::string rest = take_unfinished(id, stream);
    if (!was_status)
        pass_on(id, rest);
    streams_.erase(found);
    if (writer_ == id) {
        writer_.reset();
        prompt_open_ = false;
    }
}

void LineMerger::add_message(std::string_view line)
{
    status_.hide(output_);
    if (inside_line_)
        output_ += '\n';
    output_ += line;
    inside_line_ = false;
    writer_.reset();
    prompt_open_ = false;
}

void LineMerger::flush_prompt()
{
    if (!has_prompt())
        return;
    for (auto& [id, stream] : streams_) {
        if (!stream.unfinished.empty() && !stream.is_status) {
            pass_on(id, take_unfinished(id, stream));
            prompt_open_ = true;
            return;
        }
    }
}

void LineMerger::show_status()
{
    if (!inside_line_)
        status_.show(output_);
}

void LineMerger::finish()
{
    break_line();
    while (!streams_.empty())
        end(streams_.begin()->first);
    status_.set({});
    status_.hide(output_);
}

}  // namespace tutti::launcher
