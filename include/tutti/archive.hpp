// The archives of serialize and deserialize: a growing and a bounds-checked sequence of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/error.hpp"

namespace tutti {

/// Deepest nesting of objects. Only a type that contains itself can reach it. The limit keeps damaged bytes
/// and cyclic objects from exhausting the stack.
inline constexpr int kMaxNesting = 500;

/// Collects the bytes of objects. Hand objects to it by calling it: archive(a, b, c).
class OutputArchive {
public:
    /// Whether it reads: for functions that serve both archives.
    static constexpr bool kReading = false;

    /// Appends the objects. tutti/serialize.hpp defines it for each kind of type.
    template <class... Ts>
    OutputArchive& operator()(const Ts&... objects);

    /// Appends bytes as they are.
    void write(const void* data, std::size_t size_bytes)
    {
        const auto* first = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), first, first + size_bytes);
    }

    /// Bytes so far.
    std::size_t position() const noexcept { return bytes_.size(); }
    /// Hands them over.
    std::vector<std::byte> take() && noexcept { return std::move(bytes_); }

private:
    void enter();  // enters an object within another; throws ErrorCode::invalid_argument beyond kMaxNesting
    void leave() noexcept { --depth_; }

    std::vector<std::byte> bytes_;
    int depth_ = 0;
};

/// Reads objects from untrusted bytes: checks every length against the remaining bytes before it allocates
/// memory. All errors are ErrorCode::protocol.
class InputArchive {
public:
    /// Whether it reads: for functions that serve both archives.
    static constexpr bool kReading = true;

    /// Borrows the bytes. `operation` and `peer` appear in error texts.
    explicit InputArchive(std::span<const std::byte> bytes, std::string_view operation = "deserialize",
                          int peer = Error::kNoPeer) noexcept
        : bytes_(bytes), operation_(operation), peer_(peer)
    {
    }

    /// Reads the objects, in the order in which they were written.
    template <class... Ts>
    InputArchive& operator()(Ts&... objects);

    /// Copies the next bytes. Throws when there are fewer.
    void read(void* data, std::size_t size_bytes)
    {
        if (size_bytes > remaining())
            fail_truncated(size_bytes);
        if (size_bytes != 0)
            std::memcpy(data, bytes_.data() + position_, size_bytes);
        position_ += size_bytes;
    }

    /// Reads a number of elements of at least `element_bytes` each. Throws when the remaining bytes cannot
    /// hold them all.
    std::size_t read_count(std::size_t element_bytes);

    /// Bytes that were read, and that are left.
    std::size_t position() const noexcept { return position_; }
    std::size_t remaining() const noexcept { return bytes_.size() - position_; }
    /// Throws when bytes are left: the writer used another type.
    void expect_end() const;

    /// Throws an error with `detail`, the position and the remedy.
    [[noreturn]] void fail(std::string_view detail) const;

private:
    void enter();
    void leave() noexcept { --depth_; }
    [[noreturn]] void fail_truncated(std::size_t wanted_bytes) const;

    std::span<const std::byte> bytes_;
    std::size_t position_ = 0;
    std::string_view operation_;
    int peer_;
    int depth_ = 0;
};

}  // namespace tutti
