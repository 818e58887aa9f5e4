// The job's key: a process that knows it belongs to the job.
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

/// 32 random bytes, made anew for each job. A process that has them is trusted, so they only travel in ways
/// that others cannot read (PMIx, the standard input of ssh), never in a command line.
class Key {
public:
    static constexpr std::size_t kBytes = 32;

    static Key random();
    /// Nothing unless `text` is exactly 64 hexadecimal digits.
    static std::optional<Key> from_hex(std::string_view text);

    std::string to_hex() const;
    std::span<const std::byte, kBytes> bytes() const noexcept { return bytes_; }

    /// A number that distinguishes jobs and reveals nothing of the key.
    std::uint64_t job() const noexcept;

    bool operator==(const Key& other) const noexcept;

private:
    Key() = default;

    std::array<std::byte, kBytes> bytes_{};
};

}  // namespace tutti::security
