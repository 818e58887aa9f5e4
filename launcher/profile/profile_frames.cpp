#include "launcher/profile/profile_frames.hpp"

#include <algorithm>
#include <utility>

#include "launcher/wire/codec.hpp"

namespace tutti::launcher {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
/// Of one rank, without the calls and messages of its timeline: more than its largest profile.
constexpr std::size_t kMostProfileBytes = std::size_t{64} << 20;
/// The rank's ring, and the call in which it has ended.
constexpr std::size_t kMostEvents = observe::ProfileHeader::kMostEvents + 1;

enum class Kind : std::uint8_t { piece, last_piece, trace };

template <class Entry>
void append(std::vector<Entry>& entries, const std::vector<Entry>& more)
{
    if (entries.size() + more.size() > kMostEvents)
        throw WireError("a timeline without an end");
    entries.insert(entries.end(), more.begin(), more.end());
}

}  // namespace

std::string piece_of(int rank, const TraceChunk& chunk)
{
    return encode(std::int32_t{rank}, Kind::trace, chunk);
}

std::vector<std::string> pieces_of(const RankProfile& profile)
{
    const std::string bytes = encode(profile);
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
        const bool last = at + kPieceBytes >= bytes.size();
        pieces.push_back(WireWriter()
                             .put(profile.rank)
                             .put(static_cast<std::uint8_t>(last ? Kind::last_piece : Kind::piece))
                             .put_rest(std::string_view(bytes).substr(at, kPieceBytes))
                             .bytes());
    }
    return pieces;
}

std::optional<RankProfile> ProfileParts::add(std::string_view payload)
{
    WireReader reader(payload);
    const auto rank = reader.number<std::int32_t>();
    const auto kind = static_cast<Kind>(reader.number<std::uint8_t>());
    Part& part = parts_[rank];
    if (kind == Kind::trace) {
        const auto more = decode<TraceChunk>(reader.rest());
        append(part.trace.calls, more.calls);
        append(part.trace.messages, more.messages);
        return std::nullopt;
    }
    part.bytes += reader.rest();
    if (part.bytes.size() > kMostProfileBytes)
        throw WireError("a profile without an end");
    if (kind == Kind::piece)
        return std::nullopt;
    Part whole = std::move(parts_.extract(rank).mapped());
    RankProfile profile = decode<RankProfile>(whole.bytes);
    if (profile.rank != rank)
        throw WireError("a profile of another rank");
    profile.last_calls = std::move(whole.trace.calls);
    profile.last_messages = std::move(whole.trace.messages);
    return profile;
}

}  // namespace tutti::launcher
