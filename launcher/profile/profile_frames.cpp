#include "launcher/profile/profile_frames.hpp"

#include <algorithm>
#include <utility>

#include "launcher/wire/codec.hpp"

namespace tutti::launcher {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
/// Of one rank: more than its largest profile.
constexpr std::size_t kMostProfileBytes = std::size_t{4} << 30;

}  // namespace

std::vector<std::string> pieces_of(const RankProfile& profile)
{
    const std::string bytes = encode(profile);
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
        const bool last = at + kPieceBytes >= bytes.size();
        pieces.push_back(WireWriter()
                             .put(profile.rank)
                             .put(std::uint8_t{last})
                             .put_rest(std::string_view(bytes).substr(at, kPieceBytes))
                             .bytes());
    }
    return pieces;
}

std::optional<RankProfile> ProfileParts::add(std::string_view payload)
{
    WireReader reader(payload);
    const auto rank = reader.number<std::int32_t>();
    const bool last = reader.number<std::uint8_t>() != 0;
    std::string& part = parts_[rank];
    part += reader.rest();
    if (part.size() > kMostProfileBytes)
        throw WireError("a profile without an end");
    if (!last)
        return std::nullopt;
    const std::string whole = std::move(parts_.extract(rank).mapped());
    RankProfile profile = decode<RankProfile>(whole);
    if (profile.rank != rank)
        throw WireError("a profile of another rank");
    return profile;
}

}  // namespace tutti::launcher
