// What a checked rank looks for when its program has made its last call.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/core/check/checker.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/base/clock.hpp"

namespace tutti::check {

namespace {

// The time in which messages arrive that were sent before the barrier.
constexpr std::int64_t kLastArrivalsNs = 5'000'000;

// "float32 x 100", if the note is there.
std::string words_of_type(const protocol::UnexpectedRequest& message)
{
    MessageNote note;
    if (message.received < sizeof note)
        return {};
    std::memcpy(&note, message.heap ? message.heap.get() : message.inline_bytes, sizeof note);
    return fmt::format(" ({})", words_of(note));
}

// An image of OpenCoarrays tells each other one that it has ended, by a message that only those receive which
// wait in `sync images` then. So a right Fortran program leaves such messages behind.
bool is_left_by_coarrays(int tag) noexcept
{
    constexpr int kStateTag = 424242;
    return tag == kStateTag && dlsym(RTLD_DEFAULT, "_gfortran_caf_init") != nullptr;
}

}  // namespace

void Checker::look_at_requests()
{
    for (const auto& [state, operation] : operations_) {
        if (operation->blocking || operation->let_go)
            continue;
        // No call has looked for mistakes in its type and buffer yet.
        look_at_buffer(*operation);
        if (state->done && operation->kind == CheckedOperation::Kind::receive &&
            state->status.code == ErrorCode::success)
            check_arrived(*operation, state->status);
        findings_.add(
            Kind::request, operation->site,
            fmt::format("{} was never completed, and {}; wait for each request, or test it until it "
                        "is complete",
                        describe(*operation), state->done ? "is done" : "is still under way at the end"));
    }
}

void Checker::look_at_messages()
{
    process_.protocol().for_each_unexpected(~std::size_t{0}, [&](const protocol::UnexpectedRequest& message) {
        const std::uint64_t context = message.envelope.context;
        const Status status = status_of(message);
        if (detail::is_of_collectives(context) || is_left_by_coarrays(status.tag))
            return;
        findings_.add(Kind::message, {},
                      fmt::format("a message from rank {} with tag {}, {} bytes{} on {}, was never received; "
                                  "receive each message that is sent",
                                  status.source, status.tag, status.size_bytes, words_of_type(message),
                                  communicator(context)));
    });
}

void Checker::conclude(progress::Engine::Lock& lock)
try {
    barrier_.wait(process_.engine(), lock);
    process_.engine().wait(
        lock, [] { return false; }, base::now_ns() + kLastArrivalsNs);
    if (options_.requests)
        look_at_requests();
    if (options_.messages)
        look_at_messages();
    findings_.conclude();
    // A rank that fails must not end others that still report.
    barrier_.wait(process_.engine(), lock);
} catch (const Error&) {
    findings_.conclude();  // the job is broken, and the program knows it
}

}  // namespace tutti::check
