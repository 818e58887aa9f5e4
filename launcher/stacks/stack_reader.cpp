#include "launcher/stacks/stack_reader.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "launcher/stacks/read_stacks.hpp"
#include "launcher/wire/codec.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::milliseconds kGrace{250};
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

}  // namespace

StackReader::~StackReader()
{
    for (const auto& [fd, reading] : readings_) {
        loop_.forget(fd);
        loop_.cancel(reading.timer);
    }
}

void StackReader::read(pid_t process, const StackLimits& limits, Done done)
{
    std::string why = why_no_stacks();
    if (why.empty())
        why = start([process, limits] { return encode(read_stacks(process, limits)); }, limits.time,
                    [done](const std::string& bytes) {
                        ProcessStacks stacks;
                        try {
                            stacks = decode<ProcessStacks>(bytes);
                        } catch (const WireError&) {
                            stacks = {{}, "the process that reads it ended early, or took too long"};
                        }
                        done(std::move(stacks));
                    });
    if (!why.empty())
        loop_.post([done, why] { done({{}, why}); });
}

void StackReader::name(const std::vector<CodePlace>& places, std::chrono::milliseconds time, Named done)
{
    const std::string why = start([places] { return encode(name_places(places)); }, time,
                                  [done](const std::string& bytes) {
                                      std::vector<StackFrame> frames;
                                      try {
                                          frames = decode<std::vector<StackFrame>>(bytes);
                                      } catch (const WireError&) {
                                          // There are no names.
                                      }
                                      done(std::move(frames));
                                  });
    if (!why.empty())
        loop_.post([done] { done({}); });
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
