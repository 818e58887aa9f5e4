#include "lib/torch/result_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "lib/torch/tensors.hpp"

namespace torch_tutti {

namespace {

char* begin_of(const at::Tensor& tensor)
{
    return static_cast<char*>(tensor.data_ptr());
}

bool are_dense_and_apart(const std::vector<at::Tensor>& tensors)
{
    std::vector<std::pair<const char*, const char*>> places;
    places.reserve(tensors.size());
    for (const at::Tensor& tensor : tensors) {
        if (!is_packed(tensor))
            return false;
        if (tensor.nbytes() != 0)
            places.emplace_back(begin_of(tensor), begin_of(tensor) + tensor.nbytes());
    }
    std::sort(places.begin(), places.end());
    for (std::size_t next = 1; next < places.size(); ++next)
        if (places[next].first < places[next - 1].second)
            return false;
    return true;
}

}  // namespace

ResultBlocks::ResultBlocks(const std::vector<at::Tensor>& tensors)
{
    counts_.reserve(tensors.size());
    displacements_.reserve(tensors.size());
    for (const at::Tensor& tensor : tensors)
        counts_.push_back(tensor.nbytes());
    if (are_dense_and_apart(tensors)) {
        place_at_tensors(tensors);
        return;
    }
    joint_ = joint_memory(tensors);
    begin_ = begin_of(joint_);
    for (const std::size_t count : counts_) {
        displacements_.push_back(extent_);
        extent_ += count;
    }
}

void ResultBlocks::place_at_tensors(const std::vector<at::Tensor>& tensors)
{
    char* end = nullptr;
    for (const at::Tensor& tensor : tensors) {
        if (tensor.nbytes() == 0)
            continue;
        char* const begin = begin_of(tensor);
        begin_ = begin_ == nullptr ? begin : std::min(begin_, begin);
        end = std::max(end, begin + tensor.nbytes());
    }
    extent_ = static_cast<std::size_t>(end - begin_);
    for (const at::Tensor& tensor : tensors)
        displacements_.push_back(tensor.nbytes() == 0 ? 0
                                                      : static_cast<std::size_t>(begin_of(tensor) - begin_));
}

bool ResultBlocks::are_apart_from(const at::Tensor& data) const
{
    const char* const begin = begin_of(data);
    return data.nbytes() == 0 || begin + data.nbytes() <= begin_ || begin >= begin_ + extent_;
}

void ResultBlocks::put(std::size_t block, const at::Tensor& data) const
{
    char* const place = begin_ + displacements_[block];
    if (data.nbytes() != 0 && place != data.data_ptr())
        std::memmove(place, data.data_ptr(), data.nbytes());
}

}  // namespace torch_tutti
