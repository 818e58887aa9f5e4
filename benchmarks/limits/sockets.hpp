// The performance of a TCP connection between two polling processes: the limit of any socket transport.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::bench {

/// A connection that stands, non-blocking, without Nagle's delay. Closes the descriptor that it is given.
class ProbeSocket {
public:
    explicit ProbeSocket(int fd);
    ProbeSocket(ProbeSocket&& other) noexcept;
    ProbeSocket& operator=(ProbeSocket&&) = delete;
    ~ProbeSocket();

    /// All of it, by asking the kernel again and again. Throws std::runtime_error when the connection ends.
    void send(std::span<const std::byte> data) const;
    void receive(std::span<std::byte> data) const;

    /// As much as the kernel takes, or has, at once: 0 where that is nothing. `data` is not empty. Throw as
    /// above.
    std::size_t send_some(std::span<const std::byte> data) const;
    std::size_t receive_some(std::span<std::byte> data) const;

    /// To wait on; stays ours.
    int fd() const noexcept { return fd_; }

private:
    int fd_;
};

/// Waits for so many connections on `listener`, which it closes.
std::vector<ProbeSocket> accept_probes(int listener, std::size_t count);
/// Waits for one.
ProbeSocket accept_probe(int listener);
/// A descriptor that listens on all addresses, and its port; 0 takes a free one.
int listen_for_probe(unsigned short& port);
/// Throws std::runtime_error where nobody listens at this address and port.
ProbeSocket connect_probe(const char* address, unsigned short port);

/// Half round trip. Both ends call it, `first` says which sends first; both get the figure.
double socket_latency_us(const ProbeSocket& socket, bool first, std::size_t size_bytes, int loops);
/// Microseconds a message of a stream in one direction that the sender does not pause; sizes and loops as
/// above.
double socket_stream_us(const ProbeSocket& socket, bool sends, std::size_t size_bytes, int loops);

}  // namespace tutti::bench
