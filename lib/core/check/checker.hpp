// The checks of one rank: it follows messages and requests from their start to the end of the job.
//
// A checked message has a note in front of its data (message_type.hpp), so it goes by a request that collects
// and delivers piece by piece, never at once or by a remote read. All ranks check, or none: connect() sees to
// that. A rank without checks has no Checker, and its calls pay one branch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>

#include "lib/core/check/checked_operation.hpp"
#include "lib/core/check/findings.hpp"
#include "lib/core/check/message_type.hpp"
#include "lib/core/check/timed_barrier.hpp"
#include "lib/core/process/check_options.hpp"
#include "lib/engine/progress/engine.hpp"
#include "lib/engine/protocol/requests.hpp"
#include "tutti/buffer.hpp"

namespace tutti::detail {
class Process;
}

namespace tutti::check {

/// The name of the communicator with this context, in an interface's words; "" if the interface has none.
using NameOfCommunicator = std::string (*)(std::uint64_t context);

/// Under the engine's lock.
class Checker {
public:
    /// `communicators` answers the name of any communicator of the rank that lives.
    Checker(detail::Process& process, std::function<std::string(std::uint64_t context)> communicators);
    ~Checker();

    /// A call begins, of a message or a collective: it may not be this thread's to make.
    void look_at_thread();
    /// The request is described and has not started. `blocking`: the call waits for it.
    void begin(protocol::SendRequest& request, int destination, const detail::ConstView& view, bool blocking);
    void begin(protocol::ReceiveRequest& request, const detail::View& view, bool blocking);
    /// A non-blocking collective: `what` in words, on the communicator with this context.
    void begin(detail::RequestState& request, std::uint64_t context, std::string what);
    /// The operation, which is no message, has begun and uses these buffers of the program's. `access`: of a
    /// file or a window, all of it in words; empty: a collective.
    void lend(detail::RequestState& request, std::span<const detail::ConstView> buffers, std::string access);
    /// The program learns that the operation is complete.
    void end(detail::RequestState& state) noexcept;
    /// The program gives up the request: it need not complete it, and may know the end by other means.
    void let_go(const detail::RequestState& state) noexcept;

    /// A message that a probe has found, as the program sees it.
    static Status status_of(const protocol::UnexpectedRequest& message) noexcept;

    /// The program makes no more calls: looks for what is left, once all ranks have come so far. Ranks that
    /// come seconds later are not waited for.
    void conclude(progress::Engine::Lock& lock);

    const Options& looks_for() const noexcept { return options_; }
    /// A finding of the rooms above.
    void add(Kind kind, const Site& site, const std::string& text) { findings_.add(kind, site, text); }
    /// After the last add().
    void report() { findings_.conclude(); }
    /// Of an interface; there may be several.
    static void add_names(NameOfCommunicator names);
    /// Whether an interface has names, and so reports its own handles.
    static bool has_names() noexcept;

private:
    CheckedOperation& new_operation(detail::RequestState& state, CheckedOperation::Kind kind,
                                    std::uint64_t context, bool blocking);
    void begin_sums(CheckedOperation& operation);
    static void borrow(CheckedOperation& operation, std::span<const detail::ConstView> buffers);
    void look_at_buffer(const CheckedOperation& operation);
    void check_arrived(CheckedOperation& operation, const Status& status);
    void look_for_race(CheckedOperation& operation, const Status& status);
    void look_at_requests();
    void look_at_messages();
    std::string communicator(std::uint64_t context) const;
    std::string describe(const CheckedOperation& operation) const;

    detail::Process& process_;
    const std::function<std::string(std::uint64_t context)> communicators_;
    const Options& options_;
    Findings findings_;
    const std::thread::id first_thread_ = std::this_thread::get_id();  // it began the process
    TimedBarrier barrier_;
    std::unordered_map<const detail::RequestState*, std::unique_ptr<CheckedOperation>> operations_;
};

}  // namespace tutti::check
