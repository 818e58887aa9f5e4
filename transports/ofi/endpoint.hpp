// An open endpoint of libfabric: sends, receives, reads and writes, and the queue that reports their results.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transports/ofi/memory.hpp"
#include "transports/ofi/provider.hpp"
#include "transports/ofi/registration_cache.hpp"

namespace tutti::transport::ofi {

/// Memory that libfabric needs during an operation; a completion points to it. It is the first member of
/// every object that is handed to an Endpoint as its operation.
struct FabricOperation {
    enum class Kind { receive, send, copy };

    explicit FabricOperation(Kind what) noexcept : kind(what) {}

    fi_context2 context{};
    const Kind kind;
};

/// An operation that has ended.
struct Completed {
    FabricOperation* operation;
    std::size_t bytes;  // received
};

struct FailedOperation {
    FabricOperation* operation;  // nullptr: the failure belongs to no operation
    int code;              // FI_E..., positive
    std::string words;
};

/// Not thread-safe. Operations return 0 or libfabric's negative code; -FI_EAGAIN: try again after poll().
class Endpoint {
public:
    /// Throws ErrorCode::system with the provider's message.
    explicit Endpoint(InfoPtr info);
    ~Endpoint() { close(); }
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    const fi_info& info() const noexcept { return *info_; }
    const std::vector<std::byte>& name() const noexcept { return name_; }
    /// -1: the provider has none; it must be polled.
    int wait_fd() const noexcept { return wait_fd_; }
    /// Whether it is safe to sleep on wait_fd(): no arrival is missed.
    bool may_sleep() noexcept;

    /// The handle for the endpoint of that name. Throws.
    fi_addr_t insert(std::span<const std::byte> name);

    long receive(std::span<std::byte> buffer, void* descriptor, FabricOperation& operation) noexcept;
    long send(fi_addr_t to, std::span<const std::byte> frame, void* descriptor,
              FabricOperation& operation) noexcept;
    /// At most inject_bytes(); the caller may reuse the frame at once.
    long inject(fi_addr_t to, std::span<const std::byte> frame) noexcept;
    std::size_t inject_bytes() const noexcept { return info_->tx_attr->inject_size; }
    long read(fi_addr_t from, std::uint64_t address, std::uint64_t key, std::span<std::byte> to,
              void* descriptor, FabricOperation& operation) noexcept;
    /// Ends when the data is in the peer's memory.
    long write(fi_addr_t to, std::uint64_t address, std::uint64_t key, std::span<const std::byte> from,
               void* descriptor, FabricOperation& operation) noexcept;

    /// Returns the number of ended operations, at most completed.size(); 0 for none; -1 when one has failed:
    /// failed() tells which.
    int poll(std::span<Completed> completed) noexcept;
    FailedOperation failed();

    /// `access` as in fi_mr_reg.
    std::optional<Registration> add_memory(std::span<const std::byte> memory, std::uint64_t access) noexcept
    {
        return register_memory(*domain_, *endpoint_, modes_, memory, access);
    }

    /// Cancels all operations. Registrations may still be ended afterwards.
    void close() noexcept;

private:
    struct CloseFid {
        void operator()(auto* object) const noexcept { fi_close(&object->fid); }
    };
    template <class Fid>
    using FidPtr = std::unique_ptr<Fid, CloseFid>;

    void open_queue();
    void read_name();

    InfoPtr info_;
    MemoryModes modes_;
    FidPtr<fid_fabric> fabric_;
    FidPtr<fid_domain> domain_;
    FidPtr<fid_cq> queue_;
    FidPtr<fid_av> addresses_;
    FidPtr<fid_ep> endpoint_;
    std::vector<std::byte> name_;
    int wait_fd_ = -1;
};

/// Registers with an endpoint for one kind of access.
class EndpointRegistrar final : public Registrar {
public:
    EndpointRegistrar(Endpoint& endpoint, std::uint64_t access) : endpoint_(endpoint), access_(access) {}
    std::optional<Registration> add(std::span<const std::byte> memory) noexcept override
    {
        return endpoint_.add_memory(memory, access_);
    }
    void remove(const Registration& registration) noexcept override { end_registration(registration); }

private:
    Endpoint& endpoint_;
    const std::uint64_t access_;
};

}  // namespace tutti::transport::ofi
