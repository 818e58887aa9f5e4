// Ranks whose TUTTI_ variables differ: their values are right, or the job ends soon and its last words name
// what both chose. No wait for ever, no cut message, no wrong value.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "collectives/choice/catalogue.hpp"
#include "tests/multiprocess/launched.hpp"
#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;
namespace collectives = tutti::collectives;

namespace {

/// Variables of a rank; "NAME=value" each.
using Settings = std::vector<std::string>;

/// Who is where: ranks of one host that share its cores, that have their own, and of two hosts.
enum class Place { shared_cores, own_cores, two_hosts };

struct Job {
    Place place = Place::own_cores;
    int ranks = 3;
    bool odd_is_first = true;  // the rank whose settings differ; else it is the last
    std::string longest = "300";
};

Words application(int ranks, const Job& job, const Settings& settings)
{
    Words words{"-n", std::to_string(ranks)};
    for (const std::string& setting : settings)
        words.insert(words.end(), {"-x", setting});
    if (std::ranges::none_of(settings,
                             [](const auto& one) { return one.starts_with("TUTTI_SHARED_CORES="); }))
        words.insert(words.end(), {"-x", job.place == Place::shared_cores ? "TUTTI_SHARED_CORES=1"
                                                                          : "TUTTI_SHARED_CORES=0"});
    words.insert(words.end(), {program("api_every_collective"), job.longest});
    return words;
}

Result run(const Job& job, const Settings& odd, const Settings& others)
{
    const Words one = application(1, job, odd);
    const Words rest = application(job.ranks - 1, job, others);
    Words words{"--timeout", kSanitized ? "60" : "15"};
    const Words& first = job.odd_is_first ? one : rest;
    const Words& second = job.odd_is_first ? rest : one;
    words.insert(words.end(), first.begin(), first.end());
    words.emplace_back(":");
    words.insert(words.end(), second.begin(), second.end());
    return tuttirun(job.place == Place::two_hosts ? on_hosts({2, job.ranks - 2}, words) : words);
}

void check_right_or_reported(const Job& job, const Settings& odd, const Settings& others)
{
    const Result result = run(job, odd, others);
    CAPTURE(static_cast<int>(job.place), job.ranks, job.odd_is_first, odd, others, result.err);
    if (result.status == 0) {
        CHECK(result.err == "");
        return;
    }
    CHECK(result.status == 1);
    CHECK_THAT(result.err, Catch::Matches("[^]*this rank calls [^]*, by [a-z_]+[^]*rank [0-9]+ of the "
                                          "communicator [^]*, by [a-z_]+[^]*"));
    CHECK(contains(result.err, "set the same TUTTI_ variables at all ranks"));
}

/// The settings that name each algorithm of a collective, and one that names none.
std::vector<Settings> settings_of(const collectives::CollectiveEntry& collective)
{
    std::vector<Settings> all{{}};
    for (const auto& algorithm : collective.algorithms) {
        const std::string named = std::string(collective.variable) + "=" + std::string(algorithm.name);
        all.push_back({named});
        if (algorithm.has_segments)
            all.push_back({named + ":68"});
    }
    return all;
}

/// A file of rules for a test's time.
class RulesFile {
public:
    explicit RulesFile(std::string_view text) : name_(file_name()) { std::ofstream(name_) << text; }
    ~RulesFile() { std::filesystem::remove(name_); }
    RulesFile(const RulesFile&) = delete;
    RulesFile& operator=(const RulesFile&) = delete;

