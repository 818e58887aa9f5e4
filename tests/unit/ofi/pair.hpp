// Two ranks that are connected over libfabric, and memory that one registers for the other.
#pragma once

#include <utility>

#include "tests/unit/ofi/support.hpp"

namespace tutti::test {

/// Ranks 0 and 1, both in the test's hands.
struct Pair {
    explicit Pair(transport::ofi::OfiOptions options = {.rank = 0,
                                                        .ranks = 2,
                                                        .key = security::Key::random(),
                                                        .linger = std::chrono::milliseconds(0)})
        : a(options), b([&] {
              options.rank = 1;
              return options;
          }())
    {
        a.transport->connect(1, b.transport->address());
        b.transport->connect(0, a.transport->address());
    }
    void pass()
    {
        a.progress();
        b.progress();
    }
    bool connected() const { return a.transport->is_connected(1) && b.transport->is_connected(0); }

    OfiRank a;
    OfiRank b;
};

/// Memory of a rank, as it tells others of it.
struct Registered {
    Registered(OfiRank& owner, std::size_t size) : bytes(size), transport(*owner.transport)
    {
        for (std::size_t i = 0; i < size; ++i)
            bytes[i] = static_cast<std::byte>(i * 7 + (i >> 8));
        is_registered = transport.memory()->register_region(bytes, region);
    }
    ~Registered() { transport.memory()->release_region(region); }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

    Bytes bytes;
    transport::ofi::OfiTransport& transport;
    transport::RemoteRegion region{};
    bool is_registered;
};

/// Memory of a rank that others may write to as well.
struct Granted {
    Granted(OfiRank& owner, std::size_t size) : bytes(size), transport(*owner.transport)
    {
        is_granted = transport.memory()->grant(bytes, region);
    }
    ~Granted() { revoke(); }
    Granted(const Granted&) = delete;
    Granted& operator=(const Granted&) = delete;

    void revoke()
    {
        if (std::exchange(is_granted, false))
            transport.memory()->revoke(region);
    }

    Bytes bytes;
    transport::ofi::OfiTransport& transport;
    transport::RemoteRegion region{};
    bool is_granted;
};

}  // namespace tutti::test
