#include "lib/engine/progress/sleeper.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/foundation/base/futex.hpp"
#include "tutti/error.hpp"

namespace tutti::progress {

namespace {

// The longest sleep if no file descriptor reports a change of the word.
constexpr std::int64_t kPollWordNs = 1'000'000;

}  // namespace

void Sleeper::add(transport::Doorbell& doorbell)
{
    if (anybody()) {
        wake();  // ends sleeps that use the old word; the next pass polls the new transport
        doorbell.arm();
    }
    if (auto* const word = doorbell.word(); word != nullptr) {
        with_word_ = &doorbell;
        word_ = word;
    } else {
        with_fd_.push_back(&doorbell);
    }
    if (with_fd_.empty())
        return;
    if (with_word_ != nullptr)
        word_fd_ = with_word_->wait_fd();
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
    add(word_fd_);
    for (transport::Doorbell* doorbell : with_fd_)
        add(doorbell->wait_fd());
    descriptors_ = std::move(descriptors);
}

void Sleeper::arm()
{
    if (sleepers_++ != 0)
        return;
    if (with_word_ != nullptr)
        with_word_->arm();
    for (transport::Doorbell* doorbell : with_fd_)
        doorbell->arm();
}

// Only the last sleeper drains: others may not have looked yet.
void Sleeper::disarm() noexcept
{
    if (--sleepers_ != 0)
        return;
    if (with_word_ != nullptr)
        with_word_->disarm();
    for (transport::Doorbell* doorbell : with_fd_)
        doorbell->disarm();
    if (wake_fd_) {
        eventfd_t count = 0;
        eventfd_read(wake_fd_.get(), &count);
    }
}

Sleeper::Ticket Sleeper::ticket() const
{
    Ticket ticket;
    ticket.word_ = word_;
    ticket.rung_ = word_->load(std::memory_order_acquire);
    ticket.descriptors_ = descriptors_;
    ticket.only_polls_word_ = with_word_ != nullptr && word_fd_ < 0;
    return ticket;
}

// Each descriptor stays readable until the last sleeper has left, so poll() needs no value of the word.
void Sleeper::sleep(const Ticket& ticket, std::int64_t longest_ns)
{
    if (ticket.descriptors_ == nullptr) {
        base::futex_wait(*ticket.word_, ticket.rung_, longest_ns);
        return;
    }
    constexpr std::size_t kMost = 8;
    std::array<pollfd, kMost> fds;
    const std::size_t count = std::min(ticket.descriptors_->size(), kMost);
    std::copy_n(ticket.descriptors_->begin(), count, fds.begin());
    const std::int64_t ns = ticket.only_polls_word_ ? std::min(longest_ns, kPollWordNs) : longest_ns;
    const timespec timeout{.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
                           .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
    ppoll(fds.data(), count, &timeout, nullptr);
}

void Sleeper::wake() noexcept
{
    word_->fetch_add(1, std::memory_order_release);
    base::futex_wake_all(*word_);
    if (wake_fd_)
        eventfd_write(wake_fd_.get(), 1);
}

}  // namespace tutti::progress
