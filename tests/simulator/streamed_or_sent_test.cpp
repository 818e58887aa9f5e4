// Between two ranks: long data that the other one reads in place goes as a message, all else in chunks.
#include "collectives/framework/streamed_or_sent.hpp"

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

namespace {

Settings settings_of(SendMode mode, bool reads_in_place)
{
    Settings settings = settings_for(mode);
    settings.reads_in_place = reads_in_place;
    return settings;
}

std::size_t messages_of_broadcast(const Settings& settings, int ranks, int root, std::size_t count)
{
    const std::vector<std::int32_t> expected = integer_operand(root, count);
    std::vector<std::vector<std::int32_t>> data(static_cast<std::size_t>(ranks),
                                                std::vector<std::int32_t>(count, -1));
    data[static_cast<std::size_t>(root)] = expected;
    const Report report = simulate(ranks, settings, [&](Group& group) {
        return broadcast_shared(group, bytes_of(data[static_cast<std::size_t>(group.rank())]), root);
    });
    REQUIRE(report.problems() == "");
    for (const std::vector<std::int32_t>& own : data)
        REQUIRE(own == expected);
    return report.messages_sent();
}

std::size_t messages_of_reduce(const Settings& settings, int ranks, int root, std::size_t count)
{
    std::vector<std::vector<Affine>> in;
    for (int rank = 0; rank < ranks; ++rank)
        in.push_back(affine_operand(rank, count));
    std::vector<Affine> out(count);
    const Report report = simulate(ranks, settings, [&](Group& group) {
        const bool is_root = group.rank() == root;
        return reduce_shared(group, bytes_of(in[static_cast<std::size_t>(group.rank())]).data(),
                             {is_root ? bytes_of(out).data() : nullptr, count, sizeof(Affine)}, root,
                             kAffineThen);
    });
    REQUIRE(report.problems() == "");
    REQUIRE(out == affine_result(ranks, count));
    return report.messages_sent();
}

}  // namespace

TEST_CASE("long data of two ranks goes as a message where it is read in place")
{
    constexpr std::size_t kLong = kMessageFromBytes;
    for (const SendMode mode : kModes) {
        for (const int root : {0, 1}) {
            const Settings in_place = settings_of(mode, true);
            for (const std::size_t bytes : {kLong, kLong + 4, 10 * kLong})
                CHECK(messages_of_broadcast(in_place, 2, root, bytes / 4) == 1);
            for (const std::size_t bytes : {std::size_t{0}, std::size_t{4}, kLong - 4})
                CHECK(messages_of_broadcast(in_place, 2, root, bytes / 4) == 0);
            CHECK(messages_of_reduce(in_place, 2, root, kLong / sizeof(Affine)) == 1);
            CHECK(messages_of_reduce(in_place, 2, root, 10 * kLong / sizeof(Affine)) == 1);
            CHECK(messages_of_reduce(in_place, 2, root, kLong / sizeof(Affine) - 1) == 0);

            Settings copied = settings_of(mode, false);
            CHECK(messages_of_broadcast(copied, 2, root, 10 * kLong / 4) == 0);
            copied.may_read_in_place = true;  // so the writer tells that chunks follow
            CHECK(messages_of_broadcast(copied, 2, root, 10 * kLong / 4) == 0);
            CHECK(messages_of_reduce(copied, 2, root, 10 * kLong / sizeof(Affine)) == 0);
        }
    }
}

