// A status page as the daemon reads it: torn, overwritten, random, or no page at all.
#include "launcher/report/page_view.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>

#include <catch2/catch.hpp>

using namespace tutti::launcher;
using tutti::observe::CallWords;
using tutti::observe::Operation;
using tutti::observe::StatusCount;
using tutti::observe::StatusMemory;
using tutti::observe::StatusPage;
using tutti::observe::StatusSituation;

namespace {

/// A page whose rank waits in its one call.
void fill(StatusPage& page)
{
    page.calls[0].store({0, CallWords::pack(7, 42), CallWords::what_of(Operation::recv, 8), 0});
    page.entered = 2 * 1 + 1;
    for (int i = 0; i < 3; ++i)
        page.traffic.sent.add(8);
    page.traffic.arrived.add(StatusCount::kLongBytes);
    page.traffic.arrived.add(100);
    page.communicators[0].context = 1;
    page.communicators[0].number = 5;
    page.communicators[0].members = 16;
    page.communicators[1].context = 9;
    page.communicators[1].members = 4;
    tutti::observe::store_text(page.communicators[1].name.data(),
                               tutti::observe::StatusCommunicator::kNameBytes,
                               "rows\n of a grid that is large");
    page.situation.begun = 1;
    page.situation.moves = 5;
    page.situation.in_call = 1;
    page.situation.awaits[0].peer_and_tag = CallWords::pack(7, 42);
    page.situation.awaits[0].peer = 7;
    page.situation.awaits[0].flags = 1 | StatusSituation::Await::kOwn;
    page.situation.awaits_listed = 1;
    page.situation.sequence = 2;
}

}  // namespace

TEST_CASE("a status page is read as it was written, and the daemon cannot write it")
{
    StatusMemory own = StatusMemory::create();
    fill(*own);
    const StatusMemory seen = StatusMemory::open(own.take_descriptor());
    REQUIRE(seen);
    const PageView view = PageView::of(*seen);
    CHECK(view.waits());
    CHECK(view.moves == 5);
    CHECK(view.begun == 1);
    CHECK(view.sent.messages == 3);
    CHECK(view.sent.bytes == 24);
    CHECK(view.arrived.messages == 2);
    CHECK(view.arrived.bytes == StatusCount::kLongBytes + 100);
    REQUIRE(view.calls.size() == 1);
    CHECK(view.calls[0].peer() == 7);
    CHECK(view.calls[0].tag() == 42);
    CHECK(view.calls[0].operation() == Operation::recv);
    REQUIRE(view.situation->awaits.size() == 1);
    CHECK(view.situation->awaits[0].own);
    CHECK_FALSE(view.situation->awaits[0].matched);
    CHECK(view.name_of(0) == "world");
    CHECK(view.name_of(8) == "\"rows? of a grid that is large\"");
    CHECK(view.name_of(std::uint64_t{3} << 33 | 4 << 1) == "communicator 3.4");
    own->entered = 2 * 2 + 1;  // another call has begun
    CHECK_FALSE(PageView::of(*seen).waits());
    own->entered = 2 * 1 + 1;
    CHECK(PageView::of(*seen).waits());
    own->traffic.arrived.add(0);  // or something has come
    CHECK_FALSE(PageView::of(*seen).waits());
}

TEST_CASE("the locks of windows that the rank holds are seen, and that there are more than fit")
{
    using Held = tutti::observe::StatusLock::Held;
    const StatusMemory own = StatusMemory::create();
    const auto note = [&](std::size_t entry, std::uint64_t context, int target, int holder, Held held) {
        own->locks[entry].context = context + 1;
        own->locks[entry].target_and_holder = CallWords::pack(target, holder);
        own->locks[entry].held = static_cast<std::uint64_t>(held);
    };
    note(3, 8, 7, 2, Held::shared);
    note(4, 8, 6, 2, Held::no);  // given back
    note(5, 0, 0, 4, Held::alone);
    note(6, 8, 0, -4, Held::alone);  // no rank
    own->locks[7].held = 1;          // a free entry
    PageView view = PageView::of(*own);
    REQUIRE(view.locks.size() == 2);
    CHECK(view.locks[0].context == 8);
    CHECK(view.locks[0].target == 7);
    CHECK(view.locks[0].holder == 2);
    CHECK(view.locks[0].shared);
    CHECK(view.locks[1].context == 0);
    CHECK(view.locks[1].target == 0);
    CHECK(view.locks[1].holder == 4);
    CHECK_FALSE(view.locks[1].shared);
    CHECK_FALSE(view.more_locks);
    own->locks_left_out = 1;
    view = PageView::of(*own);
    CHECK(view.locks.size() == 2);
    CHECK(view.more_locks);
}

