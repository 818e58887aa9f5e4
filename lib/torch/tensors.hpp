// Tensors as buffers of Tutti's. All functions read and write tensors as memory, below autograd: those that
// need a gradient, their views and those of inference mode are written like any other, whatever the caller's
// mode is.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include "tutti/reduction.hpp"
#include "tutti/typed_buffer.hpp"

namespace torch_tutti {

/// Whether the tensor's elements follow each other in memory as they are.
bool is_packed(const at::Tensor& tensor);
/// The tensor itself where its elements follow each other in memory, else a copy that does.
at::Tensor packed(const at::Tensor& tensor);
/// packed() without the tensor's contents, for results.
at::Tensor packed_result(const at::Tensor& tensor);
/// packed_result() apart from the memory of `input`, which is packed: the tensor may be a block of it, as
/// FSDP has it.
at::Tensor packed_result(const at::Tensor& tensor, const at::Tensor& input);
/// Copies what packed() or packed_result() gave back into the tensor, if it is a copy.
void unpack(const at::Tensor& packed, const at::Tensor& tensor);
/// Whether packed tensors share memory.
bool overlap(const at::Tensor& one, const at::Tensor& other);
/// A packed copy.
at::Tensor copy_of(const at::Tensor& tensor);

/// Memory for all tensors, one behind the other.
at::Tensor joint_memory(const std::vector<at::Tensor>& tensors);
void copy_in(const std::vector<at::Tensor>& tensors, const at::Tensor& joint);
void copy_out(const at::Tensor& joint, const std::vector<at::Tensor>& tensors);

/// Throws unless the tensor is dense and in the CPU's memory.
void check(const char* operation, const at::Tensor& tensor);
void check(const char* operation, const std::vector<at::Tensor>& tensors);
/// check() of tensors that may be written. Each of their elements has memory of its own: else copies would
/// fail when the operation is over, and only where there is a result.
void check_result(const char* operation, const at::Tensor& tensor);
void check_results(const char* operation, const std::vector<at::Tensor>& tensors);
/// The only tensor of the list.
at::Tensor& only(const char* operation, std::vector<at::Tensor>& tensors);
at::Tensor& only_result(const char* operation, std::vector<at::Tensor>& tensors);

inline auto bytes_of(const at::Tensor& packed)
{
    return tutti::typed(packed.data_ptr(), packed.nbytes(), tutti::DataType::uint8);
}

/// Elements and operator of a reduction.
struct Reduction {
    tutti::DataType type;
    std::size_t elements_each;  // numbers in one element of the tensor
    tutti::Op op;
    bool is_average;

    /// Throws for what cannot be reduced.
    Reduction(const char* operation, at::ScalarType type, const c10d::ReduceOp& op);
    auto numbers_of(const at::Tensor& packed) const
    {
        return tutti::typed(packed.data_ptr(), static_cast<std::size_t>(packed.numel()) * elements_each,
                            type);
    }
    /// What the rank adds, packed. For an average, fractions are divided before the sum, as torch's
    /// documentation has it, so that half precision does not overflow.
    enum class Place {
        same,  // the tensor itself may be written
        other  // a copy where something is to be written
    };
    at::Tensor part_of(const at::Tensor& tensor, int ranks, Place place) const;
    /// Makes an average of a sum of whole numbers.
    void finish(const at::Tensor& sum, int ranks) const;
};

}  // namespace torch_tutti
