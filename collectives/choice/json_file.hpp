// The common part of JSON file readers: the text, the parser, and errors that name the place.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "tutti/error.hpp"

namespace tutti::collectives {

/// A JSON text with its name for errors. All functions throw tutti::Error (invalid_argument).
class JsonFile {
public:
    /// Refuses invalid JSON, with line and column, and names that occur twice in an object.
    JsonFile(std::string_view text, std::string_view name);
    /// Refuses unreadable files and files that are far too long.
    static JsonFile read(const std::string& path);

    const nlohmann::json& root() const noexcept { return root_; }

    /// The value at `place`, a whole number from `least` to `most`; text such as "64K" means 64 * 1024.
    std::uint64_t whole_number(const nlohmann::json& value, const std::string& place, std::uint64_t least,
                               std::uint64_t most) const;
    /// The value at `place`, a number that is not negative.
    double amount(const nlohmann::json& value, const std::string& place) const;
    const std::string& text(const nlohmann::json& value, const std::string& place) const;
    void require_object(const nlohmann::json& value, const std::string& place) const;

    /// The error for a wrong value.
    Error wrong(const std::string& place, const std::string& problem) const;
    /// The error for an unknown name; it lists the known names and the closest one.
    Error unknown(const std::string& place, std::string_view name,
                  std::span<const std::string_view> known) const;

private:
    std::string name_;
    nlohmann::json root_;
};

}  // namespace tutti::collectives
