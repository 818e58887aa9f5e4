// For tests that run with the heap preloaded.
#pragma once

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>

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

}  // namespace tutti::test
