// The bootstrap of a rank that a PMIx server has started: tuttirun, Open MPI's mpirun, srun --mpi=pmix.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "lib/foundation/control/channel.hpp"

namespace tutti::bootstrap {

/// libpmix keeps a helper thread, which sleeps unless the launcher sends something.
class PmixClient final : public Bootstrap {
public:
    /// Connects to the server that the environment names. Throws tutti::Error (bootstrap).
    PmixClient();
    ~PmixClient() override;
    PmixClient(const PmixClient&) = delete;
    PmixClient& operator=(const PmixClient&) = delete;

    std::string_view name() const noexcept override { return "pmix"; }
    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return size_; }
    std::span<const int> local_peers() const noexcept override { return local_peers_; }

    std::span<const int> node_of_rank() const noexcept override { return node_of_rank_; }
    std::string host_of(int rank) const override;
    std::string job_key() override;
    control::Channel* control() noexcept override { return control_.get(); }
    bool started_by_tuttirun() const override;

    void publish(std::string_view key, std::span<const std::byte> value) override;
    std::vector<std::byte> fetch(int rank, std::string_view key) override;
    std::optional<std::vector<std::byte>> find(int rank, std::string_view key) override;
    void fence() override;
    void let_launcher_end_the_job() override;
    [[noreturn]] void abort(int status, std::string_view message) override;
    void finalize() override;

private:
    class Answer;

    void find_nodes();
    std::optional<std::string> given_key() const;
    void abort_by_server(int status, const std::string& text);
    std::shared_ptr<Answer> ask_server(int rank, const std::string& key);

    std::string job_name_;
    std::unique_ptr<control::Channel> control_;
    int rank_ = 0;
    int size_ = 1;
    std::vector<int> local_peers_;
    // Indices of host_names_, or beyond its end if the host is unknown. Empty: all ranks are local.
    std::vector<int> node_of_rank_;
    std::vector<std::string> host_names_;
    std::map<std::pair<int, std::string>, std::shared_ptr<Answer>> answers_;  // for find()
    bool finalized_ = false;
};

}  // namespace tutti::bootstrap
