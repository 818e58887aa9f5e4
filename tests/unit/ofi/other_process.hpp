// A rank over libfabric in a process of its own, which can be stopped and killed.
#pragma once

#include <catch2/catch.hpp>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "tests/unit/ofi/pair.hpp"

namespace tutti::test {

/// Rank 1 in a process of its own: what it tells first is its contact, then one byte a frame that it got.
class OtherProcess {
public:
    template <class Body>
    explicit OtherProcess(Body body)
    {
        REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_) == 0);
        pid_ = fork();
        if (pid_ == 0) {
            ::close(ends_[0]);
            body(ends_[1]);
            _exit(0);
        }
        ::close(ends_[1]);
    }
    ~OtherProcess()
    {
        end();
        ::close(ends_[0]);
    }
    void signal(int number) const { kill(pid_, number); }
    void end()
    {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(std::exchange(pid_, 0), nullptr, 0);
        }
    }
    Bytes receive() const
    {
        Bytes bytes(4096);
        const ssize_t size = recv(ends_[0], bytes.data(), bytes.size(), 0);
        REQUIRE(size > 0);
        bytes.resize(static_cast<std::size_t>(size));
        return bytes;
    }
    void send(const Bytes& bytes) const
    {
        REQUIRE(::send(ends_[0], bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    }

private:
    int ends_[2] = {-1, -1};
    pid_t pid_ = 0;
};

/// Sends five frames to rank 0, registers a MiB for it, and goes on making progress.
inline void talkative_rank(int channel, const security::Key& key)
{
    OfiRank rank(1, 2, key);
    const Bytes mine = rank.transport->address();
    Bytes theirs(4096);
    if (::send(channel, mine.data(), mine.size(), 0) < 0)
        _exit(1);
    theirs.resize(static_cast<std::size_t>(std::max<ssize_t>(0, recv(channel, theirs.data(), 4096, 0))));
    rank.transport->connect(0, theirs);
    const Registered registered(rank, 1 << 20);
    Bytes region(sizeof registered.region);
    std::memcpy(region.data(), &registered.region, region.size());
    for (int sent = 0; sent < 5;) {
        sent += rank.send(0, region) == transport::SendResult::done;
        rank.progress();
    }
    while (rank.sink.losses.empty()) {
        rank.progress();
        usleep(100);
    }
}

}  // namespace tutti::test
