// The parts of a contact: numbers, and bytes with their size in front. Host byte order: a host of the other
// order does not accept the contact.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tutti::connection {

class ContactWriter {
public:
    template <class Number>
    void number(Number value)
    {
        static_assert(std::is_integral_v<Number>);
        append(std::as_bytes(std::span(&value, 1)));
    }
    /// At most 65535.
    void bytes(std::span<const std::byte> value)
    {
        const auto size = static_cast<std::uint16_t>(std::min<std::size_t>(value.size(), UINT16_MAX));
        number(size);
        append(value.first(size));
    }
    void text(std::string_view value) { bytes(std::as_bytes(std::span(value))); }

    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    void append(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }

    std::vector<std::byte> bytes_;
};

/// Gives zeros and empty values after the first missing part.
class ContactReader {
public:
    explicit ContactReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class Number>
    Number number()
    {
        Number value = 0;
        const auto raw = take(sizeof value);
        if (!failed_)
            std::memcpy(&value, raw.data(), sizeof value);
        return value;
    }
    std::span<const std::byte> bytes() { return take(number<std::uint16_t>()); }
    std::string text()
    {
        const auto raw = bytes();
        return {reinterpret_cast<const char*>(raw.data()), raw.size()};
    }
    bool failed() const noexcept { return failed_; }
    bool at_end() const noexcept { return !failed_ && rest_.empty(); }

private:
    std::span<const std::byte> take(std::size_t size)
    {
        failed_ = failed_ || size > rest_.size();
        const auto taken = rest_.first(failed_ ? 0 : size);
        rest_ = rest_.subspan(taken.size());
        return taken;
    }

    std::span<const std::byte> rest_;
    bool failed_ = false;
};

}  // namespace tutti::connection
