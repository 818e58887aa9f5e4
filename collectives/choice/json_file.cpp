#include "collectives/choice/json_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>

#include "collectives/choice/parse_bytes.hpp"
#include "lib/foundation/base/suggest.hpp"

namespace tutti::collectives {

namespace {

using nlohmann::json;

// Parsers silently take the last of two equal names.
json parse_without_duplicates(std::string_view text, std::string& twice)
{
    std::vector<std::set<std::string>> open;
    return json::parse(text, [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start)
            open.emplace_back();
        else if (event == json::parse_event_t::object_end)
            open.pop_back();
        else if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
            twice = parsed.get<std::string>();
        return true;
    });
}

std::string shown(const json& value)
{
    constexpr std::size_t kMost = 40;
    const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

}  // namespace

JsonFile::JsonFile(std::string_view text, std::string_view name) : name_(name)
{
    std::string twice;
    try {
        root_ = parse_without_duplicates(text, twice);
    } catch (const json::exception& error) {
        const std::string_view what = error.what();
        const std::size_t words = what.find("] ");
        throw Error(ErrorCode::invalid_argument, name_,
                    fmt::format("this is no JSON: {}",
                                words == std::string_view::npos ? what : what.substr(words + 2)));
    }
    if (!twice.empty())
        throw Error(ErrorCode::invalid_argument, name_,
                    fmt::format("\"{}\" is there twice in one object; remove one", twice));
}

JsonFile JsonFile::read(const std::string& path)
{
    constexpr std::size_t kMostBytes = 4u << 20;
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string text(kMostBytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in.is_open() || in.bad())
        throw Error(ErrorCode::invalid_argument, path,
                    fmt::format("the file cannot be read: {}", std::strerror(errno)));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostBytes)
        throw Error(ErrorCode::invalid_argument, path,
                    fmt::format("has more than {} bytes; name a file made for this", kMostBytes));
    return JsonFile(text, path);
}

std::uint64_t JsonFile::whole_number(const json& value, const std::string& place, std::uint64_t least,
                                     std::uint64_t most) const
{
    std::optional<std::uint64_t> number;
    if (value.is_number_unsigned())
        number = value.get<std::uint64_t>();
    else if (value.is_string())
        number = parse_bytes(value.get_ref<const std::string&>());
    if (!number || *number < least || *number > most)
        throw wrong(place,
                    fmt::format("{} is no whole number from {} to {}; write for example 4096 or \"4K\"",
                                shown(value), least, most));
    return *number;
}

double JsonFile::amount(const json& value, const std::string& place) const
{
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
        throw wrong(place, fmt::format("{} is no number of at least 0", shown(value)));
    return value.get<double>();
}

const std::string& JsonFile::text(const json& value, const std::string& place) const
{
    if (!value.is_string())
        throw wrong(place, fmt::format("{} is no text in quotes", shown(value)));
    return value.get_ref<const std::string&>();
}

void JsonFile::require_object(const json& value, const std::string& place) const
{
    if (!value.is_object())
        throw wrong(place, fmt::format("{} is no object in braces", shown(value)));
}

Error JsonFile::wrong(const std::string& place, const std::string& problem) const
{
    return Error(ErrorCode::invalid_argument, name_, place.empty() ? problem : place + ": " + problem);
}

Error JsonFile::unknown(const std::string& place, std::string_view name,
                        std::span<const std::string_view> known) const
{
    return wrong(place, fmt::format("there is no \"{}\"{}; there is {}", name,
                                    base::did_you_mean(name, known), fmt::join(known, ", ")));
}

}  // namespace tutti::collectives
