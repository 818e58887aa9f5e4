// The job's key: what a process must know to be one of ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tutti::security {

/// Bytes that cannot be guessed. Throws ErrorCode::system when there are none.
void fill_random(std::span<std::byte> bytes);

/// 32 random bytes, made anew for each job. Whoever has them is believed, so they travel only by ways that
/// others cannot read (PMIx, the standard input of ssh), never in a command line.
class Key {
public:
    static constexpr std::size_t kBytes = 32;

    static Key random();
    /// Nothing unless `text` is exactly 64 hexadecimal digits.
    static std::optional<Key> from_hex(std::string_view text);

    std::string to_hex() const;
    std::span<const std::byte, kBytes> bytes() const noexcept { return bytes_; }

    /// A number that tells jobs apart, and that gives nothing of the key away.
    std::uint64_t job() const noexcept;

    bool operator==(const Key& other) const noexcept;

private:
    Key() = default;

    std::array<std::byte, kBytes> bytes_{};
};

}  // namespace tutti::security
