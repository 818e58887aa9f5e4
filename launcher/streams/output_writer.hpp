// The thread that writes the output of ranks to the launcher's stdout and stderr. A terminal that is
// stopped with Ctrl-S blocks this thread only.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "launcher/streams/line_merger.hpp"
#include "launcher/streams/output_files.hpp"
#include "lib/foundation/base/terminal.hpp"

namespace tutti::launcher {

class OutputWriter {
public:
    /// Both are called in the writer's thread. `taken`: so many more bytes from `source` are written, or
    /// kept as unfinished lines.
    struct Events {
        std::function<void(int source, std::uint64_t bytes)> taken;
        /// Writing the text of ranks to stdout, stderr or the rank's file has failed. Called once for each;
        /// later text for it is dropped.
        std::function<void(const char* where, int error_number)> failed;
    };

    /// All signals must be blocked.
    OutputWriter(const OutputOptions& options, Events events);
    /// Writes all text; blocks as long as the terminal does.
    ~OutputWriter();

    /// From now on text also goes to files below options.directory. Throws std::runtime_error when that
    /// cannot be used.
    void open_files(int ranks);
    /// An empty text ends the stream. `source` is its node.
    void write(int source, StreamId stream, std::string_view text);
    /// Lines of the launcher's own, with their ends. Where they cannot be written they are lost.
    void message(std::string lines, Channel channel = Channel::standard_error);
    /// Calls `on_finished`, in the writer's thread, when all earlier text is written.
    void finish(std::function<void()> on_finished);

private:
    using Clock = std::chrono::steady_clock;
    struct Entry {
        enum class Kind { text, end, message, finish } kind;
        int source;
        StreamId stream;
        std::string text;
        std::function<void()> on_finished;
    };
    /// stdout or stderr; both when they are the same file, so that their lines do not mix either.
    struct Destination {
        int fd;
        const char* name;
        LineMerger merger;
        std::chrono::milliseconds prompt_delay;
        std::deque<Entry> held{};  // not admitted while a prompt's line is open
        std::size_t held_bytes = 0;
        Clock::time_point held_since{};
        bool has_text = false;  // of ranks
        bool failed = false;
    };

    void run();
    void push(Entry entry);
    void process(Entry& entry);
    void deliver(Destination& destination, Entry& entry);
    void release_held(Destination& destination);
    void write_out(Destination& destination);
    bool wait_for_entries(std::deque<Entry>& batch);
    Clock::time_point deadline_of(const Destination& destination) const;
    void look_at_prompts(Destination& destination, bool quiet);

    Destination& destination_of(const Entry& entry);

    const OutputOptions options_;
    Events events_;
    std::unique_ptr<OutputFiles> files_;
    bool files_failed_ = false;
    std::array<std::unique_ptr<Destination>, 2> destinations_;  // the second is empty when they are the same
    std::vector<std::string> done_;                             // texts that go to spare_
    std::map<int, std::uint64_t> taken_bytes_;                  // by source
    Clock::time_point quiet_since_;  // since when the writer's thread has had nothing to do

    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<Entry> queue_;
    std::vector<std::string> spare_;  // texts whose memory is used again
    bool stopping_ = false;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace tutti::launcher
