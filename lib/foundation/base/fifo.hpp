// A queue in one piece of memory, which it keeps: once that is large enough it allocates nothing.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace tutti::base {

/// Of plain values. Indices count from the front.
template <class T>
    requires std::is_trivially_copyable_v<T>
class Fifo {
public:
    bool empty() const noexcept { return begin_ == values_.size(); }
    std::size_t size() const noexcept { return values_.size() - begin_; }
    T& operator[](std::size_t index) noexcept { return values_[begin_ + index]; }
    const T& operator[](std::size_t index) const noexcept { return values_[begin_ + index]; }
    T& front() noexcept { return values_[begin_]; }
    T& back() noexcept { return values_.back(); }
    /// Valid until the next change.
    std::span<const T> all() const noexcept { return std::span(values_).subspan(begin_); }

    void push_back(const T& value) { values_.push_back(value); }
    void append(std::span<const T> more) { values_.insert(values_.end(), more.begin(), more.end()); }
    void insert(std::size_t index, std::span<const T> more)
    {
        values_.insert(values_.begin() + static_cast<std::ptrdiff_t>(begin_ + index), more.begin(),
                       more.end());
    }

    /// Each value moves once at most for each that is removed.
    void pop_front(std::size_t count = 1) noexcept
    {
        begin_ += count;
        if (empty()) {
            clear();
        } else if (begin_ >= kMostUnused && begin_ >= size()) {
            values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(begin_));
            begin_ = 0;
        }
    }
    void clear() noexcept
    {
        values_.clear();
        begin_ = 0;
    }

private:
    static constexpr std::size_t kMostUnused = 64;

    std::vector<T> values_;
    std::size_t begin_ = 0;
};

}  // namespace tutti::base
