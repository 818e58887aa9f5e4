#include "lib/core/job/conclude.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "lib/core/check/checker.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/continuation.hpp"

namespace tutti::detail {

namespace {

// Messages that have come: nobody waits for more.
void report_unreceived(Process& process)
{
    std::size_t count = 0;
    Status first;
    process.protocol().for_each_unexpected(~std::size_t{0}, [&](const protocol::UnexpectedRequest& message) {
        if (!is_of_collectives(message.envelope.context) && count++ == 0)
            first = message.status();
    });
    if (count > 0)
        fmt::print(
            stderr,
            "tutti: rank {} on {}: {} message{} never received, the first from rank {} with tag {}, {} "
            "bytes; receive each message that is sent (tuttirun --check names all)\n",
            process.rank(), process.bootstrap().host_of(process.rank()), count,
            count == 1 ? " was" : "s were", first.source, first.tag, first.size_bytes);
}

}  // namespace

void conclude(Process& process)
{
    auto lock = process.engine().lock();
    try {
        process.continuations().finish(lock);
        process.engine().progress();
    } catch (const Error&) {
        return;  // the program knows it already
    }
    process.diagnosis().conclude_calls();
    if (check::Checker* const checker = process.checker())
        checker->conclude(lock);
    else
        report_unreceived(process);
}

void report_living_communicators(Process& process)
{
    check::Checker* const checker = process.checker();
    if (checker == nullptr || !checker->looks_for().handles || check::Checker::has_names())
        return;  // an interface with names reports its own handles
    process.communicators().for_each([&](const CommunicatorState& state) {
        if (state.outlives_environment())
            return;
        // The process has one handle of each of these.
        const bool is_world = &state == process.world().get();
        const bool is_self = &state == process.self().get();
        const auto own = is_world ? process.world().use_count() : is_self ? process.self().use_count() : 0;
        if (own != 1)
            checker->add(check::Kind::handle, {},
                         fmt::format("{}{} is alive after the end of the Environment; let it end first",
                                     own != 0 ? "a handle of " : "", state.in_words()));
    });
    checker->report();
}

bool is_referred_to(Process& process)
{
    int states = 0;
    process.communicators().for_each([&](const CommunicatorState&) { ++states; });
    return states > 2 || process.world().use_count() > 1 || process.self().use_count() > 1 ||
           process.engine().has_requests();
}

void refuse_calls(Process& process)
{
    const auto lock = process.engine().lock();
    process.engine().end(std::make_exception_ptr(
        Error(ErrorCode::invalid_argument, "Environment",
              "a communicator or request was used after the Environment had ended; keep it until the last "
              "call")));
    process.protocol().lose_all("this rank's own Environment has ended; keep it until the last call");
}

}  // namespace tutti::detail
