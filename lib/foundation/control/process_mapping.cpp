#include "lib/foundation/control/process_mapping.hpp"

#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace tutti::control {

namespace {

struct Block {
    int first_node = 0;
    int nodes = 0;
    int ranks_of_each = 0;
};

/// Takes `wanted` from the beginning of `text`.
bool take(std::string_view& text, std::string_view wanted)
{
    const bool is_there = text.starts_with(wanted);
    if (is_there)
        text.remove_prefix(wanted.size());
    return is_there;
}

bool take(std::string_view& text, int& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{};
}

std::optional<std::vector<Block>> blocks_of(std::string_view text)
{
    std::vector<Block> blocks;
    if (!take(text, "(vector"))
        return std::nullopt;
    while (take(text, ",(")) {
        Block block;
        const bool is_block = take(text, block.first_node) && take(text, ",") && take(text, block.nodes) &&
                              take(text, ",") && take(text, block.ranks_of_each) && take(text, ")");
        if (!is_block || block.first_node < 0 || block.nodes < 1 || block.ranks_of_each < 1 ||
            block.first_node > std::numeric_limits<int>::max() - block.nodes)
            return std::nullopt;
        blocks.push_back(block);
    }
    return text == ")" && !blocks.empty() ? std::optional(std::move(blocks)) : std::nullopt;
}

}  // namespace

std::optional<std::vector<int>> nodes_of_mapping(std::string_view text, int ranks)
{
    const auto blocks = blocks_of(text);
    if (!blocks)
        return std::nullopt;
    std::vector<int> node_of_rank;
    const auto is_full = [&] { return node_of_rank.size() >= static_cast<std::size_t>(ranks); };
    while (!is_full())
        for (const Block& block : *blocks)
            for (int node = 0; node < block.nodes && !is_full(); ++node)
                for (int rank = 0; rank < block.ranks_of_each && !is_full(); ++rank)
                    node_of_rank.push_back(block.first_node + node);
    return node_of_rank;
}

std::string mapping_of_nodes(std::span<const int> node_of_rank)
{
    std::vector<Block> blocks;
    for (std::size_t rank = 0; rank < node_of_rank.size();) {
        const int node = node_of_rank[rank];
        Block next{node, 1, 0};
        for (; rank < node_of_rank.size() && node_of_rank[rank] == node; ++rank)
            ++next.ranks_of_each;
        Block* const last = blocks.empty() ? nullptr : &blocks.back();
        if (last != nullptr && last->first_node + last->nodes == node &&
            last->ranks_of_each == next.ranks_of_each)
            ++last->nodes;
        else
            blocks.push_back(next);
    }
    std::string text = "(vector";
    for (const Block& block : blocks)
        text += fmt::format(",({},{},{})", block.first_node, block.nodes, block.ranks_of_each);
    return text + ')';
}

}  // namespace tutti::control
