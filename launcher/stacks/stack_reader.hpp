// The daemon reads stacks of its ranks in a process of its own for each: what it reads may be damaged, or
// take long, and the daemon must not. Ranks of one program are at the same places, so debug information is
// read for all of them at once, and for each place once.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <vector>

#include "launcher/base/event_loop.hpp"
#include "launcher/stacks/stack.hpp"

namespace tutti::launcher {

class StackReader {
public:
    using Done = std::function<void(ProcessStacks stacks)>;

    /// `loop` must outlive this.
    explicit StackReader(EventLoop& loop) : loop_(loop) {}
    ~StackReader();
    StackReader(const StackReader&) = delete;
    StackReader& operator=(const StackReader&) = delete;

    /// Returns at once. `done` is called once in the loop's thread, within the time limit and half a second;
    /// never when this has been destroyed. The caller reaps all its children (ProcessTable::reap does).
    /// To be called by the main thread, with which the child ends.
    void read(pid_t process, const StackLimits& limits, Done done);

    /// Names places in files, within a time limit as above, by their most telling frames; those that cannot
    /// be had in this time have no name.
    using Named = std::function<void(std::vector<StackFrame> frames)>;
    void name(const std::vector<CodePlace>& places, std::chrono::milliseconds time, Named done);

private:
    using Work = std::function<std::string()>;
    using Answer = std::function<void(const std::string& bytes)>;
    /// Whether there are names for all places that were asked for.
    using NamesAreThere = std::function<void(bool all)>;
    struct Asking {
        std::vector<CodePlace> places;
        EventLoop::TimerId timer = 0;
        NamesAreThere done;
    };
    struct Reading {
        UniqueFd pipe;
        std::string bytes;
        EventLoop::TimerId timer = 0;
        Answer answer;
    };

    /// Does the work in a new process; the answer is incomplete when that has ended early. Returns why there
    /// is no process; empty: there is one.
    std::string start(const Work& work, std::chrono::milliseconds time, Answer answer);
    void with_names(std::vector<CodePlace> places, std::chrono::milliseconds time, NamesAreThere done);
    void read_names();
    void add_names(const std::vector<CodePlace>& places, const std::string& bytes);
    void answer_asking();
    std::vector<StackFrame> frames_at(const CodePlace& place) const;
    void receive(int fd);
    void finish(int fd);

    EventLoop& loop_;
    std::map<int, Reading> readings_;  // by descriptor
    std::map<CodePlace, std::vector<StackFrame>> names_;  // without frames: it has none
    std::list<Asking> asking_;
    bool reading_names_ = false;
};

}  // namespace tutti::launcher
