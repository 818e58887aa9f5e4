#include "lib/engine/bootstrap/channel_client.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "lib/engine/bootstrap/late_rank.hpp"
#include "lib/engine/bootstrap/waiting.hpp"
#include "lib/foundation/base/exit_status.hpp"

namespace tutti::bootstrap {

namespace {

using State = control::Channel::Fetched::State;

constexpr std::chrono::milliseconds kLongestAskPause(100);

}  // namespace

std::unique_ptr<ChannelClient> ChannelClient::connect()
{
    const char* const job = std::getenv("PMIX_NAMESPACE");
    const char* const rank = std::getenv("PMIX_RANK");
    auto channel =
        job != nullptr && rank != nullptr ? control::Channel::inherited(job, std::atoi(rank)) : nullptr;
    if (!channel)
        return nullptr;
    auto description =
        control::JobDescription::from_text(channel->fetch(control::kJobRank, control::kJobName).bytes);
    const int number = std::atoi(rank);
    if (!description || number < 0 || static_cast<std::size_t>(number) >= description->node_of_rank.size() ||
        !channel->joined())
        return nullptr;
    return std::make_unique<ChannelClient>(std::move(channel), *std::move(description), number);
}

ChannelClient::ChannelClient(std::unique_ptr<control::Channel> channel, control::JobDescription job, int rank)
    : channel_(std::move(channel)), job_(std::move(job)), rank_(rank)
{
    for (int peer = 0; peer < size(); ++peer)
        if (job_.node_of_rank[static_cast<std::size_t>(peer)] ==
            job_.node_of_rank[static_cast<std::size_t>(rank)])
            local_peers_.push_back(peer);
}

std::span<const int> ChannelClient::node_of_rank() const noexcept
{
    if (local_peers_.size() == job_.node_of_rank.size())
        return {};
    return job_.node_of_rank;
}

std::string ChannelClient::host_of(int rank) const
{
    const auto index = static_cast<std::size_t>(rank);
    return index < job_.node_of_rank.size() ? job_.hosts[static_cast<std::size_t>(job_.node_of_rank[index])]
                                            : "";
}

void ChannelClient::publish(std::string_view key, std::span<const std::byte> value)
{
    if (!channel_->deposit(key, {reinterpret_cast<const char*>(value.data()), value.size()}))
        throw Error(
            ErrorCode::bootstrap, "publish",
            fmt::format("cannot send '{}' to the launcher's daemon: it is gone, or does not take so much",
                        key));
}

std::vector<std::byte> ChannelClient::fetch(int rank, std::string_view key)
{
    LateRank late(*this, rank);
    for (auto pause = std::chrono::milliseconds(1);; pause = std::min(pause * 2, kLongestAskPause)) {
        const control::Channel::Fetched deposited = channel_->fetch(rank, key);
        if (deposited.state == State::found)
            return bytes_of(deposited.bytes);
        if (deposited.state == State::gone) {
            let_launcher_end_the_job();
            throw Error(
                ErrorCode::bootstrap, "fetch",
                fmt::format("no '{}' from rank {}: it has ended, or the launcher's daemon has", key, rank),
                rank);
        }
        late.report();
        std::this_thread::sleep_for(pause);
    }
}

std::optional<std::vector<std::byte>> ChannelClient::find(int rank, std::string_view key)
{
    const control::Channel::Fetched deposited = channel_->fetch(rank, key, kNoTime);
    return deposited.state == State::found ? std::optional(bytes_of(deposited.bytes)) : std::nullopt;
}

void ChannelClient::fence()
{
    const std::string name = fmt::format("fence {}", ++fences_);
    publish(name, {});
    for (int rank = 0; rank < size(); ++rank)
        fetch(rank, name);
}

void ChannelClient::let_launcher_end_the_job()
{
    std::this_thread::sleep_for(kLauncherPatience);
}

void ChannelClient::abort(int status, std::string_view message)
{
    if (!channel_->abort(status, message))
        base::say(fmt::format("tutti: {}; ending this process with status {}\n", message, status));
    // The launcher ends this process unless it has done so already.
    _exit(base::exit_status_of_abort(status));
}

void ChannelClient::finalize()
{
    if (!channel_->left())
        throw Error(ErrorCode::bootstrap, "finalize",
                    "cannot disconnect from the launcher: its daemon is gone");
}

}  // namespace tutti::bootstrap
