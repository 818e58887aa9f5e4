// What the checks of a rank have found: printed once for each place, and counted.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "lib/core/check/call_site.hpp"

namespace tutti::check {

/// In the order of the summary.
enum class Kind : unsigned char { type, buffer, request, message, handle, thread, race };
inline constexpr std::size_t kKinds = 7;

class Findings {
public:
    /// `fails`: the process then ends with kFindingsStatus, if it would have ended with 0.
    Findings(int rank, std::string host, bool fails);

    /// `text` says what is wrong and the remedy. Only the first finding of a kind at a place is printed;
    /// without a site each text is a place.
    void add(Kind kind, const Site& site, const std::string& text);
    /// Prints how often findings came again, and the summary. Nothing if there are none.
    void conclude();

private:
    void say(const std::string& text) const;

    const int rank_;
    const std::string host_;
    const bool fails_;
    std::map<std::pair<Kind, std::string>, std::size_t> times_;  // by place
    std::array<std::size_t, kKinds> counts_{};
};

/// As that of ThreadSanitizer.
inline constexpr int kFindingsStatus = 66;

}  // namespace tutti::check
