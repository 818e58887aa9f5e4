#include "lib/foundation/settings/cores.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "lib/foundation/base/cpus.hpp"
#include "lib/foundation/settings/settings.hpp"
#include "tutti/error.hpp"

namespace tutti::settings {

bool cores_are_shared(int local_ranks)
{
    if (const char* value = value_of("TUTTI_SHARED_CORES"); value != nullptr && *value != '\0') {
        const std::string_view text = value;
        if (text != "0" && text != "1")
            throw Error(
                ErrorCode::invalid_argument, "environment",
                fmt::format("TUTTI_SHARED_CORES={}{} is neither 1 (the ranks of a machine share cores) "
                            "nor 0 (each has its own)",
                            text, origin_of("TUTTI_SHARED_CORES")));
        return text == "1";
    }
    return local_ranks > base::machine_cpus();
}

bool cores_are_crowded(int local_ranks)
{
    // Measured with `tutti-bench ring` at 8 to 32 ranks on 2 cores.
    constexpr double kRanksACore = 8;
    return local_ranks > kRanksACore * base::machine_cpus();
}

int cores_owned(int local_ranks)
{
    if (const char* value = value_of("TUTTI_CORES"); value != nullptr && *value != '\0') {
        const std::string_view text = value;
        int cores = 0;
        const auto [end, error] = std::from_chars(text.begin(), text.end(), cores);
        if (error != std::errc() || end != text.end() || cores < 1)
            throw Error(ErrorCode::invalid_argument, "environment",
                        fmt::format("TUTTI_CORES={}{} is no number of cores of a rank; write for "
                                    "example TUTTI_CORES=4",
                                    text, origin_of("TUTTI_CORES")));
        return cores;
    }
    if (cores_are_shared(local_ranks))
        return 1;
    const int share = static_cast<int>(base::machine_cpus() / std::max(1, local_ranks));
    cpu_set_t allowed;
    const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    return std::max(1, known ? std::min(share, CPU_COUNT(&allowed)) : share);
}

}  // namespace tutti::settings
