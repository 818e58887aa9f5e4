// Ranks that find each other through the store of torch.distributed.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "tutti/bootstrap.hpp"

namespace torch_tutti {

/// Each value is a key of the store. The job's key is in the store, too: who can read the store can pretend
/// to be a rank.
class BootstrapOverStore final : public tutti::Bootstrap {
public:
    BootstrapOverStore(c10::intrusive_ptr<c10d::Store> store, int rank, int size);

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void publish(std::string_view key, std::span<const std::byte> value) override;
    std::vector<std::byte> fetch(int rank, std::string_view key) override;
    std::optional<std::vector<std::byte>> find(int rank, std::string_view key) override;

    /// Waits for the others, but not for long: a rank that has failed never comes. The store outlives the
    /// ranks, so that is needed only where rank 0 holds it. A rank that has lost another also waits for the
    /// end of the process that came first: whoever started them takes the first one to end for the one that
    /// has failed, and shows its error.
    void fence() override;

private:
    c10::intrusive_ptr<c10d::Store> store_;
    int rank_;
    int size_;
    std::map<std::string, std::vector<std::byte>> known_;  // the store may end before the ranks
};

}  // namespace torch_tutti
