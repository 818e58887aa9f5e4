// The findings of --doctor, as lines for people and as a document for programs.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::launcher::doctor {

enum class Level { good, warning, failure };

struct Finding {
    Level level = Level::good;
    std::string text;
    std::string remedy{};  // empty where all is well
    // For programs that read findings:
    std::string check{};                     // the check: "cores", "clock"
    std::vector<std::string> hosts{};        // that it is about; of a probe from and to
    std::map<std::string, double> values{};  // "latency_us": 21.5

    Finding about(std::string its_check, std::vector<std::string> its_hosts,
                  std::map<std::string, double> its_values = {}) const
    {
        return {level, text, remedy, std::move(its_check), std::move(its_hosts), std::move(its_values)};
    }
};

inline Finding good(std::string text)
{
    return {Level::good, std::move(text)};
}
inline Finding warning(std::string text, std::string remedy)
{
    return {Level::warning, std::move(text), std::move(remedy)};
}
inline Finding failure(std::string text, std::string remedy)
{
    return {Level::failure, std::move(text), std::move(remedy)};
}

/// "[ok]   text", or "[warn]" and "[FAIL]" with the remedy in lines of its own.
std::string format(const Finding& finding);

/// All findings so far.
class Findings {
public:
    void add(Finding finding) { findings_.push_back(std::move(finding)); }
    std::size_t count(Level level) const;
    /// "2 warnings, 0 failures"
    std::string summary() const;
    /// A JSON document (docs/guide/doctor.md has its members). `complete`: all checks were made.
    std::string to_json(const std::vector<std::string>& hosts, bool complete) const;

private:
    std::vector<Finding> findings_;
};

}  // namespace tutti::launcher::doctor
