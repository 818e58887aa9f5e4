#include "bucket_sum.hpp"

#include <algorithm>
#include <cstddef>

namespace sgd {

void BucketSum::start(std::span<float> part)
{
    part_ = part;
    if (precision_ == Precision::float32) {
        request_ = communicator_.iallreduce(part_, tutti::sum);
        return;
    }
    const auto ranks = static_cast<std::size_t>(communicator_.size());
    const std::size_t block = (part_.size() + ranks - 1) / ranks;
    out_.assign(ranks * block, tutti::bfloat16(0.0f));
    in_.resize(ranks * block);
    std::ranges::transform(part_, out_.begin(), [](float value) { return tutti::bfloat16(value); });
    request_ = communicator_.ialltoall(out_, in_);
}

void BucketSum::advance()
{
    if (precision_ == Precision::float32)
        return;
    request_.wait();
    const std::size_t block = in_.size() / static_cast<std::size_t>(communicator_.size());
    for (std::size_t i = 0; i < block; ++i) {
        float sum = 0;
        for (std::size_t j = i; j < in_.size(); j += block)
            sum += in_[j];
        out_[i] = tutti::bfloat16(sum);
    }
    const std::span<const tutti::bfloat16> mine(out_.data(), block);
    request_ = communicator_.iallgather(mine, in_);
}

void BucketSum::finish()
{
    request_.wait();
    if (precision_ == Precision::bf16)
        std::copy_n(in_.begin(), part_.size(), part_.begin());
}

}  // namespace sgd
