#include "lib/core/requests/near_fit_text.hpp"

#include <fmt/format.h>

#include "lib/core/check/checker.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/observe/misfit.hpp"

namespace tutti::detail {

namespace {

using observe::Misfit;

// So many unexpected messages are looked at, the oldest.
constexpr std::size_t kNearestAmong = 256;

}  // namespace

std::string near_fit(Process& process, const matching::MatchKey& awaited)
{
    std::string text;
    Misfit nearest = Misfit::none_or_more;
    process.protocol().for_each_unexpected(kNearestAmong, [&](const protocol::UnexpectedRequest& message) {
        const Misfit now = observe::misfit_of(awaited, message.envelope);
        if (now >= nearest || is_of_collectives(message.envelope.context))
            return;
        nearest = now;
        const Status status =
            process.checker() != nullptr ? check::Checker::status_of(message) : message.status();
        text = fmt::format("; a message from rank {} with tag {}, {} bytes, has come, but {}", status.source,
                           status.tag, status.size_bytes, observe::misfit_in_words(now, awaited));
    });
    return text;
}

}  // namespace tutti::detail
