// What serialize and deserialize write to and read from: a growing, and a bounds-checked, sequence of bytes.
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

/// Deepest nesting of objects within objects. Only a type that contains itself can reach it; the limit keeps
/// hostile bytes, and cyclic objects, from exhausting the stack.
inline constexpr int kMaxNesting = 500;

/// Collects the bytes of objects. Hand objects to it by calling it: archive(a, b, c).
class OutputArchive {
public:
    static constexpr bool kReading = false;

    /// Appends the objects. Declared here, defined for each kind of type in tutti/serialize.hpp.
    template <class... Ts>
    OutputArchive& operator()(const Ts&... objects);

    /// Appends bytes as they are.
    void write(const void* data, std::size_t size_bytes)
    {
        const auto* first = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), first, first + size_bytes);
    }

    std::size_t position() const noexcept { return bytes_.size(); }
    std::vector<std::byte> take() && noexcept { return std::move(bytes_); }

private:
    void enter();  // one object within another; throws ErrorCode::invalid_argument beyond kMaxNesting
    void leave() noexcept { --depth_; }

    std::vector<std::byte> bytes_;
    int depth_ = 0;
};

/// Yields objects from bytes that nobody vouches for: every length is checked against what is there before
/// memory is taken for it. All errors are ErrorCode::protocol.
class InputArchive {
public:
    static constexpr bool kReading = true;

    /// The bytes are borrowed. `operation` and `peer` are for the error's words.
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

    /// Reads a number of elements, each of which takes at least `element_bytes`. Throws when they cannot all
    /// be there.
    std::size_t read_count(std::size_t element_bytes);

    std::size_t position() const noexcept { return position_; }
    std::size_t remaining() const noexcept { return bytes_.size() - position_; }
    /// Throws when bytes are left over: then another type was written than the one that was read.
    void expect_end() const;

    /// Throws with `detail`, the position and the remedy.
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
