// Profiles in frames: in pieces, so that no frame is large.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/profile/rank_profile.hpp"

namespace tutti::launcher {

/// The payloads of the frames that carry a profile.
std::vector<std::string> pieces_of(const RankProfile& profile);

/// Puts the pieces of many ranks together.
class ProfileParts {
public:
    /// The profile whose last piece this is. Throws WireError.
    std::optional<RankProfile> add(std::string_view payload);

private:
    std::map<std::int32_t, std::string> parts_;
};

}  // namespace tutti::launcher
