// How much of the standard input the slowest reading node has taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace tutti::launcher {

class StdinWindow {
public:
    void add_reader(int node) { taken_[node] = 0; }
    /// Nobody waits for a lost node. Returns how many more bytes all others have now taken.
    std::uint64_t remove_reader(int node)
    {
        taken_.erase(node);
        return advance();
    }
    /// `node` has taken so many more bytes. Returns how many more bytes all have now taken.
    std::uint64_t taken(int node, std::uint64_t bytes)
    {
        const auto found = taken_.find(node);
        if (found != taken_.end())
            found->second += bytes;
        return advance();
    }

private:
    std::uint64_t advance()
    {
        const auto slowest =
            std::ranges::min_element(taken_, {}, [](const auto& entry) { return entry.second; });
        const std::uint64_t by_all = slowest == taken_.end() ? by_all_ : slowest->second;
        const std::uint64_t more = by_all - by_all_;
        by_all_ = by_all;
        return more;
    }

    std::map<int, std::uint64_t> taken_;  // by node
    std::uint64_t by_all_ = 0;
};

}  // namespace tutti::launcher
