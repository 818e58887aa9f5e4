#include "lib/core/check/checker.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "lib/core/process/process.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::check {

using detail::RequestState;

namespace {

// In which a competing message may come, for the check for races.
constexpr std::int64_t kRaceNs = 100'000;

std::string rank_or_any(int rank)
{
    return rank == any_source ? "any rank" : fmt::format("rank {}", rank);
}

std::string tag_or_any(int tag)
{
    return tag == any_tag ? "any tag" : fmt::format("tag {}", tag);
}

// The names of interfaces, in the order in which they came. Never destroyed: threads may end after main.
std::vector<NameOfCommunicator>& names_of_interfaces()
{
    static auto& all = *new std::vector<NameOfCommunicator>;
    return all;
}

}  // namespace

void Checker::add_names(NameOfCommunicator names)
{
    names_of_interfaces().push_back(names);
}

bool Checker::has_names() noexcept
{
    return !names_of_interfaces().empty();
}

Checker::Checker(detail::Process& process, std::function<std::string(std::uint64_t)> communicators)
    : process_(process),
      communicators_(std::move(communicators)),
      options_(options()),
      findings_(process.rank(), process.bootstrap().host_of(process.rank()), options_.fails),
      barrier_(process.protocol(), process.rank(), process.size())
{
    if (options_.buffers && !BorrowedMemory::finds_frees() && process.rank() == 0)
        base::say(
            "tutti: --check does not find buffers that are freed too early here: it needs the library that "
            "tuttirun loads before the program, unless --heap is off, and a program without a malloc of "
            "its own\n");
}

Checker::~Checker() = default;

void Checker::look_at_thread()
{
    if (!options_.threads || process_.thread_level() >= ThreadLevel::serialized ||
        std::this_thread::get_id() == first_thread_) [[likely]]
        return;
    findings_.add(
        Kind::thread, call_site(),
        fmt::format("a call by another thread than the one that initialized Tutti, at thread level "
                    "'{}', which allows none; ask for 'serialized' where one thread calls at a time, for "
                    "'multiple' where several do (MPI_Init_thread, or EnvironmentOptions::threads)",
                    process_.thread_level() == ThreadLevel::single ? "single" : "funneled"));
}

CheckedOperation& Checker::new_operation(RequestState& state, CheckedOperation::Kind kind,
                                         std::uint64_t context, bool blocking)
{
    look_at_thread();
    auto& operation = operations_[&state];
    operation.reset(new CheckedOperation{
        .kind = kind, .sums = options_.buffers && !blocking, .blocking = blocking, .context = context});
    if (!blocking)
        operation->site = call_site();
    return *operation;
}

void Checker::begin(protocol::SendRequest& request, int destination, const detail::ConstView& view,
                    bool blocking)
{
    CheckedOperation& operation =
        new_operation(request, CheckedOperation::Kind::send, request.envelope.context, blocking);
    operation.peer = destination;
    operation.tag = request.envelope.tag();
    operation.data = {const_cast<std::byte*>(view.data), view.size_bytes, view.layout, view.element};
    operation.layout = datatype::TypemapRef(view.layout);
    if (options_.types)
        operation.type = MessageType(view.element);
    operation.note = operation.type.note(view.size_bytes);
    begin_sums(operation);
    request.data = {view.data, view.size_bytes + kNoteBytes};
    request.context = &operation;
    request.collect = [](const protocol::SendRequest& sent, std::size_t offset, std::span<std::byte> out) {
        static_cast<const CheckedOperation*>(sent.context)->collect(offset, out);
    };
}

void Checker::begin(protocol::ReceiveRequest& request, const detail::View& view, bool blocking)
{
    CheckedOperation& operation =
        new_operation(request, CheckedOperation::Kind::receive, request.key.context, blocking);
    operation.peer = request.key.source();
    operation.tag = request.key.tag();
    operation.data = view;
    operation.layout = datatype::TypemapRef(view.layout);
    operation.type = MessageType(view.element);
    begin_sums(operation);
    request.capacity = view.size_bytes + kNoteBytes;
    request.context = &operation;
    request.deliver = [](protocol::ReceiveRequest& into, std::size_t offset,
                         std::span<const std::byte> bytes) {
        auto& known = *const_cast<CheckedOperation*>(static_cast<const CheckedOperation*>(into.context));
        known.deliver(into, offset, bytes);
    };
}

void Checker::begin_sums(CheckedOperation& operation)
{
    if (!operation.sums)
        return;
    operation.sum = operation.checksum(operation.data.size_bytes);
    borrow(operation, {{operation.data}});
}

void Checker::borrow(CheckedOperation& operation, std::span<const detail::ConstView> buffers)
{
    if (const auto lowest = lowest_bytes(buffers); !lowest.empty())
        operation.borrowed.emplace(lowest, BorrowedMemory::Freed::kept);
}

void Checker::begin(RequestState& request, std::uint64_t context, std::string what)
{
    new_operation(request, CheckedOperation::Kind::collective, context, false).what = std::move(what);
}

void Checker::lend(RequestState& request, std::span<const detail::ConstView> buffers, std::string access)
{
    const auto found = operations_.find(&request);
    CheckedOperation& operation = found != operations_.end()
                                      ? *found->second
                                      : new_operation(request, CheckedOperation::Kind::access, 0, false);
    if (!access.empty()) {
        operation.kind = CheckedOperation::Kind::access;
        operation.what = std::move(access);
    }
    if (options_.buffers)
        borrow(operation, buffers);
}

