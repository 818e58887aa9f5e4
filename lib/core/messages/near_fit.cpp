#include "lib/core/messages/near_fit.hpp"

#include <fmt/format.h>

#include "lib/core/job/process.hpp"

namespace tutti::detail {

namespace {

// So many unexpected messages are looked at, the oldest.
constexpr std::size_t kNearestAmong = 256;

// The less, the nearer; kFar: something else.
enum Distance { kOtherTag, kOtherSource, kOtherCommunicator, kFar };

Distance distance(const matching::MatchKey& wanted, const matching::MatchKey& message)
{
    const bool same_source = wanted.source() == any_source || wanted.source() == message.source();
    const bool same_tag = wanted.tag() == any_tag || wanted.tag() == message.tag();
    if (wanted.context == message.context)
        return same_source ? (same_tag ? kFar : kOtherTag) : (same_tag ? kOtherSource : kFar);
    const bool internal = (message.context & 1) != 0;  // of a collective
    return !internal && same_source && same_tag && wanted.tag() != any_tag ? kOtherCommunicator : kFar;
}

}  // namespace

std::string near_fit(Process& process, const matching::MatchKey& wanted)
{
    std::string text;
    Distance least = kFar;
    process.protocol().for_each_unexpected(kNearestAmong, [&](const protocol::UnexpectedRequest& message) {
        const Distance now = distance(wanted, message.envelope);
        if (now >= least)
            return;
        least = now;
        const Status status =
            process.checker() != nullptr ? check::Checker::status_of(message) : message.status();
        text = fmt::format("; a message from rank {} with tag {}, {} bytes, has come, but {}", status.source,
                           status.tag, status.size_bytes,
                           now == kOtherTag      ? fmt::format("tag {} is awaited", wanted.tag())
                           : now == kOtherSource ? fmt::format("one from rank {} is awaited", wanted.source())
                                                 : "one on another communicator is awaited");
    });
    return text;
}

}  // namespace tutti::detail
