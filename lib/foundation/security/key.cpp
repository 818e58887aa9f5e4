#include "lib/foundation/security/key.hpp"

#include <sodium.h>

#include "tutti/error.hpp"

namespace tutti::security {

namespace {

const unsigned char* chars(std::span<const std::byte> bytes) noexcept
{
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

void fill_random(std::span<std::byte> bytes)
{
    if (sodium_init() < 0)
        throw Error(ErrorCode::system, "security", "the system gives no random numbers, which keys need");
    randombytes_buf(bytes.data(), bytes.size());
}

Key Key::random()
{
    Key key;
    fill_random(key.bytes_);
    return key;
}

std::optional<Key> Key::from_hex(std::string_view text)
{
    Key key;
    std::size_t size = 0;
    const char* end = nullptr;
    if (text.size() != 2 * kBytes ||
        sodium_hex2bin(reinterpret_cast<unsigned char*>(key.bytes_.data()), kBytes, text.data(), text.size(),
                       nullptr, &size, &end) != 0 ||
        size != kBytes || end != text.data() + text.size())
        return std::nullopt;
    return key;
}

std::string Key::to_hex() const
{
    std::string text(2 * kBytes + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), chars(bytes_), kBytes);
    text.pop_back();
    return text;
}

std::uint64_t Key::job() const noexcept
{
    static constexpr std::string_view kPurpose = "tutti: which job";
    std::array<std::byte, crypto_auth_BYTES> hash{};
    crypto_auth(reinterpret_cast<unsigned char*>(hash.data()), chars(std::as_bytes(std::span(kPurpose))),
                kPurpose.size(), chars(bytes_));
    std::uint64_t job = 0;
    for (std::size_t i = 0; i < sizeof job; ++i)
        job = job << 8 | std::to_integer<std::uint64_t>(hash[i]);
    return job;
}

bool Key::operator==(const Key& other) const noexcept
{
    return sodium_memcmp(bytes_.data(), other.bytes_.data(), kBytes) == 0;
}

}  // namespace tutti::security
