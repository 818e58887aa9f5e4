// The bootstrap of a program that provides rank, size and the exchange of values itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "tutti/bootstrap.hpp"

namespace tutti::bootstrap {

class Embedded final : public Bootstrap {
public:
    /// Waits for all ranks: they compare their sizes and learn which ranks share a node.
    explicit Embedded(std::unique_ptr<tutti::Bootstrap> program);

    std::string_view name() const noexcept override { return "embedded"; }
    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return size_; }
    std::span<const int> local_peers() const noexcept override { return local_peers_; }
    std::span<const int> node_of_rank() const noexcept override;
    std::string host_of(int rank) const override;
    std::string job_key() override;

    void publish(std::string_view key, std::span<const std::byte> value) override;
    std::vector<std::byte> fetch(int rank, std::string_view key) override;
    std::optional<std::vector<std::byte>> find(int rank, std::string_view key) override;
    void fence() override;
    [[noreturn]] void abort(int status, std::string_view message) override;
    void finalize() override;

private:
    void meet();
    std::string table_of_all();

    std::unique_ptr<tutti::Bootstrap> program_;
    int rank_ = 0;
    int size_ = 1;
    std::vector<int> local_peers_;
    std::vector<int> node_of_rank_;
    std::vector<std::string> host_of_rank_;
};

}  // namespace tutti::bootstrap
