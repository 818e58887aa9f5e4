#include "lib/torch/tensors.hpp"

#include <ATen/MemoryOverlap.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <cstring>

#include "lib/torch/kept_memory.hpp"

namespace torch_tutti {

namespace {

// While one exists, operations are neither recorded for gradients nor refused because of them.
using BelowAutograd = at::AutoDispatchBelowADInplaceOrView;

// A part of joint memory with the tensor's shape.
at::Tensor part(const at::Tensor& joint, std::size_t at, const at::Tensor& tensor)
{
    return at::from_blob(static_cast<char*>(joint.data_ptr()) + at, tensor.sizes(), tensor.options());
}

template <class Copy>
void for_each_part(const at::Tensor& joint, const std::vector<at::Tensor>& tensors, const Copy& copy)
{
    const BelowAutograd below;
    std::size_t at = 0;
    for (const at::Tensor& tensor : tensors) {
        if (tensor.nbytes() != 0)
            copy(static_cast<char*>(joint.data_ptr()) + at, at, tensor);
        at += tensor.nbytes();
    }
}

tutti::DataType type_of(const char* operation, at::ScalarType type)
{
    switch (type) {
        case at::kByte:
            return tutti::DataType::uint8;
        case at::kChar:
            return tutti::DataType::int8;
        case at::kShort:
            return tutti::DataType::int16;
        case at::kInt:
            return tutti::DataType::int32;
        case at::kLong:
            return tutti::DataType::int64;
        case at::kHalf:
        case at::kComplexHalf:
            return tutti::DataType::float16;
        case at::kBFloat16:
            return tutti::DataType::bfloat16;
        case at::kFloat:
            return tutti::DataType::float32;
        case at::kDouble:
            return tutti::DataType::float64;
        case at::kBool:
            return tutti::DataType::boolean;
        case at::kComplexFloat:
            return tutti::DataType::complex64;
        case at::kComplexDouble:
            return tutti::DataType::complex128;
        default:
            TORCH_CHECK(false, operation, ": tensors of type ", type, " cannot be reduced");
    }
}

tutti::Op op_of(const char* operation, c10d::ReduceOp::RedOpType op)
{
    switch (op) {
        case c10d::ReduceOp::SUM:
        case c10d::ReduceOp::AVG:
            return tutti::Op::sum;
        case c10d::ReduceOp::PRODUCT:
            return tutti::Op::prod;
        case c10d::ReduceOp::MIN:
            return tutti::Op::min;
        case c10d::ReduceOp::MAX:
            return tutti::Op::max;
        case c10d::ReduceOp::BAND:
            return tutti::Op::band;
        case c10d::ReduceOp::BOR:
            return tutti::Op::bor;
        case c10d::ReduceOp::BXOR:
            return tutti::Op::bxor;
        default:
            TORCH_CHECK(false, operation, ": there are SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR and BXOR");
    }
}

}  // namespace

bool is_packed(const at::Tensor& tensor)
{
    return tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg();
}

at::Tensor packed(const at::Tensor& tensor)
{
    if (is_packed(tensor))
        return tensor;
    const BelowAutograd below;
    return tensor.resolve_conj().resolve_neg().contiguous();
}

at::Tensor packed_result(const at::Tensor& tensor)
{
    if (is_packed(tensor))
        return tensor;
    const BelowAutograd below;
    return at::empty_like(tensor, at::MemoryFormat::Contiguous);
}

at::Tensor packed_result(const at::Tensor& tensor, const at::Tensor& input)
{
    if (!is_packed(tensor) || !overlap(tensor, input))
        return packed_result(tensor);
    const BelowAutograd below;
    return at::empty_like(tensor);
}

void unpack(const at::Tensor& packed, const at::Tensor& tensor)
{
    if (packed.is_same(tensor))
        return;
    const BelowAutograd below;
    tensor.copy_(packed);
}

bool overlap(const at::Tensor& one, const at::Tensor& other)
{
    const auto* const first = static_cast<const char*>(one.data_ptr());
    const auto* const second = static_cast<const char*>(other.data_ptr());
    return first < second + other.nbytes() && second < first + one.nbytes();
}

at::Tensor copy_of(const at::Tensor& tensor)
{
    const BelowAutograd below;
    return tensor.resolve_conj().resolve_neg().clone(at::MemoryFormat::Contiguous);
}

at::Tensor joint_memory(const std::vector<at::Tensor>& tensors)
{
    std::size_t bytes = 0;
    for (const at::Tensor& tensor : tensors)
        bytes += tensor.nbytes();
    return kept_memory(bytes);
}

void copy_in(const std::vector<at::Tensor>& tensors, const at::Tensor& joint)
{
    for_each_part(joint, tensors, [&](char* place, std::size_t at, const at::Tensor& tensor) {
        if (is_packed(tensor))
            std::memcpy(place, tensor.data_ptr(), tensor.nbytes());
        else
            part(joint, at, tensor).copy_(tensor);
    });
}

void copy_out(const at::Tensor& joint, const std::vector<at::Tensor>& tensors)
{
    for_each_part(joint, tensors, [&](const char* place, std::size_t at, const at::Tensor& tensor) {
        if (is_packed(tensor))
            std::memcpy(tensor.data_ptr(), place, tensor.nbytes());
        else
            tensor.copy_(part(joint, at, tensor));
    });
}

void check(const char* operation, const at::Tensor& tensor)
{
    TORCH_CHECK(tensor.device().is_cpu() && tensor.layout() == at::kStrided, operation,
                ": the tensor must be dense and in the memory of the CPU, this one is ", tensor.layout(),
                " on ", tensor.device());
}

void check(const char* operation, const std::vector<at::Tensor>& tensors)
{
    for (const at::Tensor& tensor : tensors)
        check(operation, tensor);
}

void check_result(const char* operation, const at::Tensor& tensor)
{
    check(operation, tensor);
    TORCH_CHECK(is_packed(tensor) || at::has_internal_overlap(tensor) != at::MemOverlap::Yes, operation,
                ": elements of the tensor share memory, as those of expand() do; pass its contiguous()");
}

void check_results(const char* operation, const std::vector<at::Tensor>& tensors)
{
    for (const at::Tensor& tensor : tensors)
        check_result(operation, tensor);
}

at::Tensor& only(const char* operation, std::vector<at::Tensor>& tensors)
{
    TORCH_CHECK(tensors.size() == 1, operation, ": takes one tensor a rank, not ", tensors.size());
    check(operation, tensors.front());
    return tensors.front();
}

at::Tensor& only_result(const char* operation, std::vector<at::Tensor>& tensors)
{
    at::Tensor& tensor = only(operation, tensors);
    check_result(operation, tensor);
    return tensor;
}

Reduction::Reduction(const char* operation, at::ScalarType scalar, const c10d::ReduceOp& reduce)
    : type(type_of(operation, scalar)),
      elements_each(scalar == at::kComplexHalf ? 2 : 1),
      op(op_of(operation, reduce)),
      is_average(static_cast<c10d::ReduceOp::RedOpType>(reduce) == c10d::ReduceOp::AVG)
{
    TORCH_CHECK(tutti::is_defined(op, type) && (elements_each == 1 || op == tutti::Op::sum), operation,
                ": this operator is not defined on tensors of type ", scalar);
    TORCH_CHECK(!is_average || scalar != at::kBool, operation, ": bool has no average");
}

at::Tensor Reduction::part_of(const at::Tensor& tensor, int ranks, Place place) const
{
    const at::Tensor data = packed(tensor);
    if (!is_average || at::isIntegralType(data.scalar_type(), false))
        return data;
    const BelowAutograd below;
    return place == Place::other && data.is_same(tensor) ? data.div(ranks) : data.div_(ranks);
}

void Reduction::finish(const at::Tensor& sum, int ranks) const
{
    if (!is_average || !at::isIntegralType(sum.scalar_type(), false))
        return;
    const BelowAutograd below;
    sum.div_(ranks, "trunc");
}

}  // namespace torch_tutti
