// The shared algorithms between two ranks: long data that the other one reads in place goes as a message, all
// else in chunks.
#include "collectives/streamed_or_sent.hpp"

#include "collectives/functions.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test::streamed_or_sent_tests {

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
    constexpr std::size_t kLong = kToldFromBytes;
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

            const Settings copied = settings_of(mode, false);
            CHECK(messages_of_broadcast(copied, 2, root, 10 * kLong / 4) == 0);
            CHECK(messages_of_reduce(copied, 2, root, 10 * kLong / sizeof(Affine)) == 0);
        }
    }
}

TEST_CASE("more than two ranks, and ranks that share cores, leave chunks")
{
    Settings settings = settings_of(SendMode::eager, true);
    CHECK(messages_of_broadcast(settings, 3, 1, kToldFromBytes) == 0);
    CHECK(messages_of_reduce(settings, 3, 1, kToldFromBytes) == 0);
    settings.placement.more_ranks_than_cores = true;
    CHECK(messages_of_broadcast(settings, 2, 1, kToldFromBytes) == 0);
    CHECK(messages_of_reduce(settings, 2, 1, kToldFromBytes) == 0);
}

}  // namespace tutti::collectives::test::streamed_or_sent_tests
