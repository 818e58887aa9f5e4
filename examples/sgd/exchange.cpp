#include "exchange.hpp"

#include <cstddef>

namespace sgd {
namespace {

constexpr int kServer = 0;
constexpr int kPush = 1;
constexpr int kPull = 2;

void take_step(std::span<float> weights, std::span<const float> gradient, float step)
{
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] -= step * gradient[i];
}

}  // namespace

void AllReduce::ready(const Bucket& bucket, std::span<float> gradient)
{
    if (known_ == sums_.size())
        sums_.emplace_back(communicator_, precision_);
    parts_.resize(sums_.size());
    parts_[known_] = bucket.of(gradient);
    if (when_ == When::beside_backward)
        start(known_);
    ++known_;
}

// Half of the bucket before, while the next is computed.
void AllReduce::start(std::size_t index)
{
    if (index > 0)
        sums_[index - 1].advance();
    sums_[index].start(parts_[index]);
}

void AllReduce::update(std::span<float> weights, std::span<float> gradient, float step)
{
    if (when_ == When::after_backward) {
        for (std::size_t i = 0; i < known_; ++i)
            start(i);
    }
    if (known_ > 0)
        sums_[known_ - 1].advance();
    for (std::size_t i = 0; i < known_; ++i)
        sums_[i].finish();
    known_ = 0;
    take_step(weights, gradient, step);
}

ParameterServer::ParameterServer(const tutti::Communicator& communicator) : communicator_(communicator)
{
    if (communicator_.rank() == kServer) {
        const auto workers = static_cast<std::size_t>(communicator_.size() - 1);
        pushed_.resize(workers);
        requests_.resize(workers);
    }
}

void ParameterServer::update(std::span<float> weights, std::span<float> gradient, float step)
{
    if (communicator_.rank() == kServer) {
        serve(weights, gradient, step);
    } else {
        communicator_.send(gradient, kServer, kPush);
        communicator_.recv(weights, kServer, kPull);
    }
}

void ParameterServer::serve(std::span<float> weights, std::span<float> gradient, float step)
{
    for (std::size_t i = 0; i < pushed_.size(); ++i) {
        pushed_[i].resize(gradient.size());
        requests_[i] = communicator_.irecv(pushed_[i], static_cast<int>(i) + 1, kPush);
    }
    tutti::wait_all(requests_);

    for (const std::vector<float>& part : pushed_) {
        for (std::size_t i = 0; i < gradient.size(); ++i)
            gradient[i] += part[i];
    }
    take_step(weights, gradient, step);

    for (std::size_t i = 0; i < requests_.size(); ++i)
        requests_[i] = communicator_.isend(weights, static_cast<int>(i) + 1, kPull);
    tutti::wait_all(requests_);
}

}  // namespace sgd
