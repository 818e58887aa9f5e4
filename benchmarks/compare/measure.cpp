#include "benchmarks/compare/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "benchmarks/launch/launch_timing.hpp"

namespace tutti::bench {

namespace {

namespace fs = std::filesystem;

// A folder of our own for the results that the suites write, gone at the end.
class ScratchFolder {
public:
    ScratchFolder()
    {
        std::string pattern = (fs::temp_directory_path() / "tutti-compare-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error(fmt::format("cannot make a folder like {}", pattern));
        path_ = pattern;
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder()
    {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

// The suite's first column, whatever it is called there.
double key_of(const nlohmann::json& result)
{
    if (result.contains("size_bytes"))
        return result["size_bytes"];
    return result.contains("key") ? double{result["key"]} : 0.0;
}

// Adds the rows of one run. False when the suite wrote none.
bool add_rows(const fs::path& file, const std::string& library, Rows& rows)
{
    std::ifstream stream(file);
    const nlohmann::json document = nlohmann::json::parse(stream, nullptr, false);
    if (document.is_discarded() || document["results"].empty())
        return false;
    for (const auto& result : document["results"]) {
        for (const double value : result["repetitions"])
            rows[key_of(result)][library].push_back(value);
    }
    return true;
}

int ranks_of(const Case& which, const Hosts& hosts)
{
    return which.over_hosts ? which.ranks * static_cast<int>(hosts.names.size()) : which.ranks;
}

Rows measure_launch(const Case& which, const std::vector<Contender>& contenders, const Hosts& hosts,
                    const Thoroughness& thoroughness, int& failures)
{
    Rows rows;
    const auto seconds =
        time_launches(contenders, ranks_of(which, hosts), hosts,
                      thoroughness.quick ? 1 : thoroughness.repetitions, thoroughness.timeout_seconds);
    for (const auto& [library, times] : seconds) {
        for (const double time : times)
            rows[0.0][library].push_back(time * 1000);
    }
    for (const Contender& contender : contenders)
        failures += seconds.contains(contender.name) ? 0 : 1;
    return rows;
}

}  // namespace

Rows measure_case(const Case& which, const std::vector<Contender>& contenders, const Hosts& hosts,
                  const Thoroughness& thoroughness, int& failures)
{
    if (which.arguments.empty())
        return measure_launch(which, contenders, hosts, thoroughness, failures);
    const ScratchFolder scratch;
    const int repetitions = which.once || thoroughness.quick ? 1 : thoroughness.repetitions;
    Rows rows;
    std::set<std::string> failed;
    // Contenders inside, repetitions outside: what drifts on the machine drifts for all of them.
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        for (const Contender& contender : contenders) {
            if (failed.contains(contender.name) || (contender.name == "mpich" && !which.with_mpich))
                continue;
            const fs::path file = scratch.path() / fmt::format("{}-{}.json", contender.name, repetition);
            std::vector<std::string> arguments = thoroughness.quick ? which.quick : which.arguments;
            arguments.insert(arguments.end(), {"--json", file.string()});
            const auto command = contender.command(ranks_of(which, hosts), which.binding, hosts,
                                                   contender.benchmark, arguments);
            const Outcome outcome = run_program(command, contender_variables(), thoroughness.timeout_seconds);
            if (!outcome.good() || !add_rows(file, contender.name, rows)) {
                failed.insert(contender.name);
                ++failures;
                fmt::print(stderr, "{}", describe_failure(command, outcome));
            }
        }
    }
    return rows;
}

}  // namespace tutti::bench
