// A daemon that does not fit, as far as the head gets to know it: `other_daemon version`, of another release,
// or `other_daemon machine`, on a machine of another kind.
#include <poll.h>
#include <sys/socket.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "launcher/job/job_messages.hpp"
#include "launcher/tree/daemon_listener.hpp"

using namespace tutti::launcher;

namespace {

std::string hello_of(const std::string& kind)
{
    if (kind == "machine") {
        Hello hello = Hello::of_this_process();
        hello.architecture = "vax";
        return encode(hello);
    }
    // Only the version is alike in all releases.
    return WireWriter().put(std::string_view("0.0.9")).put(std::uint64_t{1} << 60).bytes();
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string payload = hello_of(argc > 1 ? argv[1] : "");
    std::string line;
    std::getline(std::cin, line);
    const DaemonRecord record = decode_daemon_record(line);
    const UniqueFd stream = join_job(record, record.node);
    std::string bytes;
    append_frame(bytes, {FrameType::hello, static_cast<std::uint16_t>(record.node), payload});
    ::send(stream.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    pollfd entry{stream.get(), POLLIN, 0};
    ::poll(&entry, 1, 10'000);
}
