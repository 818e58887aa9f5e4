#include "launcher/streams/output_writer.hpp"

#include <sys/stat.h>

#include <utility>

namespace tutti::launcher {

namespace {

/// After so long without other text an unfinished line is a prompt. A terminal's user waits for it;
/// in files and pipes the time is longer, since a rank may only have had no processor for a while.
constexpr std::chrono::milliseconds kPromptDelay{40};
constexpr std::chrono::milliseconds kSlowPromptDelay{100};
/// Other streams wait no longer for the end of a prompt's line,
constexpr std::chrono::milliseconds kPromptTimeout{1000};
/// nor for more bytes than these. They are part of the window of a daemon's output (rank_output.cpp), for
/// both destinations together: the rest must be enough for the line's stream.
constexpr std::size_t kMaxWaitingBytes = std::size_t{256} << 10;
/// Text that is collected for one write: large for one call, small enough for the processor's cache.
constexpr std::size_t kWriteBytes = std::size_t{256} << 10;
/// The memory of texts of this size is used again, since the kernel clears new memory. At most so many are
/// kept.
constexpr std::size_t kLargeBytes = std::size_t{16} << 10;
constexpr std::size_t kMaxSpare = 32;

bool same_file(int first, int second)
{
    struct stat a {};
    struct stat b {};
    return ::fstat(first, &a) == 0 && ::fstat(second, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

}  // namespace

OutputWriter::OutputWriter(const OutputOptions& options, Events events)
    : options_(options), events_(std::move(events))
{
    const auto open = [&options](int fd, const char* name) {
        const bool terminal = base::reaches_terminal(fd);
        return std::make_unique<Destination>(
            Destination{fd, name, LineMerger(options, terminal), terminal ? kPromptDelay : kSlowPromptDelay});
    };
    destinations_[0] = open(1, "standard output");
    if (!same_file(1, 2))
        destinations_[1] = open(2, "standard error");
    thread_ = std::thread([this] { run(); });
}

OutputWriter::~OutputWriter()
{
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    filled_.notify_one();
    thread_.join();
}

void OutputWriter::push(Entry entry)
{
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(entry));
    }
    filled_.notify_one();
}

void OutputWriter::open_files(int ranks)
{
    // The writer's thread uses them when it gets text, which is later.
    files_ = std::make_unique<OutputFiles>(options_.directory, ranks, options_.merge_stderr);
}

void OutputWriter::write(int source, StreamId stream, std::string_view text)
{
    std::string copy;
    if (text.size() >= kLargeBytes) {
        const std::lock_guard lock(mutex_);
        if (!spare_.empty()) {
            copy = std::move(spare_.back());
            spare_.pop_back();
        }
    }
    copy = text;
    push({text.empty() ? Entry::Kind::end : Entry::Kind::text, source, stream, std::move(copy), {}});
}

void OutputWriter::message(std::string lines, Channel channel)
{
    push({Entry::Kind::message, 0, {0, channel}, std::move(lines), {}});
}

void OutputWriter::finish(std::function<void()> on_finished)
{
    push({Entry::Kind::finish, 0, {}, {}, std::move(on_finished)});
}

OutputWriter::Destination& OutputWriter::destination_of(const Entry& entry)
{
    const bool second = destinations_[1] && entry.stream.channel == Channel::standard_error;
    return *destinations_[second ? 1 : 0];
}

void OutputWriter::run()
{
    std::deque<Entry> batch;
    while (wait_for_entries(batch)) {
        const bool quiet = batch.empty();
        for (Entry& entry : batch)
            process(entry);
        batch.clear();
        for (const auto& destination : destinations_) {
            if (destination) {
                look_at_prompts(*destination, quiet);
                write_out(*destination);
            }
        }
        for (const auto& [source, bytes] : std::exchange(taken_bytes_, {}))
            events_.taken(source, bytes);
        quiet_since_ = Clock::now();  // after writing, which may take long
    }
}

/// Takes the queue, which is empty when a deadline has passed. False at the end.
bool OutputWriter::wait_for_entries(std::deque<Entry>& batch)
{
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !queue_.empty() || stopping_; };
    auto until = Clock::time_point::max();
    for (const auto& destination : destinations_)
        if (destination)
            until = std::min(until, deadline_of(*destination));
    if (until == Clock::time_point::max())
        filled_.wait(lock, ready);
    else
        filled_.wait_until(lock, until, ready);
    batch.swap(queue_);
    while (!done_.empty() && spare_.size() < kMaxSpare) {
        spare_.push_back(std::move(done_.back()));
        done_.pop_back();
    }
    done_.clear();
    return !batch.empty() || !stopping_;
}

