#include "lib/bootstrap/pmix_client.hpp"

#include <pmix.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "lib/base/say.hpp"
#include "lib/bootstrap/bounded_call.hpp"
#include "lib/security/key.hpp"

namespace tutti::bootstrap {

namespace {

using Clock = std::chrono::steady_clock;

// Between two questions for a key that the server does not know; all pauses together are twice as long.
constexpr std::chrono::milliseconds kLongestPause(2048);

// After which a rank that waits for another one's card asks the daemon again.
constexpr std::chrono::milliseconds kLookPeriod(250);

// For the daemon's answer to who does not want to wait.
constexpr std::chrono::milliseconds kNoTime(20);

// After which the user is told whom a rank waits for.
constexpr std::chrono::seconds kLate(5);

// For news of a death to go from the daemon on one host to the head, and from there to this one, all of them
// busy.
constexpr std::chrono::milliseconds kLauncherPatience(1000);

// For libpmix to take leave, which gives up after 2 s itself. It waits for ever where the program has closed
// descriptors that it does not know, as daemons close all, and libpmix's among them.
constexpr std::chrono::milliseconds kFarewellPatience(5000);

void check(pmix_status_t status, const char* operation, const std::string& detail)
{
    if (status != PMIX_SUCCESS) {
        throw Error(ErrorCode::bootstrap, operation,
                    fmt::format("{}: the launcher's PMIx server says {}", detail, PMIx_Error_string(status)));
    }
}

pmix_proc_t make_proc(const std::string& job_name, pmix_rank_t rank)
{
    pmix_proc_t proc{};
    PMIX_LOAD_PROCID(&proc, job_name.c_str(), rank);
    return proc;
}

struct ValueDeleter {
    void operator()(pmix_value_t* value) const { PMIX_VALUE_FREE(value, 1); }
};
using Value = std::unique_ptr<pmix_value_t, ValueDeleter>;

/// What the launcher said about the job or about `rank`, or with PMIX_IMMEDIATE what its server knows by now;
/// empty when there is nothing. Never waits for others.
Value ask(const std::string& job_name, pmix_rank_t rank, const char* key, const char* where = PMIX_OPTIONAL)
{
    const pmix_proc_t proc = make_proc(job_name, rank);
    // Without one of these, a key that the launcher does not have is waited for: a peer might yet publish it.
    pmix_info_t directive{};
    const bool yes = true;
    PMIX_INFO_LOAD(&directive, where, &yes, PMIX_BOOL);
    pmix_value_t* value = nullptr;
    const pmix_status_t status = PMIx_Get(&proc, key, &directive, 1, &value);
    return Value(status == PMIX_SUCCESS ? value : nullptr);
}

std::optional<std::vector<std::byte>> as_bytes(const pmix_value_t& value)
{
    if (value.type != PMIX_BYTE_OBJECT) {
        return std::nullopt;
    }
    const auto* const bytes = reinterpret_cast<const std::byte*>(value.data.bo.bytes);
    return std::vector<std::byte>(bytes, bytes + value.data.bo.size);
}

std::optional<std::vector<std::byte>> as_bytes(const Value& value)
{
    return value ? as_bytes(*value) : std::nullopt;
}

/// Says once that a rank is waited for.
class LateRank {
public:
    LateRank(const Bootstrap& job, int rank) : job_(job), rank_(rank) {}
    void tell()
    {
        if (told_ || Clock::now() - since_ < kLate) {
            return;
        }
        told_ = true;
        const std::string host = job_.host_of(rank_);
        base::say(fmt::format("tutti: rank {} waits for rank {}{}, which has not joined the job in {} s\n",
                              job_.rank(), rank_, host.empty() ? "" : " on " + host, kLate.count()));
    }

private:
    const Bootstrap& job_;
    const int rank_;
    const Clock::time_point since_ = Clock::now();
    bool told_ = false;
};

/// Launchers do not agree on the types of numbers.
std::optional<long> as_number(const Value& value)
{
    if (!value) {
        return std::nullopt;
    }
    long number = 0;
    pmix_status_t status = PMIX_SUCCESS;
    PMIX_VALUE_GET_NUMBER(status, value.get(), number, long);
    if (status != PMIX_SUCCESS && value->type == PMIX_PROC_RANK) {
        return static_cast<long>(value->data.rank);
    }
    return status == PMIX_SUCCESS ? std::optional(number) : std::nullopt;
}

/// "0,1,2" or "0-2,5" as a sorted list; whatever is no number ends it.
std::vector<int> parse_ranks(const char* text)
{
    std::vector<int> ranks;
    const char* const end = text + std::strlen(text);
    while (text < end) {
        int first = 0;
        auto result = std::from_chars(text, end, first);
        if (result.ec != std::errc{}) {
            break;
        }
        int last = first;
        if (result.ptr < end && *result.ptr == '-') {
            result = std::from_chars(result.ptr + 1, end, last);
        }
        for (int rank = first; rank <= last; ++rank) {
            ranks.push_back(rank);
        }
        text = result.ptr < end ? result.ptr + 1 : end;
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

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
    check(PMIx_Init(&self, nullptr, 0), "start", "cannot connect to the launcher");
    job_name_ = self.nspace;
    rank_ = static_cast<int>(self.rank);
    control_ = control::Channel::inherited(job_name_, rank_);
    if (control_) {
        control_->joined();
    }
    const std::optional<long> size = as_number(ask(job_name_, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE));
    if (!size || *size <= rank_) {
        PMIx_Finalize(nullptr, 0);
        throw Error(ErrorCode::bootstrap, "start",
                    "the launcher's PMIx server does not tell how many ranks the job has; "
                    "start the program with tuttirun");
    }
    size_ = static_cast<int>(*size);
    const Value peers = ask(job_name_, PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS);
    if (peers && peers->type == PMIX_STRING && peers->data.string != nullptr) {
        local_peers_ = parse_ranks(peers->data.string);
    }
    if (!std::binary_search(local_peers_.begin(), local_peers_.end(), rank_)) {
        local_peers_ = {rank_};  // nothing is known of the others, so none is taken for local
    }
    if (local_peers_.size() < static_cast<std::size_t>(size_)) {
        find_nodes();
    }
}

/// Asks for the ranks of each node: few questions where ranks are many. A rank of which nothing is told is
/// alone on its node, and whatever is told, local_peers() are those of this one.
void PmixClient::find_nodes()
{
    constexpr int kUnknown = -1;
    node_of_rank_.assign(static_cast<std::size_t>(size_), kUnknown);
    char* list = nullptr;
    if (PMIx_Resolve_nodes(job_name_.c_str(), &list) == PMIX_SUCCESS && list != nullptr) {
        host_names_ = split(list, ',');
    }
    std::free(list);
    for (std::size_t node = 0; node < host_names_.size(); ++node) {
        pmix_proc_t* ranks = nullptr;
        std::size_t count = 0;
        if (PMIx_Resolve_peers(host_names_[node].c_str(), job_name_.c_str(), &ranks, &count) !=
            PMIX_SUCCESS) {
            continue;
        }
        for (const pmix_proc_t& proc : std::span(ranks, count)) {
            if (proc.rank < node_of_rank_.size()) {
                node_of_rank_[proc.rank] = static_cast<int>(node);
            }
        }
        PMIX_PROC_FREE(ranks, count);
    }
    int next = static_cast<int>(host_names_.size());
    const int told = node_of_rank_[static_cast<std::size_t>(rank_)];
    const int own = told != kUnknown ? told : next++;
    for (int rank = 0; rank < size_; ++rank) {
        int& node = node_of_rank_[static_cast<std::size_t>(rank)];
        const bool local = std::binary_search(local_peers_.begin(), local_peers_.end(), rank);
        if (local) {
            node = own;
        } else if (node == kUnknown || node == own) {
            node = next++;
        }
    }
}

std::string PmixClient::host_of(int rank) const
{
    const auto index = static_cast<std::size_t>(rank);
    const int node = index < node_of_rank_.size() ? node_of_rank_[index] : -1;
    if (node >= 0 && static_cast<std::size_t>(node) < host_names_.size()) {
        return host_names_[static_cast<std::size_t>(node)];
    }
    const Value name = ask(job_name_, static_cast<pmix_rank_t>(rank), PMIX_HOSTNAME);
    const bool known = name && name->type == PMIX_STRING && name->data.string != nullptr;
    return known ? name->data.string : "";
}

std::string PmixClient::job_key()
{
    // tuttirun gives one to every rank; under another launcher rank 0 does.
    constexpr const char* kKey = "tutti.key";
    const Value given = ask(job_name_, PMIX_RANK_WILDCARD, kKey);
    if (given && given->type == PMIX_STRING && given->data.string != nullptr) {
        return given->data.string;
    }
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
    // No finalize here: a rank that leaves without it is a failure, and the launcher shall see it.
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
    if (control_) {
        control_->deposit(key, {reinterpret_cast<const char*>(value.data()), value.size()});
    }
}

/// Shared with libpmix's thread, which may answer when nobody asks any more.
class PmixClient::Answer {
public:
    /// Waits up to `patience` for it.
    bool wait(Clock::duration patience)
    {
        std::unique_lock lock(mutex_);
        return come_.wait_for(lock, patience, [this] { return done_; });
    }
    // Of an answer that has come.
    pmix_status_t status() const noexcept { return status_; }
    std::optional<std::vector<std::byte>>& value() noexcept { return value_; }

    static void take(pmix_status_t status, pmix_value_t* value, void* asker)
    {
        const std::unique_ptr<std::shared_ptr<Answer>> owned(static_cast<std::shared_ptr<Answer>*>(asker));
        Answer& answer = **owned;
        const std::lock_guard lock(answer.mutex_);
        answer.status_ = status;
        if (status == PMIX_SUCCESS && value != nullptr) {
            answer.value_ = as_bytes(*value);
        }
        answer.done_ = true;
        answer.come_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable come_;
    bool done_ = false;
    pmix_status_t status_ = PMIX_SUCCESS;
    std::optional<std::vector<std::byte>> value_;
};

/// Asks the PMIx server for what a rank publishes, now or later.
std::shared_ptr<PmixClient::Answer> PmixClient::ask_server(int rank, const std::string& key)
{
    auto answer = std::make_shared<Answer>();
    auto asker = std::make_unique<std::shared_ptr<Answer>>(answer);
    const pmix_proc_t peer = make_proc(job_name_, static_cast<pmix_rank_t>(rank));
    const pmix_status_t status = PMIx_Get_nb(&peer, key.c_str(), nullptr, 0, Answer::take, asker.get());
    if (status == PMIX_SUCCESS) {
        static_cast<void>(asker.release());  // take() has it now
    } else {
        Answer::take(status, nullptr, asker.release());
    }
    return answer;
}

/// The daemon is asked first, where this is one of its ranks: it answers at once, and needs no PMIx server.
/// Whoever has no channel to it has published by PMIx only. A rank may be late by any time, as long as it
/// lives: its end is the launcher's business.
std::vector<std::byte> PmixClient::fetch(int rank, std::string_view key)
{
    const std::string name(key);
    LateRank late(*this, rank);
    std::shared_ptr<Answer> answer;
    auto pause = std::chrono::milliseconds(1);
    while (true) {
        using State = control::Channel::Fetched::State;
        const control::Channel::Fetched deposited =
            control_ ? control_->fetch(rank, name) : control::Channel::Fetched{};
        if (deposited.state == State::found) {
            const auto* const bytes = reinterpret_cast<const std::byte*>(deposited.bytes.data());
            return {bytes, bytes + deposited.bytes.size()};
        }
        if (!answer) {
            answer = ask_server(rank, name);
        }
        if (!answer->wait(kLookPeriod)) {
            late.tell();
            continue;
        }
        if (answer->value()) {
            return *std::move(answer->value());
        }
        const pmix_status_t status = answer->status();
        answer.reset();
        late.tell();
        // libpmix waits for two seconds at most.
        if (status == PMIX_ERR_TIMEOUT) {
            continue;
        }
        // Open MPI's server says now and then that there is no such key when the peer commits at that moment.
        const bool may_come = deposited.state == State::missing || status == PMIX_ERR_NOT_FOUND;
        if (!may_come || (pause > kLongestPause && deposited.state != State::missing)) {
            let_launcher_end_the_job();
            throw Error(ErrorCode::bootstrap, "fetch",
                        fmt::format("no '{}' from rank {}: the launcher's PMIx server says {}", key, rank,
                                    PMIx_Error_string(status)),
                        rank);
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, kLongestPause + kLongestPause);
    }
}

std::optional<std::vector<std::byte>> PmixClient::find(int rank, std::string_view key)
{
    const std::pair question{rank, std::string(key)};
    const std::string& name = question.second;
    if (const auto asked = answers_.find(question); asked != answers_.end()) {
        if (!asked->second->wait({})) {
            return std::nullopt;
        }
        // Of a failure, the next call asks again.
        return std::move(answers_.extract(asked).mapped()->value());
    }
    if (control_) {
        const control::Channel::Fetched deposited = control_->fetch(rank, name, kNoTime);
        if (deposited.state == control::Channel::Fetched::State::found) {
            const auto* const bytes = reinterpret_cast<const std::byte*>(deposited.bytes.data());
            return std::vector(bytes, bytes + deposited.bytes.size());
        }
    } else if (auto known =
                   as_bytes(ask(job_name_, static_cast<pmix_rank_t>(rank), name.c_str(), PMIX_IMMEDIATE))) {
        // Of this node's ranks the server knows all that there is, at once, also when they have left: to wait
        // for that takes it two seconds then, to no end. libpmix keeps what it was told once.
        return known;
    }
    answers_.emplace(question, ask_server(rank, name));
    return std::nullopt;
}

void PmixClient::fence()
{
    const pmix_proc_t all = make_proc(job_name_, PMIX_RANK_WILDCARD);
    const pmix_status_t status = PMIx_Fence(&all, 1, nullptr, 0);
    if (status != PMIX_SUCCESS) {
        let_launcher_end_the_job();
    }
    check(status, "fence", "not all ranks came");
}

void PmixClient::let_launcher_end_the_job()
{
    std::this_thread::sleep_for(kLauncherPatience);
}

void PmixClient::abort(int status, std::string_view message)
{
    const std::string text(message);
    if (!control_ || !control_->abort(status, message)) {
        abort_by_server(status, text);
    }
    // The launcher ends this process, if it has not done so yet; an abort is never a success.
    ::_exit((status & 0xff) != 0 ? status & 0xff : 1);
}

void PmixClient::abort_by_server(int status, const std::string& text)
{
    // The server has been taken leave of: the launcher hears the exit status alone.
    if (finalized_) {
        base::say(fmt::format("tutti: {}; ending this process with status {}\n", text, status));
        return;
    }
    // tuttirun shows the message with its own; other launchers drop it.
    if (std::getenv("TUTTI_LOCAL_RANK") == nullptr) {
        base::say(fmt::format("tutti: {}; ending the job with status {}\n", text, status));
        std::fflush(nullptr);
    }
    call_within(kFarewellPatience, [status, text] { return PMIx_Abort(status, text.c_str(), nullptr, 0); });
}

void PmixClient::finalize()
{
    if (!finalized_) {
        finalized_ = true;
        // A daemon that knows needs no PMIx server, which may be too busy to answer in the time that libpmix
        // gives it.
        const bool told = control_ && control_->left();
        const pmix_status_t status = call_within(kFarewellPatience, [] {
                                         return PMIx_Finalize(nullptr, 0);
                                     }).value_or(PMIX_ERR_TIMEOUT);
        check(told ? PMIX_SUCCESS : status, "finalize", "cannot take leave of the launcher");
    }
}

}  // namespace tutti::bootstrap
