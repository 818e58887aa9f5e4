// The names under which calls appear in a timeline.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/profile/trace.hpp"

namespace tutti::launcher {

enum class TraceKind : std::uint8_t { send, receive, collective, wait, other };
inline constexpr std::array<std::string_view, 5> kTraceKinds = {"send", "receive", "collective", "wait",
                                                                "other"};

struct TraceName {
    std::string name;  // "allreduce", "wait for a receive"
    TraceKind kind = TraceKind::other;
    std::string algorithm;  // of a collective; empty: there is only one, or none
};

TraceName name_of(const observe::CallWords& call);
/// Whether the call's peer and tag mean something.
bool has_peer(const observe::CallWords& call) noexcept;
bool has_tag(const observe::CallWords& call) noexcept;
/// "world", "rows", "communicator 0.3".
std::string communicator_of(const RankTrace& rank, std::uint64_t context);
/// How a rank's lines are called: "rank 3", "rank 3, thread 2".
std::string line_name(int rank, std::uint32_t thread);
/// "rank 3: 1234 older calls and 5 older messages were dropped"; empty if none were.
std::string dropped_in_words(const RankTrace& rank);

/// What a reader of the timeline must know: what is missing in it, and how exact its times are.
std::vector<std::string> notes_of(const JobTrace& trace);

/// With U+FFFD in place of bytes that are no UTF-8.
std::string valid_text(std::string_view text);
/// As a JSON string, with its quotes. Bytes that are no UTF-8 become U+FFFD, and nothing in it can end a
/// script of a page.
std::string json_text(std::string_view text);

}  // namespace tutti::launcher