/// When streams have waited long enough for the end of a prompt's line, or when an unfinished line becomes
/// a prompt.
OutputWriter::Clock::time_point OutputWriter::deadline_of(const Destination& destination) const
{
    if (!destination.held.empty())
        return destination.held_since + kPromptTimeout;
    return destination.merger.has_prompt() ? quiet_since_ + destination.prompt_delay
                                           : Clock::time_point::max();
}

void OutputWriter::look_at_prompts(Destination& destination, bool quiet)
{
    const bool is_time = deadline_of(destination) <= Clock::now();
    if (destination.held.empty()) {
        if (quiet && is_time)
            destination.merger.flush_prompt();
    } else if (is_time || destination.held_bytes > kMaxWaitingBytes) {
        destination.merger.break_line();
        release_held(destination);
    }
}

void OutputWriter::process(Entry& entry)
{
    if (entry.kind == Entry::Kind::finish) {
        for (const auto& destination : destinations_) {
            if (destination) {
                destination->merger.break_line();
                release_held(*destination);
                destination->merger.finish();
                write_out(*destination);
            }
        }
        entry.on_finished();
        return;
    }
    Destination& destination = destination_of(entry);
    if (entry.kind == Entry::Kind::message) {
        destination.merger.add_message(entry.text);
        release_held(destination);
    } else if (destination.merger.admits(entry.stream)) {
        deliver(destination, entry);
        if (!destination.held.empty() && destination.merger.admits(destination.held.front().stream))
            release_held(destination);
    } else {
        if (destination.held.empty())
            destination.held_since = Clock::now();
        destination.held_bytes += entry.text.size();
        destination.held.push_back(std::move(entry));
    }
}

void OutputWriter::deliver(Destination& destination, Entry& entry)
{
    if (entry.kind == Entry::Kind::end) {
        destination.merger.end(entry.stream);
        if (files_)
            files_->close(entry.stream);
        return;
    }
    destination.merger.add(entry.stream, entry.text);
    destination.has_text = true;
    taken_bytes_[entry.source] += entry.text.size();
    if (files_ && !files_failed_) {
        const int error_number = files_->write(entry.stream, entry.text);
        if (error_number != 0) {
            files_failed_ = true;
            events_.failed("the output directory", error_number);
        }
    }
    if (entry.text.capacity() >= kLargeBytes)
        done_.push_back(std::move(entry.text));
    // A batch may be large: it is written in parts.
    if (destination.merger.output().size() >= kWriteBytes)
        write_out(destination);
}

/// Delivers, in order, the text that waited for the end of a prompt's line. No other prompt begins
/// meanwhile, so all of it goes, and no text overtakes it.
void OutputWriter::release_held(Destination& destination)
{
    destination.held_bytes = 0;
    std::deque<Entry> entries;
    entries.swap(destination.held);
    for (Entry& entry : entries)
        deliver(destination, entry);
}

void OutputWriter::write_out(Destination& destination)
{
    destination.merger.show_status();
    std::string& output = destination.merger.output();
    if (!output.empty() && !destination.failed) {
        const int error_number = write_fully(destination.fd, output);
        if (error_number != 0 && destination.has_text) {
            destination.failed = true;
            events_.failed(destination.name, error_number);
        }
    }
    output.clear();
}

}  // namespace tutti::launcher
