// Profiles in frames: in pieces, so that no frame is large. Calls and messages of a timeline come first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/profile/rank_profile.hpp"
#include "launcher/profile/trace_read.hpp"

namespace tutti::launcher {

/// The payload of a frame with some of a rank's last calls and messages, before its profile.
std::string piece_of(int rank, const TraceChunk& chunk);
/// The payloads of the frames that carry a profile.
std::vector<std::string> pieces_of(const RankProfile& profile);

/// Puts the pieces of many ranks together.
class ProfileParts {
public:
    /// The profile whose last piece this is. Throws WireError.
    std::optional<RankProfile> add(std::string_view payload);

private:
    struct Part {
        TraceChunk trace;
        std::string bytes;
    };

    std::map<std::int32_t, Part> parts_;
};

}  // namespace tutti::launcher
