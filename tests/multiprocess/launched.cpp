#include "tests/multiprocess/launched.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <catch2/catch.hpp>

namespace tutti::test {

namespace {

using Clock = std::chrono::steady_clock;

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    if (value == nullptr) {
        throw std::runtime_error(std::string(name) + " is not set; run these tests with meson test");
    }
    return value;
}

std::array<int, 2> make_pipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("pipe2");
    }
    return ends;
}

}  // namespace

std::string file_text(const std::filesystem::path& path)
{
    // Not by iterators over the stream: those throw where a process ends between open and read.
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Launched::Launched(const std::vector<std::string>& command, std::chrono::seconds limit)
    : started_(Clock::now()), deadline_(started_ + limit)
{
    ::signal(SIGPIPE, SIG_IGN);  // a launcher that ends does not read its input to the end
    static int count = 0;
    mark_ = std::to_string(::getpid()) + "." + std::to_string(++count);
    directory_ = (std::filesystem::temp_directory_path() / "tutti-test-XXXXXX").string();
    if (::mkdtemp(directory_.data()) == nullptr) {
        throw std::runtime_error("mkdtemp");
    }
    const auto in = make_pipe();
    const auto out = make_pipe();
    const auto err = make_pipe();
    std::vector<char*> argv;
    for (const std::string& word : command) {
        argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        ::dup2(err[1], 2);
        ::setenv(kMarkVariable, mark_.c_str(), 1);
        ::setenv("TMPDIR", directory_.c_str(), 1);
        ::setpgid(0, 0);
        // Whoever runs the tests in the background may have them ignored, and the launcher respects that.
        for (const int ignored : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE}) {
            ::signal(ignored, SIG_DFL);
        }
        // Whoever runs the tests may have left descriptors open; some tests count those of a launcher.
        ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
    for (const int end : {in[0], out[1], err[1]}) {
        ::close(end);
    }
    input_ = in[1];
    output_ = out[0];
    error_ = err[0];
}

Launched::~Launched()
{
    if (pid_ > 0) {
        wait();
    }
    // What was killed a moment ago may still be on its way out; a sanitizer looks for leaks there. Each that
    // ends shows that the others get on.
    std::size_t last_seen = processes().size();
    auto patience = Clock::now() + std::chrono::duration<double>(4 * kSoonSeconds);
    for (std::size_t seen = last_seen; seen != 0 && Clock::now() < patience; seen = processes().size()) {
        if (seen < last_seen) {
            patience = Clock::now() + std::chrono::duration<double>(4 * kSoonSeconds);
        }
        last_seen = seen;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::ostringstream left;
    for (const pid_t pid : processes()) {
        left << pid << ' ' << file_text("/proc/" + std::to_string(pid) + "/cmdline") << '\n';
        ::kill(pid, SIGKILL);
    }
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
        left << entry.path() << '\n';
    }
    std::filesystem::remove_all(directory_);
    CHECK(left.str() == "");
}

std::vector<pid_t> Launched::processes() const
{
    std::vector<pid_t> found;
    const std::string wanted = std::string(kMarkVariable) + "=" + mark_;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
            continue;
        }
        std::istringstream variables(file_text(entry.path() / "environ"));
        for (std::string one; std::getline(variables, one, '\0');) {
            if (one == wanted) {
                found.push_back(std::stoi(name));
            }
        }
    }
    return found;
}

void Launched::write(const std::string& text)
{
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t bytes = ::write(input_, text.data() + written, text.size() - written);
        if (bytes < 0) {
            return;  // EPIPE: it reads no more
        }
        written += static_cast<std::size_t>(bytes);
    }
}

void Launched::end_input()
{
    if (input_ >= 0) {
        ::close(input_);
        input_ = -1;
    }
}

void Launched::signal(int signal) const
{
    REQUIRE(::kill(pid_, signal) == 0);
}

bool Launched::read_some(int timeout_ms)
{
    std::array<pollfd, 2> entries{pollfd{output_, POLLIN, 0}, pollfd{error_, POLLIN, 0}};
    if (::poll(entries.data(), entries.size(), timeout_ms) <= 0) {
        return output_ >= 0 || error_ >= 0;
    }
    static std::vector<char> buffer(1 << 16);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries.at(i).revents == 0) {
            continue;
        }
        int& fd = i == 0 ? output_ : error_;
        std::string& text = i == 0 ? result_.out : result_.err;
        const ssize_t bytes = ::read(fd, buffer.data(), buffer.size());
        if (bytes <= 0) {
            ::close(fd);
            fd = -1;
        } else {
            text.append(buffer.data(), static_cast<std::size_t>(bytes));
        }
    }
    return output_ >= 0 || error_ >= 0;
}

bool Launched::wait_for_output(const std::string& text)
{
    const auto patience = Clock::now() + std::chrono::seconds(10);
    while (result_.out.find(text) == std::string::npos) {
        if (!read_some(20) || Clock::now() > patience) {
            return false;
        }
    }
    return true;
}

const Result& Launched::so_far()
{
    const auto read = [this] { return result_.out.size() + result_.err.size(); };
    for (std::size_t before = read(); read_some(0) && read() > before; before = read()) {
    }
    return result_;
}

Result Launched::wait()
{
    end_input();
    int status = 0;
    bool ended = false;
    while (read_some(ended ? 5 : 20) || !ended) {
        if (!ended && ::waitpid(pid_, &status, WNOHANG) == pid_) {
            ended = true;
            result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
        }
        if (Clock::now() > deadline_) {
            for (const pid_t pid : processes()) {
                ::kill(pid, SIGKILL);
            }
            if (!ended) {
                ::waitpid(pid_, &status, 0);
            }
            pid_ = -1;
            FAIL_CHECK("it took too long; so far it wrote: " << result_.out << result_.err);
            return result_;
        }
    }
    pid_ = -1;
    result_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return result_;
}

std::vector<std::string> tuttirun_command(const std::vector<std::string>& arguments)
{
    std::vector<std::string> command{variable("TUTTIRUN")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

Result tuttirun(const std::vector<std::string>& arguments, const std::string& input)
{
    Launched launched(tuttirun_command(arguments));
    launched.write(input);
    return launched.wait();
}

std::vector<std::string> script(int ranks, const std::string& text)
{
    return {"-n", std::to_string(ranks), "sh", "-c", text};
}

std::string program(const std::string& name)
{
    return variable("TUTTI_TEST_PROGRAMS") + "/" + name;
}

bool can_list_paths()
{
    const auto is_listable = [](const std::string& path) {
        return path.find_first_of(" \t\n:;'\"") == std::string::npos;
    };
    return is_listable(variable("TUTTIRUN")) || is_listable(std::filesystem::temp_directory_path().string());
}

std::string shell_quoted(const std::string& word)
{
    std::string result = "'";
    for (const char letter : word) {
        result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return result + "'";
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> sorted(std::vector<std::string> lines)
{
    std::sort(lines.begin(), lines.end());
    return lines;
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace tutti::test
