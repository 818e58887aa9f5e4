#include "benchmarks/record/fields.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tutti::bench::record {

Place::Place(const nlohmann::json& document, std::string file) : Place(&document, std::move(file), "") {}

Place::Place(const nlohmann::json* value, std::string file, std::string where)
    : value_(value), file_(std::move(file)), where_(std::move(where))
{
}

void Place::complain(const std::string& what) const
{
    throw std::runtime_error(
        fmt::format("{}: {} {}", file_, where_.empty() ? "the document" : "'" + where_ + "'", what));
}

Place Place::operator[](const char* name) const
{
    if (!value_->is_object())
        complain("must be an object");
    const auto found = value_->find(name);
    Place place(value_, file_, where_.empty() ? name : where_ + "." + name);
    if (found == value_->end())
        place.complain("is missing; was the file written to its end, and by this version of tutti-bench?");
    place.value_ = &*found;
    return place;
}

bool Place::has(const char* name) const
{
    return value_->is_object() && value_->contains(name) && !(*value_)[name].is_null();
}

std::vector<Place> Place::elements() const
{
    if (!value_->is_array())
        complain("must be a list");
    std::vector<Place> places;
    for (std::size_t i = 0; i < value_->size(); ++i)
        places.push_back(Place(&(*value_)[i], file_, fmt::format("{}[{}]", where_, i)));
    return places;
}

std::vector<std::pair<std::string, Place>> Place::members() const
{
    if (!value_->is_object())
        complain("must be an object");
    std::vector<std::pair<std::string, Place>> places;
    for (const auto& [name, value] : value_->items())
        places.emplace_back(name, Place(&value, file_, where_ + "." + name));
    return places;
}

double Place::number() const
{
    if (!value_->is_number())
        complain("must be a number");
    return value_->get<double>();
}

int Place::integer() const
{
    if (!value_->is_number_integer())
        complain("must be a whole number");
    return value_->get<int>();
}

bool Place::boolean() const
{
    if (!value_->is_boolean())
        complain("must be true or false");
    return value_->get<bool>();
}

std::string Place::text() const
{
    if (!value_->is_string())
        complain("must be a text");
    return value_->get<std::string>();
}

std::vector<std::string> Place::texts() const
{
    std::vector<std::string> found;
    for (const Place& element : elements())
        found.push_back(element.text());
    return found;
}

std::vector<double> Place::numbers() const
{
    std::vector<double> found;
    for (const Place& element : elements())
        found.push_back(element.number());
    return found;
}

std::vector<std::pair<std::string, double>> Place::named_numbers() const
{
    std::vector<std::pair<std::string, double>> found;
    for (const auto& [name, member] : members())
        found.emplace_back(name, member.number());
    return found;
}

std::optional<double> Place::number_if_any(const char* name) const
{
    return has(name) ? std::optional((*this)[name].number()) : std::nullopt;
}

std::optional<bool> Place::boolean_if_any(const char* name) const
{
    return has(name) ? std::optional((*this)[name].boolean()) : std::nullopt;
}

std::string Place::text_if_any(const char* name) const
{
    return has(name) ? (*this)[name].text() : "";
}

std::vector<std::string> Place::texts_if_any(const char* name) const
{
    return has(name) ? (*this)[name].texts() : std::vector<std::string>{};
}

nlohmann::json read_json(const std::string& file)
{
    // Opening a folder succeeds.
    if (std::filesystem::is_directory(file))
        throw std::runtime_error(fmt::format("{}: is a folder, not a file", file));
    std::ifstream stream(file);
    if (!stream)
        throw std::runtime_error(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
    try {
        return nlohmann::json::parse(stream);
    } catch (const nlohmann::json::exception& error) {
        throw std::runtime_error(fmt::format("{}: is not JSON: {}", file, error.what()));
    } catch (const std::ios_base::failure& error) {
        throw std::runtime_error(fmt::format("{}: cannot be read: {}", file, error.what()));
    }
}

}  // namespace tutti::bench::record
