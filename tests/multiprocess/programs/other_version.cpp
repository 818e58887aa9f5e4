// A daemon of another release, as far as the head gets to know it.
#include <poll.h>
#include <sys/socket.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "launcher/daemon_messages.hpp"
#include "launcher/join.hpp"

using namespace tutti::launcher;

int main()
{
    std::string line;
    std::getline(std::cin, line);
    const DaemonRecord record = decode_daemon_record(line);
    const UniqueFd stream = join_job(record, record.node);
    std::string bytes;
    // Of the hello only the version is alike in all releases.
    const std::string payload =
        WireWriter().put(std::string_view("0.0.9")).put(std::uint64_t{1} << 60).bytes();
    append_frame(bytes, {FrameType::hello, static_cast<std::uint16_t>(record.node), payload});
    ::send(stream.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    pollfd entry{stream.get(), POLLIN, 0};
    ::poll(&entry, 1, 10'000);
}
