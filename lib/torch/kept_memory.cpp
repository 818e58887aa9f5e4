#include "lib/torch/kept_memory.hpp"

#include <mutex>
#include <vector>

#include "tutti/allocate.hpp"

namespace torch_tutti {

namespace {

constexpr std::size_t kLeastKeptBytes = std::size_t{1} << 20;
constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20;

struct Block {
    void* memory = nullptr;
    std::size_t bytes = 0;
};

struct Kept {
    std::mutex mutex;
    std::vector<Block> blocks;  // the one that has been kept longest is the first
    std::size_t bytes = 0;

    void remove(std::vector<Block>::iterator block)
    {
        bytes -= block->bytes;
        blocks.erase(block);
    }
};

// Never destroyed: tensors may outlive it.
Kept& kept()
{
    static Kept& all = *new Kept;
    return all;
}

Block take(std::size_t bytes)
{
    Kept& all = kept();
    {
        const std::lock_guard lock(all.mutex);
        for (auto block = all.blocks.begin(); block != all.blocks.end(); ++block)
            if (block->bytes >= bytes && block->bytes / 2 <= bytes) {
                const Block found = *block;
                all.remove(block);
                return found;
            }
    }
    return {tutti::allocate(bytes), bytes};
}

void give_back(const Block& block)
{
    if (block.bytes > kMostKeptBytes)
        return tutti::deallocate(block.memory);
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    while (all.bytes + block.bytes > kMostKeptBytes) {
        tutti::deallocate(all.blocks.front().memory);
        all.remove(all.blocks.begin());
    }
    all.blocks.push_back(block);
    all.bytes += block.bytes;
}

}  // namespace

at::Tensor kept_memory(std::size_t bytes)
{
    const auto size = static_cast<std::int64_t>(bytes);
    if (bytes < kLeastKeptBytes)
        return at::empty({size}, at::kByte);
    const Block block = take(bytes);
    return at::from_blob(
        block.memory, {size}, [block](void*) { give_back(block); }, at::kByte);
}

}  // namespace torch_tutti
