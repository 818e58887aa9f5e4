#include "benchmarks/push_pull/message_server.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace push_pull {

namespace {

enum class Wish : int { push, pull, goodbye };
struct Head {
    Wish wish;
    std::size_t keys;
    std::size_t floats;  // of all of them
};
enum Tag { kHead, kKeys, kValues, kDone, kAnswer };

}  // namespace

void MessageServer::serve(const tutti::Communicator& world, int workers)
{
    std::unordered_map<std::uint64_t, std::vector<float>> rows;
    std::vector<std::uint64_t> keys;
    std::vector<float> values;
    while (workers > 0) {
        Head head;
        const int worker = world.recv(head, tutti::any_source, kHead).source;
        if (head.wish == Wish::goodbye) {
            --workers;
            continue;
        }
        keys.resize(head.keys);
        world.recv(keys, worker, kKeys);
        if (head.wish == Wish::push) {
            values.resize(head.floats);
            world.recv(values, worker, kValues);
            const std::size_t floats = head.floats / std::max<std::size_t>(head.keys, 1);
            for (std::size_t i = 0; i < keys.size(); ++i) {
                std::vector<float>& row = rows[keys[i]];
                row.resize(floats);
                std::ranges::transform(row, std::span(values).subspan(i * floats, floats), row.begin(),
                                       std::plus());
            }
            world.send(0, worker, kDone);
        } else {
            values.clear();
            for (const std::uint64_t key : keys)
                values.insert(values.end(), rows[key].begin(), rows[key].end());
            world.send(values, worker, kAnswer);
        }
    }
}

MessageServer::MessageServer(const tutti::Communicator& world, int servers, std::size_t keys,
                             std::size_t floats)
    : world_(world), servers_(servers), floats_(floats), keys_(keys)
{
    for (std::size_t i = 0; i < keys; ++i)
        keys_[i] = UINT64_MAX / keys * i;
}

template <class T>
std::span<T> MessageServer::part(std::span<T> all, int server, std::size_t of_key) const
{
    const auto servers = static_cast<std::size_t>(servers_);
    const std::size_t begin = keys_.size() * static_cast<std::size_t>(server) / servers;
    const std::size_t end = keys_.size() * static_cast<std::size_t>(server + 1) / servers;
    return all.subspan(begin * of_key, (end - begin) * of_key);
}

void MessageServer::push(std::span<const float> values) const
{
    std::vector<tutti::Request> requests;
    std::vector<Head> heads(static_cast<std::size_t>(servers_));
    std::vector<int> done(heads.size());
    for (int server = 0; server < servers_; ++server) {
        const auto i = static_cast<std::size_t>(server);
        const auto keys = part(std::span(keys_), server, 1);
        heads[i] = {Wish::push, keys.size(), keys.size() * floats_};
        requests.push_back(world_.irecv(done[i], server, kDone));
        requests.push_back(world_.isend(heads[i], server, kHead));
        requests.push_back(world_.isend(keys, server, kKeys));
        requests.push_back(world_.isend(part(values, server, floats_), server, kValues));
    }
    tutti::wait_all(requests);
}

void MessageServer::pull(std::span<float> values) const
{
    std::vector<tutti::Request> requests;
    std::vector<Head> heads(static_cast<std::size_t>(servers_));
    for (int server = 0; server < servers_; ++server) {
        const auto i = static_cast<std::size_t>(server);
        const auto keys = part(std::span(keys_), server, 1);
        heads[i] = {Wish::pull, keys.size(), 0};
        requests.push_back(world_.irecv(part(values, server, floats_), server, kAnswer));
        requests.push_back(world_.isend(heads[i], server, kHead));
        requests.push_back(world_.isend(keys, server, kKeys));
    }
    tutti::wait_all(requests);
}

void MessageServer::say_goodbye() const
{
    for (int server = 0; server < servers_; ++server)
        world_.send(Head{Wish::goodbye, 0, 0}, server, kHead);
}

}  // namespace push_pull
