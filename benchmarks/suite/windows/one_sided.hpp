// The loops over windows, as OSU has them: rank 0 acts on rank 1's memory and completes that by locks,
// flushes, or together with rank 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

enum class OneSidedCall { put, get, accumulate, get_accumulate, fetch_and_add, compare_and_swap };

inline OneSidedCall call_of(std::string_view benchmark)
{
    constexpr std::array<std::pair<std::string_view, OneSidedCall>, 6> kCalls = {
        {{"put_", OneSidedCall::put},
         {"get_acc_", OneSidedCall::get_accumulate},
         {"get_", OneSidedCall::get},
         {"acc_", OneSidedCall::accumulate},
         {"fop_", OneSidedCall::fetch_and_add},
         {"cas_", OneSidedCall::compare_and_swap}}};
    return std::find_if(kCalls.begin(), kCalls.end(),
                        [&](const auto& one) { return benchmark.starts_with(one.first); })
        ->second;
}

/// One row: `messages` operations an iteration, each on elements of its own.
template <Backend B, class T>
class OneSidedLoop {
public:
    /// `window` has room for all messages, as have `out`, what is written, and `in`, what was read.
    OneSidedLoop(Session<B>& session, typename B::template Window<T>& window, std::span<T> out,
                 std::span<T> in, std::size_t messages)
        : job_(session.job()),
          window_(window),
          call_(call_of(session.name())),
          synchronization_(session.synchronization()),
          peer_(1 - session.job().rank()),
          both_(session.name() == "put_bibw"),
          in_turn_(!session.benchmark().windows && is_active(synchronization_)),
          acts_(job_.rank() == 0 || both_ || in_turn_),
          out_(out),
          in_(in),
          count_(out.size() / messages)
    {
    }

    /// All ranks: the epoch of the iterations, where each iteration is not one of its own.
    void open()
    {
        if (synchronization_ == Synchronization::fence)
            fenced_.emplace(window_.fence());
        else if (acts_ && flushes())
            locked_.emplace(window_.lock_shared(peer_));
    }
    void close()
    {
        fenced_.reset();
        locked_.reset();
    }

    /// All ranks.
    void iteration()
    {
        switch (synchronization_) {
            case Synchronization::lock:
                if (acts_) {
                    const auto target = window_.lock_shared(peer_);
                    act(target);
                }
                break;
            case Synchronization::flush:
                if (acts_) {
                    act(*locked_);
                    locked_->flush();
                }
                break;
            case Synchronization::flush_local:
                if (acts_) {
                    act(*locked_);
                    locked_->flush_local();
                }
                break;
            case Synchronization::lock_all:
                if (acts_) {
                    const auto all = window_.lock_all();
                    act(all[peer_]);
                }
                break;
            case Synchronization::pscw:
                posted();
                break;
            case Synchronization::fence:
                fenced();
                break;
        }
    }

    /// One iteration on known elements. Whether all of both ranks are right afterwards.
    bool check()
    {
        const int rank = job_.rank();
        {
            const auto own = window_.lock(rank);
            fill(window_.local(), window_salt(rank));
        }
        fill(out_, out_salt(rank));
        fill(in_, kNoSalt);
        if (call_ == OneSidedCall::compare_and_swap)
            in_.back() = element(0, window_salt(peer_));  // what is expected: the swap takes place
        job_.barrier();
        open();
        iteration();
        close();
        job_.barrier();
        const bool peer_acts = rank == 1 || both_ || in_turn_;
        const bool writes = call_ != OneSidedCall::get && peer_acts;
        const bool adds = call_ == OneSidedCall::accumulate || call_ == OneSidedCall::get_accumulate ||
                          call_ == OneSidedCall::fetch_and_add;
        const bool reads = call_ != OneSidedCall::put && call_ != OneSidedCall::accumulate && acts_;
        const std::size_t read = is_word() ? 1 : in_.size();
        std::size_t wrong = 0;
        {
            const auto own = window_.lock(rank);
            const std::span<T> memory = window_.local();
            for (std::size_t i = 0; i < out_.size(); ++i) {
                const T before = element(i, window_salt(rank));
                const T given = element(i, out_salt(peer_));
                const T expected = !writes ? before : adds ? static_cast<T>(before + given) : given;
                wrong += memory[i] != expected ? 1 : 0;
            }
        }
        for (std::size_t i = 0; reads && i < read; ++i)
            wrong += in_[i] != element(i, window_salt(peer_)) ? 1 : 0;
        return none_wrong(job_, wrong);
    }

    /// How many iterations of one rank after the other an iteration is.
    double turns() const { return in_turn_ ? 2.0 : 1.0; }

private:
    using Locked = decltype(std::declval<typename B::template Window<T>&>().lock(0));
    using Fenced = decltype(std::declval<typename B::template Window<T>&>().fence());
    static constexpr std::size_t kNoSalt = 9;

