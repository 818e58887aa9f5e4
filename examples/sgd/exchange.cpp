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

void AllReduce::update(std::span<float> weights, std::span<float> gradient, float step)
{
    communicator_.allreduce(gradient, tutti::sum);
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