    std::string setting() const { return "TUTTI_RULES=" + name_.string(); }

private:
    static std::filesystem::path file_name()
    {
        static int number = 0;
        return std::filesystem::temp_directory_path() /
               ("tutti-rules-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".json");
    }

    std::filesystem::path name_;
};

}  // namespace

TEST_CASE("ranks that choose different algorithms are told so", "[mixed]")
{
    const Place place = GENERATE(Place::shared_cores, Place::own_cores, Place::two_hosts);
    for (std::size_t index = 0; index < collectives::catalogue().size(); ++index) {
        if (index % 3 != static_cast<std::size_t>(place))
            continue;  // each in one place; `every pair` has them in all
        const std::vector<Settings> all = settings_of(collectives::catalogue()[index]);
        const std::size_t one = 1 + index / 3 % (all.size() - 1);
        check_right_or_reported({.place = place, .ranks = 4}, all[one], all[(one + 1) % all.size()]);
    }
}

TEST_CASE("the same algorithm in segments of different sizes", "[mixed]")
{
    const std::string variable = GENERATE("TUTTI_BROADCAST=chain:", "TUTTI_REDUCE=chain:");
    const Result result = run({}, {variable + "64"}, {variable + "68"});
    CAPTURE(result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "by chain in segments of 64 B"));
    CHECK(contains(result.err, "by chain in segments of 68 B"));
}

TEST_CASE("different files of rules", "[mixed]")
{
    const Place place = GENERATE(Place::own_cores, Place::two_hosts);
    const RulesFile one(R"({"broadcast": [{"algorithm": "chain", "segment_bytes": 64}]})");
    const RulesFile other(R"({"broadcast": [{"min_bytes": 100, "algorithm": "binomial"}]})");
    const Job job{.place = place, .ranks = 4};
    check_right_or_reported(job, {one.setting()}, {other.setting()});
    if (place == Place::two_hosts)
        return;
    check_right_or_reported(job, {one.setting()}, {});
    const RulesFile same(
        R"({"comment": "likewise", "broadcast": [{"algorithm": "chain", "segment_bytes": 64}]})");
    CHECK(run(job, {one.setting()}, {same.setting()}).status == 0);
}

TEST_CASE("other algorithms for the steps of the same one", "[mixed]")
{
    const Settings by_nodes{"TUTTI_ALLREDUCE=hierarchical", "TUTTI_BARRIER=dissemination"};
    Settings odd = by_nodes;
    odd.emplace_back("TUTTI_REDUCE=knomial");
    const Result result = run({.place = Place::two_hosts, .ranks = 4}, odd, by_nodes);
    CAPTURE(result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "chooses the algorithms of its steps otherwise"));
    CHECK(contains(result.err, "TUTTI_ALLREDUCE=hierarchical"));
}

TEST_CASE("what ranks settle among themselves may differ", "[mixed]")
{
    const auto [setting, place, odd_is_first] =
        GENERATE(table<std::string, Place, bool>({{"TUTTI_SHARED_CORES=1", Place::own_cores, true},
                                                  {"TUTTI_SHARED_CORES=1", Place::own_cores, false},
                                                  {"TUTTI_SHARED_CORES=1", Place::two_hosts, true},
                                                  {"TUTTI_EAGER_LIMIT=0", Place::own_cores, true},
                                                  {"TUTTI_EAGER_LIMIT=1M", Place::two_hosts, true},
                                                  {"TUTTI_UNEXPECTED_LIMIT=4096", Place::own_cores, true},
                                                  {"TUTTI_PROGRESS=thread", Place::two_hosts, true},
                                                  {"TUTTI_CORES=2", Place::own_cores, true}}));
    const Job job{.place = place, .odd_is_first = odd_is_first, .longest = "100"};
    const Result result = run(job, {setting}, {});
    CAPTURE(static_cast<int>(place), odd_is_first, setting, result.err);
    CHECK(result.status == 0);
    CHECK(result.err == "");
}

// A quarter of an hour: meson test --benchmark every_pair_of_algorithms.
TEST_CASE("all pairs of all collectives' algorithms", "[.][every pair]")
{
    Job job;
    job.place = GENERATE(Place::shared_cores, Place::own_cores, Place::two_hosts);
    job.ranks = GENERATE(3, 4);
    job.odd_is_first = GENERATE(true, false);
    job.longest = job.odd_is_first ? "300" : "9000";
    for (const collectives::CollectiveEntry& collective : collectives::catalogue()) {
        const std::vector<Settings> all = settings_of(collective);
        for (const Settings& one : all) {
            for (const Settings& other : all) {
                if (one != other)
                    check_right_or_reported(job, one, other);
            }
        }
    }
}
