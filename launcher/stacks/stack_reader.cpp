#include "launcher/stacks/stack_reader.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>

#include "launcher/stacks/read_stacks.hpp"
#include "launcher/wire/codec.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::milliseconds kGrace{250};
/// What is left for names when unwinding has taken most of the time.
constexpr std::chrono::milliseconds kForNames{250};
/// For the debug information of one program. Who asks may go on without it earlier.
constexpr std::chrono::milliseconds kLongestNaming{10000};
/// What a reader may allocate; a damaged program may ask it for anything.
constexpr rlim_t kMostMemoryBytes = rlim_t{2} << 30;
/// What a reader may answer. The limits allow no more than a part of it.
constexpr std::size_t kMostStackBytes = std::size_t{4} << 20;

/// The kernel ends this process in time whatever it does, and lets go on what it has stopped.
void end_after(std::chrono::milliseconds time)
{
    ::signal(SIGALRM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const auto count = time.count();
    const itimerval timer{{0, 0}, {count / 1000, static_cast<suseconds_t>(count % 1000 * 1000)}};
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

[[noreturn]] void run_reader(UniqueFd pipe, const std::function<std::string()>& work,
                             std::chrono::milliseconds time)
{
    ::prctl(PR_SET_NAME, "tuttirun-stacks");
    end_after(time + kGrace);
    for (const auto resource : {RLIMIT_CORE, RLIMIT_DATA}) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        if (resource == RLIMIT_DATA)
            continue;  // a sanitizer's own memory is more
#endif
        const rlim_t most = resource == RLIMIT_CORE ? 0 : kMostMemoryBytes;
        const rlimit limit{most, most};
        ::setrlimit(resource, &limit);
    }
    ::unsetenv("DEBUGINFOD_URLS");  // libdw would ask servers for what is not here
    try {
        const std::string answer = work();
        std::string_view rest = answer;
        for (ssize_t bytes = 0; !rest.empty(); rest.remove_prefix(static_cast<std::size_t>(bytes)))
            if ((bytes = ::write(pipe.get(), rest.data(), rest.size())) <= 0)
                break;
    } catch (const std::exception&) {
    }
    ::_exit(0);
}

/// In a program in Python, those whose lines are not known.
void take_extensions_for_libraries(std::vector<StackFrame>& frames, const std::vector<CodePlace>& places)
{
    if (std::ranges::all_of(places, [](const CodePlace& place) { return place.line == 0; }))
        return;
    for (StackFrame& frame : frames)
        frame.of_user = frame.of_user && !frame.file.empty();
}

}  // namespace

StackReader::~StackReader()
{
    for (const auto& [fd, reading] : readings_) {
        loop_.forget(fd);
        loop_.cancel(reading.timer);
    }
    for (const Asking& asking : asking_)
        loop_.cancel(asking.timer);
}

void StackReader::read(pid_t process, const StackLimits& limits, Done done)
{
    const auto deadline = EventLoop::Clock::now() + limits.time;
    std::string why = why_no_stacks();
    if (why.empty())
        why = start(
            [process, limits] { return encode(unwind(process, limits)); }, limits.time,
            [this, deadline, done](const std::string& bytes) {
                UnwoundProcess unwound;
                try {
                    unwound = decode<UnwoundProcess>(bytes);
                } catch (const WireError&) {
                    unwound = {{}, "the process that reads it ended early, or took too long"};
                }
                std::vector<CodePlace> places;
                for (const UnwoundThread& thread : unwound.threads)
                    places.insert(places.end(), thread.places.begin(), thread.places.end());
                const auto left =
                    std::chrono::duration_cast<std::chrono::milliseconds>(deadline - EventLoop::Clock::now());
                with_names(places, std::max(left, kForNames), [this, unwound, done](bool all) {
                    ProcessStacks stacks{{}, unwound.missing};
                    if (!all && stacks.missing.empty())
                        stacks.missing = "the debug information cannot be read, or that takes too long";
                    for (const UnwoundThread& thread : unwound.threads) {
                        ThreadStack& stack =
                            stacks.threads.emplace_back(ThreadStack{thread.thread, thread.name, {}});
                        for (const CodePlace& place : thread.places)
                            std::ranges::move(frames_at(place), std::back_inserter(stack.frames));
                        take_extensions_for_libraries(stack.frames, thread.places);
                    }
                    done(std::move(stacks));
                });
            });
    if (!why.empty())
        loop_.post([done, why] { done({{}, why}); });
}

void StackReader::name(const std::vector<CodePlace>& places, std::chrono::milliseconds time, Named done)
{
    loop_.post([this, places, time, done] {
        with_names(places, time, [this, places, done](bool) {
            std::vector<StackFrame> frames;
            for (const CodePlace& place : places)
                frames.push_back(most_informative(place, frames_at(place)));
            done(std::move(frames));
        });
    });
}

