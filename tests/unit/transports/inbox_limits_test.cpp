// Inboxes under resource limits: an error that names the remedy, never a signal.
#include <catch2/catch.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

#include "tests/deny.hpp"
#include "tests/unit/transports/child.hpp"
#include "transports/shm/inbox.hpp"
#include "tutti/error.hpp"

using tutti::ErrorCode;
using namespace tutti::transport::shm;

namespace {

void limit(int resource, rlim_t value)
{
    const rlimit limits{value, value};
    if (setrlimit(static_cast<__rlimit_resource>(resource), &limits) != 0)
        _exit(100);
}

// Exit status of a child that makes an inbox: 0 it could, 1 the expected error with the remedy, 2 another.
int make_inbox(std::uint32_t rings, ErrorCode expected, const std::string& remedy)
{
    try {
        const Inbox inbox = Inbox::create(rings, 0);
        Inbox::open(inbox.contact(), 0);
        return 0;
    } catch (const tutti::Error& error) {
        return error.code() == expected && std::string(error.what()).find(remedy) != std::string::npos ? 1
                                                                                                       : 2;
    }
}

}  // namespace

TEST_CASE("without limits an inbox can be made for one and for many ranks")
{
    CHECK(tutti::test::in_child([] { return make_inbox(1, ErrorCode::system, ""); }) == 0);
    CHECK(tutti::test::in_child([] { return make_inbox(256, ErrorCode::system, ""); }) == 0);
}

TEST_CASE("a file size limit is reported, and its signal does not kill")
{
    const int status = tutti::test::in_child([] {
        limit(RLIMIT_FSIZE, 64u << 10);
        return make_inbox(4, ErrorCode::system, "ulimit -f");
    });
    CHECK(status == 1);
}

TEST_CASE("no descriptor left is out of memory")
{
    const int status = tutti::test::in_child([] {
        limit(RLIMIT_NOFILE, 0);
        return make_inbox(4, ErrorCode::out_of_memory, "ulimit -n");
    });
    CHECK(status == 1);
}

TEST_CASE("a call that a filter denies is named")
{
    const std::pair<unsigned, const char*> calls[] = {
        {SYS_memfd_create, "memfd_create"}, {SYS_ftruncate, "ftruncate"}, {SYS_fallocate, "fallocate"}};
    for (const auto& [call, name] : calls) {
        const int status = tutti::test::in_child([&] {
            return tutti::test::deny(call, EPERM)
                       ? make_inbox(4, ErrorCode::system, std::string("has to allow ") + name)
                       : 1;
        });
        CHECK(status == 1);
    }
}

TEST_CASE("where a process may have no more mappings, that is what is reported")
{
    std::size_t most = 0;
    std::ifstream("/proc/sys/vm/max_map_count") >> most;
    if (most == 0 || most > 300'000)
        return;  // it would take long, and memory
    const int status = tutti::test::in_child([] {
        // Neighbours that differ are not joined.
        for (int i = 0; mmap(nullptr, kPage, i % 2 == 0 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                             -1, 0) != MAP_FAILED;
             ++i) {
        }
        return make_inbox(4, ErrorCode::out_of_memory, "vm.max_map_count");
    });
    CHECK(status == 1);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("no address space left is out of memory")
{
    const int status = tutti::test::in_child([] {
        limit(RLIMIT_AS, 100u << 20);
        return make_inbox(4096, ErrorCode::out_of_memory, "ulimit -v");
    });
    CHECK(status == 1);
}
#endif
