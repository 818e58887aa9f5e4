// The bootstrap of a rank that its daemon knows but no PMIx server accepts: its user id differs (a container
// that maps users), or its server ended before the rank joined.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "lib/foundation/control/channel.hpp"
#include "lib/foundation/control/job_description.hpp"

namespace tutti::bootstrap {

class ChannelClient final : public Bootstrap {
public:
    /// The client of the rank that the PMIx environment names; nullptr if the rank has no channel, or if the
    /// daemon does not answer.
    static std::unique_ptr<ChannelClient> connect();

    ChannelClient(std::unique_ptr<control::Channel> channel, control::JobDescription job, int rank);

    std::string_view name() const noexcept override { return "control channel"; }
    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return static_cast<int>(job_.node_of_rank.size()); }
    std::span<const int> local_peers() const noexcept override { return local_peers_; }
    std::span<const int> node_of_rank() const noexcept override;
    std::string host_of(int rank) const override;
    std::string job_key() override { return job_.key; }
    bool started_by_tuttirun() const override { return true; }
    control::Channel* control() noexcept override { return channel_.get(); }

    void publish(std::string_view key, std::span<const std::byte> value) override;
    std::vector<std::byte> fetch(int rank, std::string_view key) override;
    std::optional<std::vector<std::byte>> find(int rank, std::string_view key) override;
    void fence() override;
    void let_launcher_end_the_job() override;
    [[noreturn]] void abort(int status, std::string_view message) override;
    void finalize() override;

private:
    std::unique_ptr<control::Channel> channel_;
    const control::JobDescription job_;
    const int rank_;
    std::vector<int> local_peers_;
    unsigned fences_ = 0;
};

}  // namespace tutti::bootstrap
