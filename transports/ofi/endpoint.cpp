#include "transports/ofi/endpoint.hpp"

#include <fmt/format.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tutti/error.hpp"

namespace tutti::transport::ofi {

namespace {

void check(const fi_info& info, const char* what, long result)
{
    if (result != 0)
        throw Error(ErrorCode::system, "fabric",
                    fmt::format("libfabric's provider {} answers {} with: {}", info.fabric_attr->prov_name,
                                what, Library::get().describe(result)));
}

}  // namespace

Endpoint::Endpoint(InfoPtr info) : info_(std::move(info)), modes_(*info_)
{
    const KeepSignalHandlers keep;
    fid_fabric* fabric = nullptr;
    check(*info_, "fi_fabric", Library::get().fabric(info_->fabric_attr, &fabric, nullptr));
    fabric_.reset(fabric);
    fid_domain* domain = nullptr;
    check(*info_, "fi_domain", fi_domain(fabric, info_.get(), &domain, nullptr));
    domain_.reset(domain);
    open_queue();
    fi_av_attr attributes{};
    attributes.type = FI_AV_TABLE;
    fid_av* addresses = nullptr;
    check(*info_, "fi_av_open", fi_av_open(domain, &attributes, &addresses, nullptr));
    addresses_.reset(addresses);
    fid_ep* endpoint = nullptr;
    check(*info_, "fi_endpoint", fi_endpoint(domain, info_.get(), &endpoint, nullptr));
    endpoint_.reset(endpoint);
    check(*info_, "fi_ep_bind", fi_ep_bind(endpoint, &addresses_->fid, 0));
    check(*info_, "fi_ep_bind", fi_ep_bind(endpoint, &queue_->fid, FI_TRANSMIT | FI_RECV));
    check(*info_, "fi_enable", fi_enable(endpoint));
    read_name();
}

// Opens a queue that one can sleep on, if the provider has such queues.
void Endpoint::open_queue()
{
    fi_cq_attr attributes{};
    attributes.size = info_->tx_attr->size + info_->rx_attr->size;
    attributes.format = FI_CQ_FORMAT_MSG;
    attributes.wait_obj = FI_WAIT_FD;
    fid_cq* queue = nullptr;
    if (fi_cq_open(domain_.get(), &attributes, &queue, nullptr) == 0) {
        queue_.reset(queue);
        if (fi_control(&queue->fid, FI_GETWAIT, &wait_fd_) == 0 && wait_fd_ >= 0)
            return;
        wait_fd_ = -1;
        queue_.reset();
    }
    attributes.wait_obj = FI_WAIT_NONE;
    check(*info_, "fi_cq_open", fi_cq_open(domain_.get(), &attributes, &queue, nullptr));
    queue_.reset(queue);
}

void Endpoint::read_name()
{
    std::size_t size = 0;
    fi_getname(&endpoint_->fid, nullptr, &size);
    name_.resize(size);
    check(*info_, "fi_getname", fi_getname(&endpoint_->fid, name_.data(), &size));
    name_.resize(size);
}

bool Endpoint::may_sleep() noexcept
{
    if (wait_fd_ < 0)
        return false;
    fid* const queue = &queue_->fid;
    std::array<fid*, 1> queues{queue};
    return fi_trywait(fabric_.get(), queues.data(), 1) == 0;
}

fi_addr_t Endpoint::insert(std::span<const std::byte> name)
{
    fi_addr_t address = FI_ADDR_UNSPEC;
    const int inserted = fi_av_insert(addresses_.get(), name.data(), 1, &address, 0, nullptr);
    if (inserted != 1)
        throw Error(ErrorCode::system, "connect",
                    fmt::format("libfabric's provider {} does not take the peer's address: {}",
                                info_->fabric_attr->prov_name,
                                Library::get().describe(inserted < 0 ? inserted : -FI_EINVAL)));
    return address;
}

long Endpoint::receive(std::span<std::byte> buffer, void* descriptor, FabricOperation& operation) noexcept
{
    return fi_recv(endpoint_.get(), buffer.data(), buffer.size(), descriptor, FI_ADDR_UNSPEC, &operation);
}

long Endpoint::send(fi_addr_t to, std::span<const std::byte> frame, void* descriptor,
                    FabricOperation& operation) noexcept
{
    return fi_send(endpoint_.get(), frame.data(), frame.size(), descriptor, to, &operation);
}

long Endpoint::inject(fi_addr_t to, std::span<const std::byte> frame) noexcept
{
    return fi_inject(endpoint_.get(), frame.data(), frame.size(), to);
}

long Endpoint::read(fi_addr_t from, std::uint64_t address, std::uint64_t key, std::span<std::byte> to,
                    void* descriptor, FabricOperation& operation) noexcept
{
    return fi_read(endpoint_.get(), to.data(), to.size(), descriptor, from, address, key, &operation);
}

long Endpoint::write(fi_addr_t to, std::uint64_t address, std::uint64_t key, std::span<const std::byte> from,
                     void* descriptor, FabricOperation& operation) noexcept
{
    const iovec local{const_cast<std::byte*>(from.data()), from.size()};
    const fi_rma_iov remote{address, from.size(), key};
    fi_msg_rma message{};
    message.msg_iov = &local;
    message.desc = &descriptor;
    message.iov_count = 1;
    message.addr = to;
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &operation;
    return fi_writemsg(endpoint_.get(), &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

int Endpoint::poll(std::span<Completed> completed) noexcept
{
    constexpr std::size_t kMost = 16;
    std::array<fi_cq_msg_entry, kMost> entries;
    const long count = fi_cq_read(queue_.get(), entries.data(), std::min(kMost, completed.size()));
    if (count == -FI_EAGAIN)
        return 0;
    if (count < 0)
        return -1;
    for (long i = 0; i < count; ++i) {
        const fi_cq_msg_entry& entry = entries[static_cast<std::size_t>(i)];
        completed[static_cast<std::size_t>(i)] = {static_cast<FabricOperation*>(entry.op_context), entry.len};
    }
    return static_cast<int>(count);
}

FailedOperation Endpoint::failed()
{
    fi_cq_err_entry entry{};
    const long count = fi_cq_readerr(queue_.get(), &entry, 0);
    if (count == -FI_EAGAIN)
        return {nullptr, 0, {}};
    if (count < 0)
        throw Error(ErrorCode::system, "progress",
                    fmt::format("libfabric's provider {} cannot say what has failed: {}",
                                info_->fabric_attr->prov_name, Library::get().describe(count)));
    std::string words = Library::get().describe(entry.err);
    std::array<char, 256> detail{};
    const char* const more =
        fi_cq_strerror(queue_.get(), entry.prov_errno, entry.err_data, detail.data(), detail.size());
    if (more != nullptr && *more != '\0' && words != more)
        words += fmt::format(" ({})", more);
    return {static_cast<FabricOperation*>(entry.op_context), entry.err, std::move(words)};
}

// The domain stays until the end: registrations depend on it.
void Endpoint::close() noexcept
{
    endpoint_.reset();
    addresses_.reset();
    queue_.reset();
    wait_fd_ = -1;
}

}  // namespace tutti::transport::ofi
