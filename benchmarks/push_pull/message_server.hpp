// A parameter server as a loop of messages: what a program writes without tables, and the bytes that any way
// to push and pull has to move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tutti/tutti.hpp>
#include <vector>

namespace push_pull {

/// Rows of keys at the ranks [0, servers), as many at each; all others work.
class MessageServer {
public:
    /// Serves until each worker has said goodbye.
    static void serve(const tutti::Communicator& world, int workers);

    /// Of a worker. `keys` rows of `floats` numbers.
    MessageServer(const tutti::Communicator& world, int servers, std::size_t keys, std::size_t floats);

    void push(std::span<const float> values) const;
    void pull(std::span<float> values) const;
    void say_goodbye() const;

private:
    template <class T>
    std::span<T> part(std::span<T> all, int server, std::size_t of_key) const;

    const tutti::Communicator& world_;
    int servers_;
    std::size_t floats_;
    std::vector<std::uint64_t> keys_;
};

}  // namespace push_pull
