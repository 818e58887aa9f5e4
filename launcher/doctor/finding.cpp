#include "launcher/doctor/finding.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "launcher/base/version.hpp"

namespace tutti::launcher::doctor {

std::string format(const Finding& finding)
{
    const char* const mark = finding.level == Level::good      ? "[ok]   "
                             : finding.level == Level::warning ? "[warn] "
                                                               : "[FAIL] ";
    std::string result;
    std::istringstream lines(finding.text + (finding.remedy.empty() ? "" : "\n" + finding.remedy));
    for (std::string line; std::getline(lines, line);)
        result += (result.empty() ? mark : "       ") + line + "\n";
    return result;
}

std::size_t Findings::count(Level level) const
{
    return static_cast<std::size_t>(std::ranges::count(findings_, level, &Finding::level));
}

std::string Findings::summary() const
{
    const std::size_t warnings = count(Level::warning);
    const std::size_t failures = count(Level::failure);
    return fmt::format("{} warning{}, {} failure{}", warnings, warnings == 1 ? "" : "s", failures,
                       failures == 1 ? "" : "s");
}

std::string Findings::to_json(const std::vector<std::string>& hosts, bool complete) const
{
    using Json = nlohmann::ordered_json;
    Json document = {{"version", kVersion},
                     {"complete", complete},
                     {"hosts", hosts},
                     {"warnings", count(Level::warning)},
                     {"failures", count(Level::failure)},
                     {"findings", Json::array()}};
    for (const Finding& finding : findings_) {
        const char* const level = finding.level == Level::good      ? "ok"
                                  : finding.level == Level::warning ? "warning"
                                                                    : "failure";
        Json entry = {
            {"check", finding.check}, {"level", level}, {"hosts", finding.hosts}, {"text", finding.text}};
        if (!finding.remedy.empty())
            entry["remedy"] = finding.remedy;
        for (const auto& [name, value] : finding.values)
            entry[name] = value;
        document["findings"].push_back(std::move(entry));
    }
    // The output of ssh may not be UTF-8.
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tutti::launcher::doctor
