// How a PMIx client gets what other ranks publish.
#include <pmix.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "lib/engine/bootstrap/late_rank.hpp"
#include "lib/engine/bootstrap/pmix_client.hpp"
#include "lib/engine/bootstrap/pmix_values.hpp"
#include "lib/engine/bootstrap/waiting.hpp"

namespace tutti::bootstrap {

namespace {

using Clock = std::chrono::steady_clock;
using State = control::Channel::Fetched::State;

// The longest pause between two questions for a missing key; the sum of all pauses is twice as long.
constexpr std::chrono::milliseconds kLongestPause(2048);

// A rank that waits for another rank's contact asks the daemon again after this time.
constexpr std::chrono::milliseconds kLookPeriod(250);

}  // namespace

/// Shared with libpmix's thread, which may set it when nobody waits for it.
class PmixClient::Answer {
public:
    Answer(const pmix_proc_t& asked, std::string key) : peer(asked), name(std::move(key)) {}

    /// Waits up to `patience` for it.
    bool wait(Clock::duration patience)
    {
        std::unique_lock lock(mutex_);
        return come_.wait_for(lock, patience, [this] { return done_; });
    }
    // Only for an answer that has arrived.
    pmix_status_t status() const noexcept { return status_; }
    std::optional<std::vector<std::byte>>& value() noexcept { return value_; }

    static void take(pmix_status_t status, pmix_value_t* value, void* asker)
    {
        Answer& answer = *static_cast<Answer*>(asker);
        const std::lock_guard lock(answer.mutex_);
        answer.status_ = status;
        if (status == PMIX_SUCCESS && value != nullptr)
            answer.value_ = as_bytes(*value);
        answer.done_ = true;
        answer.come_.notify_all();
    }

    // The question: libpmix's thread reads it after PMIx_Get_nb has returned.
    const pmix_proc_t peer;
    const std::string name;

private:
    std::mutex mutex_;
    std::condition_variable come_;
    bool done_ = false;
    pmix_status_t status_ = PMIX_SUCCESS;
    std::optional<std::vector<std::byte>> value_;
};

/// Asks the PMIx server for a value that a rank publishes now or later.
std::shared_ptr<PmixClient::Answer> PmixClient::ask_server(int rank, const std::string& key)
{
    // libpmix may answer at any time until the process ends, and never answers if its server has ended.
    static auto& asked = *new std::vector<std::shared_ptr<Answer>>;
    std::erase_if(asked, [](const std::shared_ptr<Answer>& earlier) { return earlier->wait({}); });
    const std::shared_ptr<Answer>& answer = asked.emplace_back(
        std::make_shared<Answer>(make_proc(job_name_, static_cast<pmix_rank_t>(rank)), key));
    const pmix_status_t status =
        PMIx_Get_nb(&answer->peer, answer->name.c_str(), nullptr, 0, Answer::take, answer.get());
    if (status != PMIX_SUCCESS)
        Answer::take(status, nullptr, answer.get());
    return answer;
}

/// Asks this rank's daemon first, if there is a channel to it: it answers at once, without the PMIx server.
/// Ranks without a channel publish by PMIx only. A rank that lives may take any time to publish; the launcher
/// deals with ranks that end.
std::vector<std::byte> PmixClient::fetch(int rank, std::string_view key)
{
    const std::string name(key);
    LateRank late(*this, rank);
    std::shared_ptr<Answer> answer;
    auto pause = std::chrono::milliseconds(1);
    while (true) {
        const control::Channel::Fetched deposited =
            control_ ? control_->fetch(rank, name) : control::Channel::Fetched{};
        if (deposited.state == State::found)
            return bytes_of(deposited.bytes);
        if (!answer)
            answer = ask_server(rank, name);
        if (!answer->wait(kLookPeriod)) {
            late.report();
            continue;
        }
        if (answer->value())
            return *std::move(answer->value());
        const pmix_status_t status = answer->status();
        answer.reset();
        late.report();
        // libpmix waits two seconds at most.
        if (status == PMIX_ERR_TIMEOUT)
            continue;
        // Open MPI's server sometimes reports a missing key when the peer commits at that moment.
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
        if (!asked->second->wait({}))
            return std::nullopt;
        // After a failure the next call asks again.
        return std::move(answers_.extract(asked).mapped()->value());
    }
    if (control_) {
        const control::Channel::Fetched deposited = control_->fetch(rank, name, kNoTime);
        if (deposited.state == control::Channel::Fetched::State::found)
            return bytes_of(deposited.bytes);
    } else if (auto known =
                   as_bytes(ask(job_name_, static_cast<pmix_rank_t>(rank), name.c_str(), PMIX_IMMEDIATE))) {
        // The server knows all keys of this node's ranks, also of those that have left: waiting for a missing
        // one takes two seconds and is useless. libpmix keeps an answer once it has one.
        return known;
    }
    answers_.emplace(question, ask_server(rank, name));
    return std::nullopt;
}

}  // namespace tutti::bootstrap
