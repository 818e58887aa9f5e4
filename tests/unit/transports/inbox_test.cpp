// Inboxes and their contacts: who can find one, and what a wrong contact leads to.
#include "transports/shm/inbox.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/transports/child.hpp"
#include "tutti/error.hpp"

using tutti::ErrorCode;
using namespace tutti::transport::shm;

namespace {

std::span<const std::byte> bytes_of(const InboxContact& contact)
{
    return std::as_bytes(std::span(&contact, 1));
}

ErrorCode error_of_open(const InboxContact& contact)
{
    try {
        Inbox::open(contact, 0);
        return ErrorCode::success;
    } catch (const tutti::Error& error) {
        CHECK(std::string(error.what()).size() > 20);
        return error.code();
    }
}

std::size_t open_descriptors()
{
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

bool mapped()
{
    // Not a std::ifstream: g++ 12's sanitizer does not know its type here.
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    bool found = false;
    char line[4096];
    while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr)
        found = found || std::string_view(line).find("tutti-inbox") != std::string_view::npos;
    std::fclose(maps);
    return found;
}

}  // namespace

TEST_CASE("a contact survives its way as bytes, and only unchanged")
{
    const Inbox inbox = Inbox::create(3, 1);
    const auto parsed = InboxContact::parse(bytes_of(inbox.contact()));
    REQUIRE(parsed.has_value());
    CHECK(parsed->owner.on_this_host());
    CHECK(parsed->owner.pid == getpid());
    CHECK(parsed->rings == 3);
    CHECK(parsed->local_rank == 1);
    CHECK(parsed->nonce == inbox.header().nonce);

    for (std::size_t size = 0; size < sizeof(InboxContact); ++size)
        CHECK_FALSE(InboxContact::parse(bytes_of(inbox.contact()).first(size)).has_value());
    std::vector<std::byte> longer(bytes_of(inbox.contact()).begin(), bytes_of(inbox.contact()).end());
    longer.push_back(std::byte{0});
    CHECK_FALSE(InboxContact::parse(longer).has_value());
}

TEST_CASE("contacts with values that no inbox has are refused")
{
    const Inbox inbox = Inbox::create(2, 0);
    const auto refused = [&](auto change) {
        InboxContact contact = inbox.contact();
        change(contact);
        return !InboxContact::parse(bytes_of(contact)).has_value();
    };
    CHECK(refused([](InboxContact& contact) { ++contact.magic; }));
    CHECK(refused([](InboxContact& contact) { contact.rings = 0; }));
    CHECK(refused([](InboxContact& contact) { contact.local_rank = 2; }));
    CHECK(refused([](InboxContact& contact) { contact.local_rank = 0xffffffff; }));
    CHECK(refused([](InboxContact& contact) { contact.ring_bytes = 0; }));
    CHECK(refused([](InboxContact& contact) { contact.ring_bytes += 64; }));
    CHECK(refused([](InboxContact& contact) { contact.ring_bytes = 1u << 31; }));
    CHECK(refused([](InboxContact& contact) { contact.ring_bytes = 4096; }));
    CHECK_FALSE(refused([](InboxContact& contact) { contact.local_rank = 1; }));
}

TEST_CASE("random bytes are no contact, and a contact of another host is not here")
{
    std::mt19937_64 random(3);
    std::vector<std::byte> bytes(sizeof(InboxContact));
    for (int i = 0; i < 10'000; ++i) {
        for (std::byte& byte : bytes)
            byte = static_cast<std::byte>(random());
        REQUIRE_FALSE(InboxContact::parse(bytes).has_value());
    }
    InboxContact contact = Inbox::create(1, 0).contact();
    contact.owner.host ^= 1;
    CHECK_FALSE(contact.owner.on_this_host());
}

TEST_CASE("a wrong nonce, descriptor, size or process is found out before anything is written")
{
    const Inbox inbox = Inbox::create(2, 0);
    CHECK(error_of_open(inbox.contact()) == ErrorCode::success);

    InboxContact contact = inbox.contact();
    contact.nonce ^= 1;
    CHECK(error_of_open(contact) == ErrorCode::peer_lost);

    contact = inbox.contact();
    contact.descriptor = 1'000'000;
    CHECK(error_of_open(contact) == ErrorCode::peer_lost);

    contact = inbox.contact();
    contact.rings = 0xffffffff;
    CHECK(error_of_open(contact) == ErrorCode::peer_lost);

    contact = inbox.contact();
    contact.descriptor = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK(error_of_open(contact) == ErrorCode::peer_lost);
    close(contact.descriptor);

    // A file of the right size that is none of ours.
    contact = inbox.contact();
    contact.descriptor = memfd_create("other", MFD_CLOEXEC);
    REQUIRE(ftruncate(contact.descriptor, lseek(inbox.contact().descriptor, 0, SEEK_END)) == 0);
    CHECK(error_of_open(contact) == ErrorCode::peer_lost);
    close(contact.descriptor);
}

TEST_CASE("the inbox of a process that has ended cannot be opened")
{
    InboxContact contact = Inbox::create(1, 0).contact();
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const int status = tutti::test::in_child([&] {
        const InboxContact mine = Inbox::create(1, 0).contact();
        return write(pipe_ends[1], &mine, sizeof mine) == sizeof mine ? 0 : 1;
    });
    REQUIRE(status == 0);
    REQUIRE(read(pipe_ends[0], &contact, sizeof contact) == sizeof contact);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    REQUIRE(InboxContact::parse(bytes_of(contact)).has_value());
    CHECK(error_of_open(contact) == ErrorCode::peer_lost);
}

