#include "benchmarks/plot/gnuplot.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::bench {

namespace {

// A file in memory. Unlike a pipe it is never full, so neither side waits.
class MemoryFile {
public:
    explicit MemoryFile(const char* name) : file_(memfd_create(name, MFD_CLOEXEC))
    {
        if (file_.get() < 0)
            throw std::system_error(errno, std::generic_category(), "memfd_create");
    }

    int descriptor() const { return file_.get(); }

    void write(std::string_view text) const
    {
        while (!text.empty()) {
            const ssize_t count = ::write(file_.get(), text.data(), text.size());
            if (count < 0)
                throw std::system_error(errno, std::generic_category(), "writing for gnuplot");
            text.remove_prefix(static_cast<std::size_t>(count));
        }
        lseek(file_.get(), 0, SEEK_SET);
    }

    std::string read() const
    {
        std::string text(static_cast<std::size_t>(lseek(file_.get(), 0, SEEK_END)), '\0');
        const ssize_t count = pread(file_.get(), text.data(), text.size(), 0);
        text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
        return text;
    }

private:
    base::UniqueFd file_;
};

class SpawnActions {
public:
    SpawnActions() { posix_spawn_file_actions_init(&actions_); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }

    void redirect(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_;
};

}  // namespace

std::string run_gnuplot(const std::string& script)
{
    const MemoryFile input("script"), output("picture"), errors("errors");
    input.write(script);
    SpawnActions actions;
    actions.redirect(input.descriptor(), STDIN_FILENO);
    actions.redirect(output.descriptor(), STDOUT_FILENO);
    actions.redirect(errors.descriptor(), STDERR_FILENO);
    const char* const arguments[] = {"gnuplot", "--default-settings", nullptr};
    pid_t pid = -1;
    const int failed = posix_spawnp(&pid, arguments[0], actions.get(), nullptr,
                                    const_cast<char* const*>(arguments), environ);
    if (failed == ENOENT)
        throw std::runtime_error("gnuplot is not installed; on Debian: apt-get install gnuplot-nox");
    if (failed != 0)
        throw std::runtime_error(fmt::format("gnuplot cannot be started: {}", std::strerror(failed)));
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "waiting for gnuplot");
    }
    std::string picture = output.read();
    if (status != 0 || picture.empty())
        throw std::runtime_error(fmt::format("gnuplot failed: {}", errors.read()));
    return picture;
}

}  // namespace tutti::bench
