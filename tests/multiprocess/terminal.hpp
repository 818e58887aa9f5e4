// A terminal for tests, of tmux's.
#pragma once

#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"

namespace tutti::test {

/// A terminal, in which a command of the shell runs.
class Terminal {
public:
    Terminal(const std::string& directory, int width, int height, const std::string& command)
        : socket_(directory + "/tmux")
    {
        // A socket's path has little room.
        if (socket_.size() >= sizeof sockaddr_un{}.sun_path)
            socket_ = "/tmp/tutti-tmux-" + std::to_string(::getpid());
        run("-f /dev/null new-session -d -x " + std::to_string(width) + " -y " + std::to_string(height) +
            ' ' + shell_quoted(command + "; echo status $?; sleep 1000"));
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    ~Terminal()
    {
        run("kill-server");
        ::unlink(socket_.c_str());
    }

    static bool is_possible()
    {
        const bool possible = std::system("tmux -V > /dev/null 2>&1") == 0;
        if (!possible)
            WARN("not tested: there is no tmux");
        return possible;
    }

    /// `window`: its name or number; empty: the one that is shown.
    void press(const std::string& keys, const std::string& window = {})
    {
        run("send-keys " + target(window) + keys);
    }
    void resize(int width, int height)
    {
        run("resize-window -x " + std::to_string(width) + " -y " + std::to_string(height));
    }
    std::string text(const std::string& window = {}) { return run("capture-pane -p " + target(window)); }
    /// Whether it shows `part` in time.
    bool shows(const std::string& part, const std::string& window = {})
    {
        for (int i = 0; i < (kSanitized ? 400 : 150); ++i) {
            if (contains(text(window), part))
                return true;
            ::usleep(100'000);
        }
        UNSCOPED_INFO("the terminal shows:\n" + text(window));
        return false;
    }

private:
    static std::string target(const std::string& window)
    {
        return window.empty() ? "" : "-t ':" + window + "' ";
    }
    std::string run(const std::string& words)
    {
        // Whatever terminal, shell and language the tests run in.
        FILE* const pipe = ::popen(("env -u TMUX SHELL=/bin/sh LC_ALL=C.UTF-8 tmux -S " +
                                    shell_quoted(socket_) + ' ' + words + " 2>&1")
                                       .c_str(),
                                   "r");
        std::string text;
        std::array<char, 4096> buffer;
        while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), pipe))
            text.append(buffer.data(), bytes);
        ::pclose(pipe);
        return text;
    }

    std::string socket_;
};

}  // namespace tutti::test
