#include "benchmarks/launch/launch_timing.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <set>

namespace tutti::bench {

std::map<std::string, std::vector<double>> time_launches(const std::vector<Contender>& contenders, int ranks,
                                                         const Hosts& hosts, int repetitions,
                                                         double timeout_seconds)
{
    std::map<std::string, std::vector<double>> seconds;
    std::set<std::string> failed;
    for (int repetition = -1; repetition < repetitions; ++repetition) {  // the first brings files into memory
        for (const Contender& contender : contenders) {
            if (failed.contains(contender.name) || !contender.offers("launch"))
                continue;
            const auto command = contender.command(ranks, Binding::none, hosts, contender.empty, {});
            const Outcome outcome = run_program(command, contender_variables(), timeout_seconds);
            if (!outcome.good()) {
                failed.insert(contender.name);
                fmt::print(stderr, "{}", describe_failure(command, outcome));
            } else if (repetition >= 0) {
                seconds[contender.name].push_back(outcome.seconds);
            }
        }
    }
    return seconds;
}

}  // namespace tutti::bench