TEST_CASE("nothing is left behind: no descriptor, no mapping, no name in /dev/shm")
{
    const std::size_t descriptors = open_descriptors();
    {
        const Inbox inbox = Inbox::create(4, 2);
        const Inbox theirs = Inbox::open(inbox.contact(), 3);
        const Inbox short_one = Inbox::open(inbox.contact(), std::nullopt);
        CHECK(mapped());
        CHECK(open_descriptors() == descriptors + 1);
        for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
            CHECK(entry.path().filename().string().find("tutti") == std::string::npos);
    }
    CHECK_FALSE(mapped());
    CHECK(open_descriptors() == descriptors);
}

TEST_CASE("both mappings are the same memory, and rings do not overlap")
{
    const Inbox mine = Inbox::create(3, 0);
    const Inbox theirs = Inbox::open(mine.contact(), 1);
    const Inbox third = Inbox::open(mine.contact(), 2);
    theirs.extend_ring(1, theirs.ring(1).size);
    third.extend_ring(2, third.ring(2).size);
    std::memset(theirs.ring(1).base, 0xaa, theirs.ring(1).size);
    std::memset(third.ring(2).base, 0xbb, third.ring(2).size);
    CHECK(std::to_integer<int>(mine.ring(1).base[0]) == 0xaa);
    CHECK(std::to_integer<int>(mine.ring(1).base[mine.ring(1).size - 1]) == 0xaa);
    CHECK(std::to_integer<int>(mine.ring(2).base[0]) == 0xbb);
    CHECK(mine.header().nonce == mine.contact().nonce);
}

TEST_CASE("an inbox of a thousand ranks that all send takes a page for each, and more where more is sent")
{
    constexpr std::uint32_t kRings = 1000;
    const Inbox mine = Inbox::create(kRings, 0);
    const auto pages = [&] {
        struct stat status {};
        REQUIRE(fstat(mine.contact().descriptor, &status) == 0);
        return static_cast<std::size_t>(status.st_blocks) * 512 / kPage;
    };
    CHECK(pages() == 1);
    std::vector<Inbox> theirs;
    std::size_t frames = 0;
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
        Inbox& producer = theirs.emplace_back(Inbox::open(mine.contact(), ring));
        REQUIRE_FALSE(mine.has_producer(ring));
        producer.slot(ring).producer = mine.contact();
        producer.announce_producer(ring);
        REQUIRE(mine.has_producer(ring));
        // Many laps of short messages.
        Credits theirs_to_me;
        Credits mine_to_them;
        RingProducer out(producer.ring(ring), theirs_to_me);
        RingConsumer in(mine.ring(ring), mine_to_them);
        for (int i = 0; i < 200; ++i) {
            REQUIRE(out.try_write({}, std::as_bytes(std::span(&i, 1))));
            int got = -1;
            in.poll([&](auto, auto payload) { std::memcpy(&got, payload.data(), sizeof got); });
            in.report();
            frames += got == i;
        }
    }
    CHECK(frames == 200 * kRings);
    CHECK(pages() == 1 + kRings);

    theirs[7].extend_ring(7, mine.ring(7).size);
    std::memset(theirs[7].ring(7).base, 0x77, mine.ring(7).size);
    CHECK(std::to_integer<int>(mine.ring(7).base[mine.ring(7).size - 1]) == 0x77);
    CHECK(pages() == 1 + kRings + mine.ring(7).size / kPage);
}

TEST_CASE("the owner is woken only while it says that it sleeps")
{
    const Inbox mine = Inbox::create(2, 0);
    Inbox theirs = Inbox::open(mine.contact(), 1);
    theirs.wake_owner();
    CHECK(mine.header().bell.load() == 0);
    mine.header().sleeping.store(Sleep::on_futex);
    theirs.wake_owner();
    theirs.wake_owner();
    CHECK(mine.header().bell.load() == 2);
    mine.header().sleeping.store(Sleep::awake);
    theirs.wake_owner();
    CHECK(mine.header().bell.load() == 2);
}

TEST_CASE("an owner that sleeps on descriptors is woken by its pipe, and only then")
{
    const Inbox mine = Inbox::create(2, 0);
    WakePipe pipe;
    REQUIRE(pipe.open());
    mine.header().wake_pipe.store(pipe.writing_end());
    Inbox theirs = Inbox::open(mine.contact(), 1);
    const auto bytes = [&] {
        int waiting = 0;
        REQUIRE(ioctl(pipe.reading_end(), FIONREAD, &waiting) == 0);
        return waiting;
    };
    for (const Sleep how : {Sleep::awake, Sleep::on_futex}) {
        mine.header().sleeping.store(how);
        theirs.wake_owner();
        CHECK(bytes() == 0);
    }
    mine.header().sleeping.store(Sleep::on_descriptors);
    theirs.wake_owner();
    theirs.wake_owner();
    CHECK(bytes() == 2);
    pipe.drain();
    CHECK(bytes() == 0);
    for (int i = 0; i < 70'000; ++i)  // more than a pipe holds
        theirs.wake_owner();
    pipe.drain();
    CHECK(bytes() == 0);
}

TEST_CASE("an owner that has ended is woken by its pipe without harm")
{
    const Inbox mine = Inbox::create(2, 0);
    Inbox theirs = Inbox::open(mine.contact(), 1);
    {
        WakePipe pipe;
        REQUIRE(pipe.open());
        mine.header().wake_pipe.store(pipe.writing_end());
        mine.header().sleeping.store(Sleep::on_descriptors);
        theirs.wake_owner();
    }
    theirs.wake_owner();  // SIGPIPE would end this process
    CHECK(mine.header().bell.load() == 2);
}
