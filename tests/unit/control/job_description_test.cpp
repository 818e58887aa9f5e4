#include "lib/foundation/control/job_description.hpp"

#include <random>

#include <catch2/catch.hpp>

using tutti::control::JobDescription;

namespace {

void check_copy(const JobDescription& job)
{
    const auto copy = JobDescription::from_text(job.to_text());
    REQUIRE(copy);
    CHECK(copy->key == job.key);
    CHECK(copy->hosts == job.hosts);
    CHECK(copy->node_of_rank == job.node_of_rank);
}

}  // namespace

TEST_CASE("a description of a job arrives as it was")
{
    check_copy({"abc", {"a"}, {0}});
    check_copy({"0f", {"a", "b.org", "c"}, {0, 0, 0, 2, 1, 1, 0}});
    check_copy({"0f", {"a", "b"}, std::vector<int>(10'000, 1)});
    CHECK(JobDescription{"0f", {"a", "b"}, std::vector<int>(10'000, 1)}.to_text() == "0f 2 a b 1x10000");
}

TEST_CASE("what is no description of a job is refused")
{
    for (const char* const text :
         {"", "key", "key x", "key 1", "key 1 a", "key 2 a 0x1", "key 1 a 1x1", "key 1 a -1x1", "key 1 a 0y1",
          "key 1 a 0x", "key 1 a 0x99999999999", "key 1 a 0x1 junk", "key 99999999999999999999 a 0x1"}) {
        CAPTURE(text);
        CHECK_FALSE(JobDescription::from_text(text));
    }
    std::minstd_rand random(1);
    const std::string whole = JobDescription{"0f", {"a", "b"}, {0, 0, 1}}.to_text();
    for (int repetition = 0; repetition < 2'000; ++repetition) {
        std::string text = whole;
        text[random() % text.size()] = static_cast<char>(random());
        const auto job = JobDescription::from_text(text);
        for (const int node : job ? job->node_of_rank : std::vector<int>()) {
            REQUIRE(node >= 0);
            REQUIRE(static_cast<std::size_t>(node) < job->hosts.size());
        }
    }
}