    static std::size_t window_salt(int rank) { return static_cast<std::size_t>(rank); }
    static std::size_t out_salt(int rank) { return 2 + static_cast<std::size_t>(rank); }
    // Sums of two of them are elements as well.
    static T element(std::size_t index, std::size_t salt)
    {
        return static_cast<T>((7 * index + 11 * salt) % 50);
    }
    static void fill(std::span<T> elements, std::size_t salt)
    {
        for (std::size_t i = 0; i < elements.size(); ++i)
            elements[i] = element(i, salt);
    }

    bool flushes() const { return is_flush(synchronization_); }
    bool is_word() const
    {
        return call_ == OneSidedCall::fetch_and_add || call_ == OneSidedCall::compare_and_swap;
    }

    void act(const typename B::template Target<T>& target)
    {
        if (is_word()) {
            if constexpr (std::is_same_v<T, std::int64_t>) {
                if (call_ == OneSidedCall::fetch_and_add)
                    B::fetch_and_add(target, out_.front(), in_.front());
                else
                    B::compare_and_swap(target, in_.back(), out_.front(), in_.front());
            }
            return;
        }
        for (std::size_t offset = 0; offset < out_.size(); offset += count_) {
            const std::span<const T> from(out_.data() + offset, count_);
            const std::span<T> to(in_.data() + offset, count_);
            if (call_ == OneSidedCall::put)
                target.put(from, offset);
            else if (call_ == OneSidedCall::get)
                target.get(to, offset);
            else if (call_ == OneSidedCall::accumulate)
                target.accumulate(from, offset, tutti::sum);
            else
                target.get_accumulate(from, to, offset, tutti::sum);
        }
    }

    void start()
    {
        const auto access = window_.start(std::span<const int>(&peer_, 1));
        act(access[peer_]);
    }
    void post() { const auto exposure = window_.post(std::span<const int>(&peer_, 1)); }
    void posted()
    {
        if (both_) {
            const auto exposure = window_.post(std::span<const int>(&peer_, 1));
            start();
        } else if (job_.rank() == 0) {
            start();
            if (in_turn_)
                post();
        } else {
            post();
            if (in_turn_)
                start();
        }
    }
    void fenced()
    {
        const bool first = job_.rank() == 0;
        if (acts_ && in_turn_ && first)
            act((*fenced_)[peer_]);
        fenced_->fence();
        if (acts_ && (!in_turn_ || !first))
            act((*fenced_)[peer_]);
        fenced_->fence();
    }

    B& job_;
    typename B::template Window<T>& window_;
    OneSidedCall call_;
    Synchronization synchronization_;
    int peer_;
    bool both_;     // at the same time
    bool in_turn_;  // or one after the other
    bool acts_;
    std::span<T> out_, in_;
    std::size_t count_;  // elements of a message
    std::optional<Fenced> fenced_;
    std::optional<Locked> locked_;
};

/// A row for each size, over elements of T.
template <class T, Backend B>
void one_sided_of(Session<B>& session)
{
    const std::size_t messages =
        session.benchmark().windows ? static_cast<std::size_t>(session.options().window) : 1;
    session.open(Start::free);
    session.each_size(messages, [&](Buffers& buffers, std::size_t size_bytes) {
        const std::size_t all_bytes = messages * size_bytes;
        // A page at least: in windows of 8 bytes or less MPICH 4.0.2's ranks look at different memory.
        const std::size_t window_bytes = std::max(all_bytes, kPageBytes);
        PageBuffer memory(window_bytes, 'c', session.memory());
        const auto elements = [](PageBuffer& buffer, std::size_t bytes) {
            return std::span<T>(reinterpret_cast<T*>(buffer.bytes(0).data()), bytes / sizeof(T));
        };
        auto window = session.job().window(session.options().window_kind, elements(memory, window_bytes));
        std::ranges::fill(window.local(), T{});
        const bool swaps = session.name() == "cas_latency";
        OneSidedLoop<B, T> loop(session, window, elements(buffers.out, all_bytes),
                                elements(buffers.in, all_bytes + (swaps ? sizeof(T) : 0)), messages);
        const std::optional<bool> valid = session.checked([&] { return loop.check(); });
        std::ranges::fill(elements(buffers.out, all_bytes), T{});  // sums stay what they are
        loop.open();
        const Series series =
            session.sampler().iterations(Over::root, Start::free, [&] { loop.iteration(); });
        loop.close();
        const double bytes = static_cast<double>(all_bytes) * (session.name() == "put_bibw" ? 2.0 : 1.0);
        const bool stream = session.benchmark().windows;
        session.row(
            static_cast<double>(size_bytes), series,
            [&](double us) { return stream ? bytes / us : us / loop.turns(); }, valid);
    });
}

/// put_latency and all others of two ranks and a window.
template <Backend B>
void one_sided(Session<B>& session)
{
    switch (session.options().element()) {
        case DataType::int32:
            return one_sided_of<std::int32_t>(session);
        case DataType::int64:
            return one_sided_of<std::int64_t>(session);
        case DataType::float32:
            return one_sided_of<float>(session);
        case DataType::float64:
            return one_sided_of<double>(session);
        default:
            return one_sided_of<std::int8_t>(session);
    }
}

}  // namespace tutti::bench
