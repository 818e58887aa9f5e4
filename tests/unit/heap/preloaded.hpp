// For tests that run with the heap preloaded.
#pragma once

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "lib/heap/segment.hpp"
#include "lib/heap/sizes.hpp"

namespace tutti::test {

/// Opens the heap at the first call; the test fails where it is not there.
inline const TuttiHeapSegment& segment()
{
    REQUIRE(tutti_heap_open != nullptr);
    const TuttiHeapSegment* const segment = tutti_heap_open();
    REQUIRE(segment != nullptr);
    return *segment;
}

inline bool is_in_heap(const void* data)
{
    const TuttiHeapSegment& heap = segment();
    return static_cast<std::size_t>(static_cast<const std::byte*>(data) -
                                    static_cast<std::byte*>(heap.base)) < heap.bytes;
}

/// The exit status of a forked child that runs `body`; 128 + the number of the signal that ends it.
inline int status_of_child(const std::function<int()>& body)
{
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0)
        _exit(body());
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// What this process and its children write to standard error while it lives.
class ErrorText {
public:
    ErrorText() : file_(std::tmpfile()), before_(dup(STDERR_FILENO))
    {
        REQUIRE(file_ != nullptr);
        dup2(fileno(file_), STDERR_FILENO);
    }
    ErrorText(const ErrorText&) = delete;
    ErrorText& operator=(const ErrorText&) = delete;
    ~ErrorText()
    {
        dup2(before_, STDERR_FILENO);
        close(before_);
        std::fclose(file_);
    }
    std::string text() const
    {
        std::string all(4096, ' ');
        const ssize_t bytes = pread(fileno(file_), all.data(), all.size(), 0);
        all.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
        return all;
    }

private:
    std::FILE* file_;
    int before_;
};

}  // namespace tutti::test