void StackReader::with_names(std::vector<CodePlace> places, std::chrono::milliseconds time,
                             NamesAreThere done)
{
    const auto asking = asking_.insert(asking_.end(), {std::move(places), 0, std::move(done)});
    asking->timer = loop_.after(time + kGrace, [this, asking] {
        const NamesAreThere too_late = std::move(asking->done);
        asking_.erase(asking);
        too_late(false);
    });
    read_names();
    answer_asking();
}

/// Names of all that is asked for, in one process.
void StackReader::read_names()
{
    std::vector<CodePlace> unknown;
    for (const Asking& asking : asking_)
        for (const CodePlace& place : asking.places)
            if (!names_.contains(place))
                unknown.push_back(place);
    if (unknown.empty() || std::exchange(reading_names_, true))
        return;
    std::ranges::sort(unknown);
    unknown.erase(std::ranges::unique(unknown).begin(), unknown.end());
    const std::string why = start([unknown] { return encode(name_places(unknown)); }, kLongestNaming,
                                  [this, unknown](const std::string& bytes) { add_names(unknown, bytes); });
    if (!why.empty())
        loop_.post([this, unknown] { add_names(unknown, {}); });
}

/// What has no name now has none later: its frames are empty.
void StackReader::add_names(const std::vector<CodePlace>& places, const std::string& bytes)
{
    reading_names_ = false;
    std::vector<std::vector<StackFrame>> named;
    try {
        named = decode<std::vector<std::vector<StackFrame>>>(bytes);
    } catch (const WireError&) {
        // The process has ended early.
    }
    named.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        names_[places[i]] = std::move(named[i]);
    read_names();
    answer_asking();
}

void StackReader::answer_asking()
{
    std::list<Asking> answered;
    for (auto asking = asking_.begin(); asking != asking_.end();) {
        const auto next = std::next(asking);
        if (std::ranges::all_of(asking->places,
                                [this](const CodePlace& place) { return names_.contains(place); }))
            answered.splice(answered.end(), asking_, asking);
        asking = next;
    }
    for (const Asking& asking : answered)
        loop_.cancel(asking.timer);
    // Nothing of this object is used behind a call, which may end it.
    std::vector<std::pair<NamesAreThere, bool>> calls;
    for (Asking& asking : answered)
        calls.emplace_back(std::move(asking.done),
                           std::ranges::all_of(asking.places, [this](const CodePlace& place) {
                               return !names_.at(place).empty();
                           }));
    for (const auto& [done, all] : calls)
        done(all);
}

std::vector<StackFrame> StackReader::frames_at(const CodePlace& place) const
{
    const auto named = names_.find(place);
    return named != names_.end() && !named->second.empty() ? named->second : std::vector{unnamed(place)};
}

std::string StackReader::start(const Work& work, std::chrono::milliseconds time, Answer answer)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return std::string("no pipe for reading it: ") + std::strerror(errno);
    UniqueFd ours(ends[0]);
    UniqueFd theirs(ends[1]);
    const pid_t daemon = ::getpid();
    const pid_t child = ::fork();
    if (child < 0)
        return std::string("no process for reading it: ") + std::strerror(errno);
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != daemon)
            ::_exit(0);  // it died before the line above
        theirs = keep_only(std::move(theirs));
        redirect_to_null({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
        run_reader(std::move(theirs), work, time);
    }
    const int fd = ours.get();
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    loop_.watch(fd, EPOLLIN, [this, fd](std::uint32_t) { receive(fd); });
    // A reader that hangs in the kernel ends later than its timer says.
    const auto timer = loop_.after(time + 2 * kGrace, [this, fd] { finish(fd); });
    readings_[fd] = {std::move(ours), {}, timer, std::move(answer)};
    return {};
}

void StackReader::receive(int fd)
{
    Reading& reading = readings_.at(fd);
    std::array<char, 16384> bytes;
    ssize_t count = 0;
    while ((count = ::read(fd, bytes.data(), bytes.size())) > 0) {
        reading.bytes.append(bytes.data(), static_cast<std::size_t>(count));
        if (reading.bytes.size() > kMostStackBytes)
            return finish(fd);
    }
    if (count == 0 || errno != EAGAIN)
        finish(fd);
}

void StackReader::finish(int fd)
{
    Reading reading = std::move(readings_.extract(fd).mapped());
    loop_.forget(fd);
    loop_.cancel(reading.timer);
    reading.answer(reading.bytes);
}

}  // namespace tutti::launcher