void Checker::end(RequestState& state) noexcept
try {
    const auto found = operations_.find(&state);
    if (found == operations_.end())
        return;
    const std::unique_ptr<CheckedOperation> operation = std::move(found->second);
    operations_.erase(found);
    look_at_buffer(*operation);
    const bool succeeded = state.status.code == ErrorCode::success && !state.status.cancelled;
    if (!succeeded)
        return;
    if (operation->kind == CheckedOperation::Kind::receive)
        check_arrived(*operation, state.status);
    else if (operation->kind == CheckedOperation::Kind::send && operation->sums &&
             operation->checksum(operation->data.size_bytes) != operation->sum)
        findings_.add(Kind::buffer, operation->site,
                      fmt::format("{}: the buffer was changed before the send was complete; change it after "
                                  "the wait or test that completes the request",
                                  describe(*operation)));
} catch (const std::exception&) {
    // Without memory there are no findings.
}

void Checker::let_go(const RequestState& state) noexcept
{
    if (const auto found = operations_.find(&state); found != operations_.end()) {
        found->second->let_go = true;
        found->second->sums = false;
        found->second->borrowed.reset();
    }
}

void Checker::look_at_buffer(const CheckedOperation& operation)
{
    if (!operation.borrowed)
        return;
    const bool is_access = operation.kind == CheckedOperation::Kind::access;
    const auto mistake =
        operation.borrowed->mistake(is_access ? "the access was complete" : "the request was complete",
                                    is_access ? "free it after the call that completes the access"
                                              : "free it after the wait or test that completes the request");
    if (mistake)
        findings_.add(Kind::buffer, operation.site, fmt::format("{}: {}", describe(operation), *mistake));
}

// The program learns that a message has arrived.
void Checker::check_arrived(CheckedOperation& operation, const Status& status)
{
    if (!operation.arrived)
        return;
    const std::size_t bytes = std::min(status.size_bytes, operation.data.size_bytes);
    const auto site = [&] { return operation.blocking ? call_site() : operation.site; };
    const auto about = [&] {
        return fmt::format("{}, the message of {} bytes from rank {} with tag {}", describe(operation),
                           status.size_bytes, status.source, status.tag);
    };
    if (options_.types && status.size_bytes <= operation.data.size_bytes &&
        !operation.type.takes(operation.note, status.size_bytes))
        findings_.add(
            Kind::type, site(),
            fmt::format("{}: it was sent as {} and is received as {}; give both sides the same type", about(),
                        words_of(operation.note), operation.type.words(bytes)));
    if (operation.touched)
        findings_.add(Kind::buffer, site(),
                      fmt::format("{}: the buffer was changed between the start of the receive and the "
                                  "message; leave it alone until the request is complete",
                                  about()));
    else if (operation.sums && operation.checksum(bytes) != operation.sum)
        findings_.add(Kind::buffer, site(),
                      fmt::format("{}: the buffer was changed after the message had come and before the "
                                  "request was complete; leave it alone until then",
                                  about()));
    if (options_.races && operation.peer == any_source)
        look_for_race(operation, status);
}

// Whatever comes before the program learns of this message was sent without regard to it, and might have
// come first.
void Checker::look_for_race(CheckedOperation& operation, const Status& status)
{
    const std::int64_t until = base::now_ns() + kRaceNs;
    do
        process_.engine().progress();
    while (base::now_ns() < until);
    int other = status.source;
    const auto consider = [&](std::uint64_t context, int source, int tag) {
        if (context == operation.context && source != status.source &&
            (operation.tag == any_tag || tag == operation.tag))
            other = source;
    };
    process_.protocol().for_each_unexpected(~std::size_t{0}, [&](const protocol::UnexpectedRequest& message) {
        consider(message.envelope.context, message.envelope.source(), message.envelope.tag());
    });
    for (const auto& [state, waiting] : operations_)
        if (waiting->arrived && !waiting->blocking && waiting->peer == any_source)
            consider(waiting->context, state->status.source, state->status.tag);
    if (other != status.source)
        findings_.add(
            Kind::race, operation.blocking ? call_site() : operation.site,
            fmt::format("{} got the message of rank {}, but one of rank {} fits as well: which comes "
                        "first may differ from run to run; name the source, or give them different "
                        "tags, where that matters",
                        describe(operation), status.source, other));
}

Status Checker::status_of(const protocol::UnexpectedRequest& message) noexcept
{
    Status status = message.status();
    status.size_bytes -= std::min(status.size_bytes, kNoteBytes);
    return status;
}

std::string Checker::communicator(std::uint64_t context) const
{
    for (const NameOfCommunicator name_of : names_of_interfaces())
        if (std::string name = name_of(context); !name.empty())
            return name;
    const std::string words = communicators_(context);
    return words.empty() ? "a communicator that was freed" : words;
}

std::string Checker::describe(const CheckedOperation& operation) const
{
    if (operation.kind == CheckedOperation::Kind::access)
        return operation.what;
    const std::string on = communicator(operation.context);
    if (operation.kind == CheckedOperation::Kind::collective)
        return fmt::format("non-blocking {} on {}", operation.what, on);
    return fmt::format("{}{} {}, {}, {} bytes on {}", operation.blocking ? "" : "non-blocking ",
                       operation.kind == CheckedOperation::Kind::send ? "send to" : "receive from",
                       rank_or_any(operation.peer), tag_or_any(operation.tag), operation.data.size_bytes, on);
}

}  // namespace tutti::check
