// What the readers of JSON files share: the text, its parse, and complaints that name the place.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "tutti/error.hpp"

namespace tutti::collectives {

/// A JSON text with the name that complaints give it. All functions throw tutti::Error (invalid_argument).
class JsonFile {
public:
    /// Complains of what is no JSON, with line and column, and of names that an object has twice.
    JsonFile(std::string_view text, std::string_view name);
    /// Complains of what cannot be read, or is far longer than any such file.
    static JsonFile read(const std::string& path);

    const nlohmann::json& root() const noexcept { return root_; }

    /// The value at `place`, a whole number from `least` to `most`; text such as "64K" counts for 64 * 1024.
    std::uint64_t whole_number(const nlohmann::json& value, const std::string& place, std::uint64_t least,
                               std::uint64_t most) const;
    /// The value at `place`, a number that is not negative.
    double amount(const nlohmann::json& value, const std::string& place) const;
    const std::string& text(const nlohmann::json& value, const std::string& place) const;
    void require_object(const nlohmann::json& value, const std::string& place) const;

    /// The error for a value that does not belong where it is.
    Error wrong(const std::string& place, const std::string& problem) const;
    /// The error for a name that there is not; tells those there are, and the closest.
    Error unknown(const std::string& place, std::string_view name,
                  std::span<const std::string_view> known) const;

private:
    std::string name_;
    nlohmann::json root_;
};

}  // namespace tutti::collectives
