// The matcher's rules, one at a time. model_test.cpp mixes them all.
#include "lib/engine/matching/matcher.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <vector>

#include "tutti/status.hpp"

namespace {

using tutti::any_source;
using tutti::any_tag;
using namespace tutti::matching;

struct Entries {
    PostedReceive& receive(std::uint64_t context, int source, int tag)
    {
        PostedReceive& added = receives.emplace_back();
        added.key = {context, source, tag};
        matcher.post(added);
        return added;
    }
    UnexpectedMessage& message(std::uint64_t context, int source, int tag)
    {
        UnexpectedMessage& added = messages.emplace_back();
        added.envelope = {context, source, tag};
        matcher.add_unexpected(added);
        return added;
    }

    Matcher matcher;
    std::deque<PostedReceive> receives;
    std::deque<UnexpectedMessage> messages;
};

}  // namespace

TEST_CASE("a message goes to the receive that was posted first, whatever its wildcards")
{
    const std::vector<MatchKey> patterns = {
        {1, 3, 7}, {1, 3, any_tag}, {1, any_source, 7}, {1, any_source, any_tag}};
    std::vector<std::size_t> order = {0, 1, 2, 3};
    do {
        Entries entries;
        for (const std::size_t i : order)
            entries.receive(patterns[i].context, patterns[i].source(), patterns[i].tag());
        for (std::size_t i = 0; i < order.size(); ++i)
            REQUIRE(entries.matcher.match_arrival({1, 3, 7}) == &entries.receives[i]);
        REQUIRE(entries.matcher.match_arrival({1, 3, 7}) == nullptr);
        REQUIRE(entries.matcher.posted_count() == 0);
    } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("a receive fits only messages of its context, source and tag")
{
    Entries entries;
    entries.receive(1, 3, 7);
    entries.receive(1, any_source, 8);
    entries.receive(1, 4, any_tag);
    CHECK(entries.matcher.match_arrival({2, 3, 7}) == nullptr);
    CHECK(entries.matcher.match_arrival({1, 2, 7}) == nullptr);
    CHECK(entries.matcher.match_arrival({1, 3, 9}) == nullptr);
    CHECK(entries.matcher.match_arrival({2, 4, 0}) == nullptr);
    CHECK(entries.matcher.match_arrival({1, 99, 8}) == &entries.receives[1]);
    CHECK(entries.matcher.match_arrival({1, 4, 12345}) == &entries.receives[2]);
    CHECK(entries.matcher.match_arrival({1, 3, 7}) == &entries.receives[0]);
}

TEST_CASE("a receive takes the earliest message that fits it, also when wildcard tables are made late")
{
    Entries entries;
    entries.message(1, 5, 50);
    entries.message(1, 4, 40);
    entries.message(1, 4, 41);
    entries.message(2, 0, 0);
    CHECK(entries.matcher.find_unexpected({1, any_source, any_tag}) == &entries.messages[0]);
    CHECK(entries.matcher.find_unexpected({1, 4, any_tag}) == &entries.messages[1]);
    CHECK(entries.matcher.find_unexpected({1, any_source, 41}) == &entries.messages[2]);
    CHECK(entries.matcher.find_unexpected({1, 4, 50}) == nullptr);
    CHECK(entries.matcher.find_unexpected({3, any_source, any_tag}) == nullptr);
    // Added once all tables exist: it must be in each, behind the others.
    entries.message(1, 4, 40);
    entries.matcher.remove_unexpected(entries.messages[0]);
    entries.matcher.remove_unexpected(entries.messages[1]);
    CHECK(entries.matcher.find_unexpected({1, any_source, any_tag}) == &entries.messages[2]);
    CHECK(entries.matcher.find_unexpected({1, 4, any_tag}) == &entries.messages[2]);
    CHECK(entries.matcher.find_unexpected({1, any_source, 40}) == &entries.messages[4]);
    CHECK(entries.matcher.find_unexpected({1, 4, 40}) == &entries.messages[4]);
    CHECK(entries.matcher.unexpected_count() == 3);
    CHECK(entries.matcher.oldest_unexpected() == &entries.messages[2]);
}

TEST_CASE("order holds while the tables grow from one to ten thousand entries of few and of many keys")
{
    const int tags = GENERATE(1, 3, 10'000);
    constexpr int kCount = 10'000;
    Entries entries;
    for (int i = 0; i < kCount; ++i) {
        entries.receive(1, i % 100, i % tags);
        entries.message(2, i % 100, i % tags);
    }
    REQUIRE(entries.matcher.posted_count() == kCount);
    REQUIRE(entries.matcher.unexpected_count() == kCount);
    for (int i = 0; i < kCount; ++i) {
        const auto index = static_cast<std::size_t>(i);
        // The same sequence of keys comes back in the order of posting.
        REQUIRE(entries.matcher.match_arrival({1, i % 100, i % tags}) == &entries.receives[index]);
        UnexpectedMessage* found = entries.matcher.find_unexpected({2, i % 100, i % tags});
        REQUIRE(found == &entries.messages[index]);
        entries.matcher.remove_unexpected(*found);
    }
    CHECK(entries.matcher.posted_count() == 0);
    CHECK(entries.matcher.unexpected_count() == 0);
    CHECK(entries.matcher.oldest_unexpected() == nullptr);
}

TEST_CASE("a withdrawn receive matches nothing, its neighbours still do")
{
    Entries entries;
    for (int i = 0; i < 3; ++i)
        entries.receive(1, any_source, 7);
    entries.matcher.withdraw(entries.receives[1]);
    CHECK(entries.matcher.posted_count() == 2);
    CHECK(entries.matcher.match_arrival({1, 0, 7}) == &entries.receives[0]);
    CHECK(entries.matcher.match_arrival({1, 0, 7}) == &entries.receives[2]);
    CHECK(entries.matcher.match_arrival({1, 0, 7}) == nullptr);
}

TEST_CASE("withdraw_if takes out what fits, all of it before the first is reported")
{
    Entries entries;
    for (int i = 0; i < 200; ++i)
        entries.receive(1, i % 2 == 0 ? 4 : any_source, i % 3 == 0 ? any_tag : i);
    std::size_t reported = 0;
    std::size_t posted_when_reported = 0;
    entries.matcher.withdraw_if([](const PostedReceive& receive) { return receive.key.source() == 4; },
                                [&](PostedReceive& receive) {
                                    ++reported;
                                    posted_when_reported = entries.matcher.posted_count();
                                    CHECK(receive.key.source() == 4);
                                });
    CHECK(reported == 100);
    CHECK(posted_when_reported == 100);
    CHECK(entries.matcher.posted_count() == 100);
    CHECK(entries.matcher.match_arrival({1, 4, 2}) ==
          &entries.receives[3]);  // the first {any_source, any_tag}
}
