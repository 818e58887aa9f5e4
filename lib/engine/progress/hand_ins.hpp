// Work that other threads have done for the engine, and that a pass of progress ends under its lock.
#pragma once

#include <sys/eventfd.h>

#include <atomic>
#include <cstddef>
#include <utility>

#include "lib/foundation/base/unique_fd.hpp"
#include "transports/doorbell.hpp"

namespace tutti::progress {

/// Whoever hands it in keeps it until it is finished or withdrawn.
class HandedIn {
public:
    HandedIn() = default;
    HandedIn(const HandedIn&) = delete;
    HandedIn& operator=(const HandedIn&) = delete;

    /// In a pass of progress, under the lock. May destroy it.
    virtual void finish() noexcept = 0;

protected:
    virtual ~HandedIn() = default;

private:
    friend class HandIns;
    HandedIn* next_ = nullptr;
};

class HandIns final : public transport::Doorbell {
public:
    int wait_fd() override { return descriptor_.get(); }
    /// Sequentially consistent, as the look in push(): Dekker's handshake. Either the sleeper's last pass sees what was
    /// handed in, or that rings.
    void arm() override { armed_.store(true, std::memory_order_seq_cst); }
    void disarm() noexcept override
    {
        armed_.store(false, std::memory_order_relaxed);
        eventfd_t count = 0;
        eventfd_read(descriptor_.get(), &count);
    }

    /// False: the process may open no more files.
    bool open() noexcept
    {
        descriptor_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        return static_cast<bool>(descriptor_);
    }
    bool is_open() const noexcept { return static_cast<bool>(descriptor_); }

    /// Any thread, without the lock. Release: pairs with the acquire in take().
    void push(HandedIn& done) noexcept
    {
        done.next_ = newest_.load(std::memory_order_relaxed);
        while (!newest_.compare_exchange_weak(done.next_, &done, std::memory_order_seq_cst,
                                              std::memory_order_relaxed)) {
        }
        if (armed_.load(std::memory_order_seq_cst))
            eventfd_write(descriptor_.get(), 1);
    }

    bool any() const noexcept
    {
        return newest_.load(std::memory_order_relaxed) != nullptr || first_ != nullptr;
    }
    /// Finishes all, in their order; returns how many.
    std::size_t finish_all() noexcept
    {
        take();
        std::size_t count = 0;
        while (first_ != nullptr) {
            HandedIn* const done = first_;
            first_ = std::exchange(done->next_, nullptr);
            ++count;
            done->finish();
        }
        return count;
    }
    /// It is not finished any more, if it was handed in.
    void withdraw(const HandedIn& done) noexcept
    {
        take();
        for (HandedIn** link = &first_; *link != nullptr; link = &(*link)->next_)
            if (*link == &done) {
                *link = (*link)->next_;
                return;
            }
    }

private:
    // Moves what was pushed behind what is there.
    void take() noexcept
    {
        HandedIn* newest = newest_.exchange(nullptr, std::memory_order_acquire);
        HandedIn* in_order = nullptr;
        while (newest != nullptr)
            in_order = std::exchange(newest, std::exchange(newest->next_, in_order));
        HandedIn** end = &first_;
        while (*end != nullptr)
            end = &(*end)->next_;
        *end = in_order;
    }

    std::atomic<HandedIn*> newest_{nullptr};
    HandedIn* first_ = nullptr;  // taken, and not yet finished
    std::atomic<bool> armed_{false};
    base::UniqueFd descriptor_;
};

}  // namespace tutti::progress