TEST_CASE("the last calls are kept, and one that is being overwritten is left out")
{
    const StatusMemory own = StatusMemory::create();
    for (std::uint64_t number = 0; number < 40; ++number) {
        own->calls[number % StatusPage::kCalls].store(
            {0, CallWords::pack(1, static_cast<int>(number)), CallWords::what_of(Operation::send, 8), 0});
        own->entered = 2 * (number + 1);
    }
    const PageView view = PageView::of(*own);
    REQUIRE(view.calls.size() == StatusPage::kCalls - 1);
    CHECK(view.calls.front().tag() == 39);
    CHECK(view.calls.back().tag() == 25);
}

TEST_CASE("calls that are alike are one, with their number")
{
    const StatusMemory own = StatusMemory::create();
    const auto passes = [&](std::size_t entry, int tag, std::uint64_t repeated) {
        own->calls[entry].store({0, CallWords::pack(1, tag),
                                 CallWords::what_of(Operation::isend, 8) | CallWords::kPassing, repeated});
    };
    passes(0, 5, 0);
    own->calls[1].store({0, CallWords::pack(1, 6), CallWords::what_of(Operation::recv, 8), 0});
    passes(2, 7, 63);
    passes(3, 8, 63);
    own->entered = 2 * 4;
    own->repeated = 65;
    const PageView view = PageView::of(*own);
    CHECK_FALSE(view.in_call());
    CHECK(view.begun == 69);
    REQUIRE(view.calls.size() == 4);
    const std::array<std::uint64_t, 4> times = {3, 1, 1, 64};  // the newest first
    for (std::size_t i = 0; i < times.size(); ++i) {
        CHECK(view.calls[i].tag() == 8 - static_cast<int>(i));
        CHECK(view.calls[i].times == times[i]);
        CHECK(view.calls[i].bytes() == 8);
    }
}

TEST_CASE("messages are counted, however many or long")
{
    StatusCount count{};
    std::uint64_t bytes = 0;
    constexpr std::uint64_t kMany = 1'200'000;
    for (std::uint64_t i = 0; i < kMany; ++i) {
        const std::uint64_t size = i % 400'000 == 7 ? std::uint64_t{1} << 40 : i & 0xffffff;
        count.add(size);
        bytes += size;
    }
    CHECK(count.load().messages == kMany);
    CHECK(count.load().bytes == bytes);
    CHECK(count.messages != 0);
    CHECK(count.recent != 0);
    // A rank that died while it moved the latest to the totals.
    count.recent = StatusCount::kMoving;
    CHECK(count.load().messages == count.messages);
    CHECK(count.load().bytes == count.bytes);
}

TEST_CASE("a situation that the rank is changing is not believed")
{
    const StatusMemory own = StatusMemory::create();
    fill(*own);
    own->situation.sequence = 3;
    CHECK_FALSE(PageView::of(*own).situation);
}

TEST_CASE("a page of random words hurts nobody")
{
    const StatusMemory own = StatusMemory::create();
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; ++round) {
        auto* const words = reinterpret_cast<tutti::observe::StatusWord*>(&*own);
        for (std::size_t i = 2; i < sizeof(StatusPage) / sizeof *words; ++i)
            words[i] = random();
        own->situation.sequence = 2;
        own->situation.begun = own->begun();
        own->situation.moves = own->traffic.moves();
        const PageView view = PageView::of(*own);
        CHECK(view.calls.size() < StatusPage::kCalls);
        CHECK(view.communicators.size() <= StatusPage::kCommunicators);
        for (const PageView::Lock& lock : view.locks)
            CHECK((lock.target >= 0 && lock.holder >= 0));
        for (const char c : view.situation ? view.situation->text : "")
            CHECK((c >= ' ' && c <= '~'));
    }
}

TEST_CASE("what is no page of this version is not mapped")
{
    CHECK_FALSE(StatusMemory::open({}));
    tutti::base::UniqueFd other(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    REQUIRE(::ftruncate(other.get(), sizeof(StatusPage)) == 0);
    CHECK_FALSE(StatusMemory::open(tutti::base::UniqueFd(::dup(other.get()))));  // it could shrink
    REQUIRE(::fcntl(other.get(), F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    CHECK_FALSE(StatusMemory::open(std::move(other)));  // no magic number
    StatusMemory own = StatusMemory::create();
    own->magic = StatusPage::kMagic + 1;
    CHECK_FALSE(StatusMemory::open(own.take_descriptor()));
}
