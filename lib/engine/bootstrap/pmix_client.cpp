#include "lib/engine/bootstrap/pmix_client.hpp"

#include <pmix.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include <fmt/format.h>

#include "lib/engine/bootstrap/bounded_call.hpp"
#include "lib/engine/bootstrap/pmix_values.hpp"
#include "lib/engine/bootstrap/waiting.hpp"
#include "lib/foundation/base/exit_status.hpp"
#include "lib/foundation/base/needed_calls.hpp"
#include "lib/foundation/base/say.hpp"
#include "lib/foundation/security/key.hpp"

namespace tutti::bootstrap {

namespace {

// The time that libpmix has to disconnect; it gives up after 2 s itself. It waits for ever if the program has
// closed libpmix's descriptors, as a program does that becomes a daemon.
constexpr std::chrono::milliseconds kLeavingTimeout(5000);

constexpr const char* kKey = "tutti.key";

/// Holds back SIGPIPE from this thread, and for ever from threads that begin meanwhile: libpmix writes to its
/// server without MSG_NOSIGNAL, and a server that has gone must not end the rank by a signal.
class SigpipeHeldBack {
public:
    SigpipeHeldBack() noexcept
    {
        sigemptyset(&sigpipe_);
        sigaddset(&sigpipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
    }
    ~SigpipeHeldBack()
    {
        constexpr timespec kNow{};
        if (!was_pending_)
            static_cast<void>(sigtimedwait(&sigpipe_, nullptr, &kNow));  // one of libpmix's
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    SigpipeHeldBack(const SigpipeHeldBack&) = delete;
    SigpipeHeldBack& operator=(const SigpipeHeldBack&) = delete;

private:
    sigset_t sigpipe_;
    sigset_t before_;
    bool was_pending_ = false;
};

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

}  // namespace

PmixClient::PmixClient()
{
    pmix_proc_t self{};
    if (const auto denied = base::denied_calls(base::Caller::libpmix))
        throw Error(ErrorCode::bootstrap, "start", *denied);
    {
        const SigpipeHeldBack held;  // libpmix's thread, which does all other writing, begins here
        check(PMIx_Init(&self, nullptr, 0), "start", "cannot connect to the launcher");
    }
    job_name_ = self.nspace;
    rank_ = static_cast<int>(self.rank);
    control_ = control::Channel::inherited(job_name_, rank_);
    if (control_)
        control_->joined();
    const std::optional<long> size = as_number(ask(job_name_, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE));
    if (!size || *size <= rank_) {
        PMIx_Finalize(nullptr, 0);
        throw Error(ErrorCode::bootstrap, "start",
                    "the launcher's PMIx server does not say how many ranks the job has; "
                    "start the program with tuttirun");
    }
    size_ = static_cast<int>(*size);
    if (const auto peers = as_text(ask(job_name_, PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS)))
        local_peers_ = parse_ranks(peers->c_str());
    if (!std::binary_search(local_peers_.begin(), local_peers_.end(), rank_))
        local_peers_ = {rank_};  // nothing is known of the other ranks, so none counts as local
    if (local_peers_.size() < static_cast<std::size_t>(size_))
        find_nodes();
}

/// Asks for the ranks of each node, which takes few questions. A rank of unknown node is alone on its node.
/// The ranks of this node are always those of local_peers().
void PmixClient::find_nodes()
{
    constexpr int kUnknown = -1;
    node_of_rank_.assign(static_cast<std::size_t>(size_), kUnknown);
    char* list = nullptr;
    if (PMIx_Resolve_nodes(job_name_.c_str(), &list) == PMIX_SUCCESS && list != nullptr)
        host_names_ = split(list, ',');
    std::free(list);
    for (std::size_t node = 0; node < host_names_.size(); ++node) {
        pmix_proc_t* ranks = nullptr;
        std::size_t count = 0;
        if (PMIx_Resolve_peers(host_names_[node].c_str(), job_name_.c_str(), &ranks, &count) != PMIX_SUCCESS)
            continue;
        for (const pmix_proc_t& proc : std::span(ranks, count))
            if (proc.rank < node_of_rank_.size())
                node_of_rank_[proc.rank] = static_cast<int>(node);
        PMIX_PROC_FREE(ranks, count);
    }
    int next = static_cast<int>(host_names_.size());
    const int given = node_of_rank_[static_cast<std::size_t>(rank_)];
    const int own = given != kUnknown ? given : next++;
    for (int rank = 0; rank < size_; ++rank) {
        int& node = node_of_rank_[static_cast<std::size_t>(rank)];
        const bool local = std::binary_search(local_peers_.begin(), local_peers_.end(), rank);
        if (local)
            node = own;
        else if (node == kUnknown || node == own)
            node = next++;
    }
}

std::string PmixClient::host_of(int rank) const
{
    const auto index = static_cast<std::size_t>(rank);
    const int node = index < node_of_rank_.size() ? node_of_rank_[index] : -1;
    if (node >= 0 && static_cast<std::size_t>(node) < host_names_.size())
        return host_names_[static_cast<std::size_t>(node)];
    return as_text(ask(job_name_, static_cast<pmix_rank_t>(rank), PMIX_HOSTNAME)).value_or("");
}

// tuttirun gives a key to every rank; under another launcher rank 0 makes one.
std::optional<std::string> PmixClient::given_key() const
{
    return as_text(ask(job_name_, PMIX_RANK_WILDCARD, kKey));
}

bool PmixClient::started_by_tuttirun() const
{
    return control_ != nullptr || given_key().has_value();
}

std::string PmixClient::job_key()
{
    if (auto given = given_key())
        return *std::move(given);
    if (rank_ == 0) {
        const std::string key = security::Key::random().to_hex();
        publish(kKey, std::as_bytes(std::span(key)));
        return key;
    }
    const std::vector<std::byte> published = fetch(0, kKey);
    return {reinterpret_cast<const char*>(published.data()), published.size()};
}

PmixClient::~PmixClient()
{
    // No finalize here: a rank that ends without it is a failure, and the launcher must see it.
}

void PmixClient::publish(std::string_view key, std::span<const std::byte> value)
{
    pmix_value_t entry{};
    entry.type = PMIX_BYTE_OBJECT;
    // PMIx_Put copies it.
    entry.data.bo.bytes = const_cast<char*>(reinterpret_cast<const char*>(value.data()));
    entry.data.bo.size = value.size();
    const std::string name(key);
    check(PMIx_Put(PMIX_GLOBAL, name.c_str(), &entry), "publish", fmt::format("cannot store '{}'", key));
    check(PMIx_Commit(), "publish", fmt::format("cannot send '{}'", key));
    if (control_)
        control_->deposit(key, {reinterpret_cast<const char*>(value.data()), value.size()});
}

void PmixClient::fence()
{
    const pmix_proc_t all = make_proc(job_name_, PMIX_RANK_WILDCARD);
    const pmix_status_t status = PMIx_Fence(&all, 1, nullptr, 0);
    if (status != PMIX_SUCCESS)
        let_launcher_end_the_job();
    check(status, "fence", "not all ranks came");
}

void PmixClient::let_launcher_end_the_job()
{
    std::this_thread::sleep_for(kLauncherPatience);
}

void PmixClient::abort(int status, std::string_view message)
{
    const std::string text(message);
    if (!control_ || !control_->abort(status, message))
        abort_by_server(status, text);
    // The launcher ends this process unless it has done so already.
    ::_exit(base::exit_status_of_abort(status));
}

void PmixClient::abort_by_server(int status, const std::string& text)
{
    // The server is disconnected: the launcher gets only the exit status.
    if (finalized_) {
        base::say(fmt::format("tutti: {}; ending this process with status {}\n", text, status));
        return;
    }
    // tuttirun shows the message together with its own; other launchers drop it.
    if (std::getenv("TUTTI_LOCAL_RANK") == nullptr) {
        base::say(fmt::format("tutti: {}; ending the job with status {}\n", text, status));
        std::fflush(nullptr);
    }
    call_within(kLeavingTimeout, [status, text] { return PMIx_Abort(status, text.c_str(), nullptr, 0); });
}

void PmixClient::finalize()
{
    if (!finalized_) {
        finalized_ = true;
        // If the daemon knows, no PMIx server is needed. A busy server may not answer in libpmix's time
        // limit.
        const bool announced = control_ && control_->left();
        const pmix_status_t status =
            call_within(kLeavingTimeout, [] { return PMIx_Finalize(nullptr, 0); }).value_or(PMIX_ERR_TIMEOUT);
        check(announced ? PMIX_SUCCESS : status, "finalize", "cannot disconnect from the launcher");
    }
}

}  // namespace tutti::bootstrap
