// The bootstrap of a rank that a launcher with PMI-1 has started: Hydra (MPICH's and Intel MPI's mpiexec),
// srun --mpi=pmi2.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "lib/engine/bootstrap/pmi_connection.hpp"

namespace tutti::bootstrap {

/// What a rank publishes the others see once all have called make_known(), a barrier of the launcher.
class PmiClient final : public Bootstrap {
public:
    /// Throws tutti::Error (bootstrap) if the environment or the launcher's answers are not those of PMI-1.
    PmiClient();

    std::string_view name() const noexcept override { return "pmi"; }
    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return size_; }
    std::span<const int> local_peers() const noexcept override { return local_peers_; }
    std::span<const int> node_of_rank() const noexcept override;
    std::string host_of(int rank) const override;
    std::string job_key() override;

    void publish(std::string_view key, std::span<const std::byte> value) override;
    void make_known() override { fence(); }
    std::vector<std::byte> fetch(int rank, std::string_view key) override;
    std::optional<std::vector<std::byte>> find(int rank, std::string_view key) override;
    void fence() override;
    void let_launcher_end_the_job() override;
    [[noreturn]] void abort(int status, std::string_view message) override;
    void finalize() override;

private:
    void ask_for_maxima();
    void find_nodes();
    void put(const std::string& key, std::string_view value);
    std::optional<std::string> get(const std::string& key) const;
    std::optional<std::vector<std::byte>> get_pieces(int rank, std::string_view key) const;

    const std::unique_ptr<PmiConnection> launcher_;
    int rank_ = 0;
    int size_ = 1;
    std::string space_;  // the name under which the launcher keeps this job's values
    std::size_t longest_key_ = 0;
    std::size_t longest_value_ = 0;
    std::vector<int> local_peers_;
    std::vector<int> node_of_rank_;
    std::map<std::pair<int, std::string>, std::vector<std::byte>> fetched_;
};

}  // namespace tutti::bootstrap
