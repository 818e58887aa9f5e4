#include "launcher/output_writer.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace tutti::launcher {

namespace {

using Clock = std::chrono::steady_clock;

/// An unfinished line is taken for a prompt after so much quiet.
constexpr std::chrono::milliseconds kPromptDelay{40};
/// So long other streams wait for an open line to be finished.
constexpr std::chrono::milliseconds kOpenLinePatience{1000};

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
    destinations_[0] = std::make_unique<Destination>(1, "standard output", options);
    if (!same_file(1, 2)) {
        destinations_[1] = std::make_unique<Destination>(2, "standard error", options);
    }
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
    // The writer's thread looks for them when it is given text, which is later.
    files_ = std::make_unique<OutputFiles>(options_.directory, ranks, options_.merge_stderr);
}

void OutputWriter::write(int source, StreamId stream, std::string_view text)
{
    push({text.empty() ? Entry::Kind::end : Entry::Kind::text, source, stream, std::string(text), {}});
}

void OutputWriter::message(std::string line)
{
    push({Entry::Kind::message, 0, {0, Channel::standard_error}, std::move(line), {}});
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
        if (batch.empty()) {
            handle_quiet();
        }
        for (Entry& entry : batch) {
            process(std::move(entry));
        }
        batch.clear();
        for (const auto& destination : destinations_) {
            if (destination) {
                write_out(*destination);
            }
        }
        for (const auto& [source, bytes] : std::exchange(taken_bytes_, {})) {
            events_.taken(source, bytes);
        }
    }
}

/// Takes what was queued, or nothing after some quiet if there is something to do then. False: the end.
bool OutputWriter::wait_for_entries(std::deque<Entry>& batch)
{
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !queue_.empty() || stopping_; };
    bool timed = false;
    Clock::time_point until = Clock::now() + kPromptDelay;
    for (const auto& destination : destinations_) {
        if (!destination) {
            continue;
        }
        if (!destination->held.empty()) {
            until = std::min(until, destination->held_since + kOpenLinePatience);
            timed = true;
        } else if (destination->merger.has_prompt()) {
            timed = true;
        }
    }
    if (timed) {
        filled_.wait_until(lock, until, ready);
    } else {
        filled_.wait(lock, ready);
    }
    batch.swap(queue_);
    return !batch.empty() || !stopping_;
}

void OutputWriter::handle_quiet()
{
    for (const auto& destination : destinations_) {
        if (!destination) {
            continue;
        }
        if (destination->held.empty()) {
            destination->merger.flush_prompt();
        } else if (Clock::now() >= destination->held_since + kOpenLinePatience) {
            destination->merger.break_line();
            release_held(*destination);
        }
    }
}

void OutputWriter::process(Entry entry)
{
    if (entry.kind == Entry::Kind::finish) {
        for (const auto& destination : destinations_) {
            if (destination) {
                while (!destination->held.empty()) {
                    destination->merger.break_line();
                    release_held(*destination);
                }
                destination->merger.end_status();
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
        return;
    }
    if (!destination.merger.admits(entry.stream)) {
        if (destination.held.empty()) {
            destination.held_since = Clock::now();
        }
        destination.held.push_back(std::move(entry));
        return;
    }
    deliver(destination, entry);
    release_held(destination);
}

void OutputWriter::deliver(Destination& destination, const Entry& entry)
{
    if (entry.kind == Entry::Kind::end) {
        destination.merger.end(entry.stream);
        if (files_) {
            files_->close(entry.stream);
        }
        return;
    }
    destination.merger.add(entry.stream, entry.text);
    taken_bytes_[entry.source] += entry.text.size();
    if (files_ && !files_failed_) {
        const int error_number = files_->write(entry.stream, entry.text);
        if (error_number != 0) {
            files_failed_ = true;
            events_.failed("the output directory", error_number);
        }
    }
    // One batch may hold much: do not gather it all first.
    if (destination.merger.output().size() > LineMerger::kMaxHeldBytes) {
        write_out(destination);
    }
}

/// Delivers, in order, what waited for an open line that has ended since; stops when a new one is open.
void OutputWriter::release_held(Destination& destination)
{
    while (!destination.held.empty() && destination.merger.admits(destination.held.front().stream)) {
        destination.held_since = Clock::now();
        const Entry entry = std::move(destination.held.front());
        destination.held.pop_front();
        deliver(destination, entry);
    }
}

void OutputWriter::write_out(Destination& destination)
{
    destination.merger.show_status();
    std::string& output = destination.merger.output();
    if (!output.empty() && !destination.failed) {
        const int error_number = write_fully(destination.fd, output);
        if (error_number != 0) {
            destination.failed = true;
            events_.failed(destination.name, error_number);
        }
    }
    output.clear();
}

}  // namespace tutti::launcher
