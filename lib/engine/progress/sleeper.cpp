#include "lib/engine/progress/sleeper.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/foundation/base/futex.hpp"

namespace tutti::progress {

namespace {

// How long a sleep may last whose doorbell no file descriptor tells of.
constexpr std::int64_t kDeafNs = 1'000'000;

}  // namespace

void Sleeper::add(transport::Transport& transport)
{
    auto* const bell = transport.doorbell();
    const bool has_descriptor = transport.wait_fd() >= 0;
    if (anybody()) {
        wake();  // by the old bell, and to look at the new transport
        if (bell != nullptr || has_descriptor)
            transport.arm();
    }
    if (bell != nullptr) {
        doorbell_owner_ = &transport;
        bell_ = bell;
    }
    if (has_descriptor)
        waited_for_.push_back(&transport);
    if (waited_for_.empty())
        return;
    if (doorbell_owner_ != nullptr)
        doorbell_fd_ = doorbell_owner_->doorbell_fd();
    if (!wake_fd_)
        wake_fd_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_fd_)
        throw Error(ErrorCode::system, "progress",
                    fmt::format("no file descriptor to sleep on: {}; raise the open-file limit (ulimit -n)",
                                std::strerror(errno)));
    list_descriptors();
}

void Sleeper::list_descriptors()
{
    auto descriptors = std::make_shared<std::vector<pollfd>>();
    const auto add = [&](int fd) {
        if (fd >= 0)
            descriptors->push_back({.fd = fd, .events = POLLIN, .revents = 0});
    };
    add(wake_fd_.get());
    add(doorbell_fd_);
    for (transport::Transport* transport : waited_for_)
        add(transport->wait_fd());
    descriptors_ = std::move(descriptors);
}

void Sleeper::arm()
{
    if (sleepers_++ != 0)
        return;
    if (doorbell_owner_ != nullptr)
        doorbell_owner_->arm();
    for (transport::Transport* transport : waited_for_)
        transport->arm();
}

// Only the last one drains: others may not have looked yet.
void Sleeper::disarm() noexcept
{
    if (--sleepers_ != 0)
        return;
    if (doorbell_owner_ != nullptr)
        doorbell_owner_->disarm();
    for (transport::Transport* transport : waited_for_)
        transport->disarm();
    if (wake_fd_) {
        eventfd_t count = 0;
        eventfd_read(wake_fd_.get(), &count);
    }
}

Sleeper::Ticket Sleeper::ticket() const
{
    Ticket ticket;
    ticket.bell_ = bell_;
    ticket.rung_ = bell_->load(std::memory_order_acquire);
    ticket.descriptors_ = descriptors_;
    ticket.deaf_ = doorbell_owner_ != nullptr && doorbell_fd_ < 0;
    return ticket;
}

// A poll needs no number of the bell's: each of the descriptors stays readable until the last sleeper has
// left.
void Sleeper::sleep(const Ticket& ticket, std::int64_t longest_ns)
{
    if (ticket.descriptors_ == nullptr) {
        base::futex_wait(*ticket.bell_, ticket.rung_, longest_ns);
        return;
    }
    constexpr std::size_t kMost = 8;
    std::array<pollfd, kMost> fds;
    const std::size_t count = std::min(ticket.descriptors_->size(), kMost);
    std::copy_n(ticket.descriptors_->begin(), count, fds.begin());
    const std::int64_t ns = ticket.deaf_ ? std::min(longest_ns, kDeafNs) : longest_ns;
    const timespec timeout{.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
                           .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
    ppoll(fds.data(), count, &timeout, nullptr);
}

void Sleeper::wake() noexcept
{
    bell_->fetch_add(1, std::memory_order_release);
    base::futex_wake_all(*bell_);
    if (wake_fd_)
        eventfd_write(wake_fd_.get(), 1);
}

}  // namespace tutti::progress