TEST_CASE("two ranks exchange long data as messages where it may be read in place")
{
    constexpr std::size_t kLong = kMessageFromBytes;
    const auto messages_of_allreduce = [](const Settings& settings, std::size_t count) {
        std::vector<std::vector<Affine>> data{affine_operand(0, count), affine_operand(1, count)};
        const Report report = simulate(2, settings, [&](Group& group) {
            const Buffer own = buffer_of(data[static_cast<std::size_t>(group.rank())]);
            return allreduce(group, own.data, own, kAffineThen);
        });
        REQUIRE(report.problems() == "");
        REQUIRE(data[0] == affine_result(2, count));
        REQUIRE(data[1] == data[0]);
        return report.messages_sent();
    };
    // Rank r has elements of 10 r + s for rank s.
    const auto messages_of_alltoall = [](const Settings& settings, std::size_t count, bool in_place) {
        std::vector<std::vector<std::int32_t>> in(2), out(2, std::vector<std::int32_t>(2 * count, -1));
        std::vector<std::vector<std::int32_t>> expected(2);
        for (const int rank : {0, 1})
            for (const int other : {0, 1}) {
                const auto at = static_cast<std::size_t>(rank);
                in[at].insert(in[at].end(), count, 10 * rank + other);
                expected[at].insert(expected[at].end(), count, 10 * other + rank);
            }
        if (in_place)
            out = in;
        const Report report = simulate(2, settings, [&](Group& group) {
            const auto rank = static_cast<std::size_t>(group.rank());
            return in_place ? alltoall_in_place(group, bytes_of(out[rank]))
                            : alltoall(group, bytes_of(in[rank]).data(), bytes_of(out[rank]));
        });
        REQUIRE(report.problems() == "");
        REQUIRE(out == expected);
        return report.messages_sent();
    };
    const auto messages_of_allgather = [](const Settings& settings, std::size_t count) {
        std::vector<std::vector<std::int32_t>> all(2, std::vector<std::int32_t>(2 * count, -1));
        std::vector<std::vector<std::int32_t>> own{integer_operand(0, count), integer_operand(1, count)};
        std::vector<std::int32_t> expected = own[0];
        expected.insert(expected.end(), own[1].begin(), own[1].end());
        const Report report = simulate(2, settings, [&](Group& group) {
            const auto rank = static_cast<std::size_t>(group.rank());
            return allgather(group, bytes_of(own[rank]).data(), bytes_of(all[rank]));
        });
        REQUIRE(report.problems() == "");
        REQUIRE(all[0] == expected);
        REQUIRE(all[1] == expected);
        return report.messages_sent();
    };
    for (const SendMode mode : kModes) {
        Settings settings = settings_of(mode, false);
        for (const bool may : {false, true}) {
            settings.may_read_in_place = may;
            const std::size_t sent = may ? 2 : 0;
            for (const std::size_t bytes : {kLong, 2 * kLong}) {
                CHECK(messages_of_allreduce(settings, bytes / sizeof(Affine)) == sent);
                CHECK(messages_of_alltoall(settings, bytes / 4, false) == sent);
                CHECK(messages_of_alltoall(settings, bytes / 4, true) == sent);
                CHECK(messages_of_allgather(settings, bytes / 4) == sent);
            }
            CHECK(messages_of_allreduce(settings, kLong / sizeof(Affine) - 1) == 0);
            CHECK(messages_of_alltoall(settings, kLong / 4 - 1, false) == 0);
            CHECK(messages_of_allgather(settings, kLong / 4 - 1) == 0);
        }
    }
}

TEST_CASE("a root sends long data to all that read it in place, and tells when chunks follow")
{
    constexpr std::size_t kLong = kMessagesToAllFromBytes;
    for (const SendMode mode : kModes)
        for (const bool in_place : {true, false})
            for (const int ranks : {2, 3, 5}) {
                Settings settings = settings_of(mode, in_place);
                settings.may_read_in_place = true;
                settings.placement.more_ranks_than_cores = true;
                const auto sent = in_place ? static_cast<std::size_t>(ranks - 1) : 0;
                for (const int root : {0, ranks - 1})
                    for (const std::size_t bytes : {kLong, 2 * kLong + 4})
                        CHECK(messages_of_broadcast(settings, ranks, root, bytes / 4) == sent);
                CHECK(messages_of_broadcast(settings, ranks, 1, kLong / 4 - 1) == 0);
            }
}

TEST_CASE("more than two ranks, and ranks that share cores, leave chunks of shorter data")
{
    Settings settings = settings_of(SendMode::eager, true);
    CHECK(messages_of_broadcast(settings, 3, 1, kMessageFromBytes) == 0);
    CHECK(messages_of_reduce(settings, 3, 1, kMessageFromBytes) == 0);
    settings.placement.more_ranks_than_cores = true;
    CHECK(messages_of_broadcast(settings, 2, 1, kMessageFromBytes) == 0);
    CHECK(messages_of_reduce(settings, 2, 1, kMessageFromBytes) == 0);
}

}  // namespace tutti::collectives::test
