#include "message_loop.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "steps.hpp"

namespace training {
namespace {

Rows receive_rows(tutti::Message& message)
{
    std::vector<std::uint32_t> numbers(message.status().count<std::uint32_t>());
    message.recv(numbers);
    return Rows(std::move(numbers));
}

}  // namespace

Server::Server(const tutti::Communicator& world, const Plan& plan)
    : world_(world), plan_(plan), workers_(static_cast<std::size_t>(world.size() - 1))
{
}

void Server::run(std::size_t steps)
{
    while (slowest() < steps) {
        // Of a push the rows come first, and the values are received with them: they are never found here.
        tutti::Message message = world_.mprobe(tutti::any_source, tutti::any_tag);
        Worker& worker = workers_[static_cast<std::size_t>(message.status().source - 1)];
        if (message.status().tag == kPull)
            worker.pull = receive_rows(message);
        else
            take_push(message, worker);
        answer_pulls();
    }
}

void Server::take_push(tutti::Message& message, Worker& worker)
{
    const int source = message.status().source;
    worker.pushed = receive_rows(message);
    world_.recv(worker.pushed.of(worker.gradient), source, kValues);
    ++worker.steps;
    const auto has_as_many = [&](const Worker& other) { return other.steps == worker.steps; };
    if (plan_.mode != Mode::bulk)
        apply({&worker, 1});
    else if (std::ranges::all_of(workers_, has_as_many))
        apply(workers_);
}

void Server::answer_pulls()
{
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        Worker& worker = workers_[i];
        const std::size_t ahead = worker.steps - slowest();
        if (!worker.pull || ahead > most_allowed())
            continue;
        most_ahead_ = std::max(most_ahead_, ahead);
        world_.send(worker.pull->of(weights_), static_cast<int>(i) + 1, kValues);
        worker.pull.reset();
    }
}

void Server::apply(std::span<const Worker> pushes)
{
    std::vector<float> sum(weights_.size());
    for (const Worker& push : pushes)
        push.pushed.add(push.gradient, sum);
    take_step(weights_, sum, plan_.learning_rate);
}

std::size_t Server::slowest() const
{
    return std::ranges::min_element(workers_, {}, &Worker::steps)->steps;
}

std::size_t Server::most_allowed() const
{
    switch (plan_.mode) {
        case Mode::bulk:
            return 0;
        case Mode::stale:
            return plan_.staleness;
        case Mode::free:
            break;
    }
    return std::numeric_limits<std::size_t>::max();
}

}  // namespace training
