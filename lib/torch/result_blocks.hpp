// The tensors of a list, which a collective fills as blocks of one buffer.
#pragma once

#include <cstddef>
#include <vector>

#include <ATen/ATen.h>

#include "tutti/blocks.hpp"
#include "tutti/typed_buffer.hpp"

namespace torch_tutti {

/// The tensors themselves where each is dense and they lie apart, else joint memory, out of which its owner
/// copies them.
class ResultBlocks {
public:
    explicit ResultBlocks(const std::vector<at::Tensor>& tensors);

    /// Bytes from the first block to the end of the last one. Between blocks may be memory of others.
    auto buffer() const { return tutti::typed(static_cast<void*>(begin_), extent_, tutti::DataType::uint8); }
    tutti::BlockCounts counts() const { return {counts_, displacements_}; }
    /// Whether the tensor's memory is outside of the buffer.
    bool are_apart_from(const at::Tensor& data) const;
    /// Copies the bytes of a dense tensor into the block, unless they are there.
    void put(std::size_t block, const at::Tensor& data) const;

    /// Undefined where the tensors are the blocks.
    const at::Tensor& joint() const { return joint_; }

private:
    void place_at_tensors(const std::vector<at::Tensor>& tensors);

    at::Tensor joint_;
    char* begin_ = nullptr;
    std::size_t extent_ = 0;
    std::vector<std::size_t> counts_;
    std::vector<std::size_t> displacements_;
};

}  // namespace torch_tutti
