#include "tests/json.hpp"

#include <nlohmann/json.hpp>

#include <ostream>
#include <stdexcept>

namespace tutti::test {

namespace {

using Value = nlohmann::json;

const Value& value_of(const std::shared_ptr<const void>& value)
{
    return *static_cast<const Value*>(value.get());
}

[[noreturn]] void fail(const char* what, const Value& value)
{
    throw std::runtime_error(std::string(what) + " in " + value.dump().substr(0, 300));
}

}  // namespace

Json::Json(const std::string& text) : value_(std::make_shared<const Value>(Value::parse(text))) {}

Json Json::operator[](std::string_view name) const
{
    const Value& value = value_of(value_);
    const auto found = value.is_object() ? value.find(std::string(name)) : value.end();
    if (found == value.end())
        fail(("no \"" + std::string(name) + "\"").c_str(), value);
    return Json(std::shared_ptr<const void>(value_, &*found));
}

Json Json::operator[](std::size_t index) const
{
    const Value& value = value_of(value_);
    if (!value.is_array() || index >= value.size())
        fail(("no element " + std::to_string(index)).c_str(), value);
    return Json(std::shared_ptr<const void>(value_, &value[index]));
}

bool Json::contains(std::string_view name) const
{
    return value_of(value_).contains(std::string(name));
}

std::size_t Json::size() const
{
    return value_of(value_).is_structured() ? value_of(value_).size() : 0;
}

std::vector<Json> Json::elements() const
{
    std::vector<Json> elements;
    if (value_of(value_).is_structured()) {
        for (const Value& element : value_of(value_))
            elements.push_back(Json(std::shared_ptr<const void>(value_, &element)));
    }
    return elements;
}

bool Json::is_null() const
{
    return value_of(value_).is_null();
}

bool Json::is_number() const
{
    return value_of(value_).is_number();
}

bool Json::is_integer() const
{
    return value_of(value_).is_number_integer();
}

bool Json::is_string() const
{
    return value_of(value_).is_string();
}

bool Json::is_object() const
{
    return value_of(value_).is_object();
}

std::string Json::text() const
{
    if (!is_string())
        fail("a text is looked for", value_of(value_));
    return value_of(value_).get<std::string>();
}

double Json::number() const
{
    if (!is_number())
        fail("a number is looked for", value_of(value_));
    return value_of(value_).get<double>();
}

long Json::integer() const
{
    if (!is_integer())
        fail("an integer is looked for", value_of(value_));
    return value_of(value_).get<long>();
}

bool Json::flag() const
{
    if (!value_of(value_).is_boolean())
        fail("true or false is looked for", value_of(value_));
    return value_of(value_).get<bool>();
}

std::vector<std::string> Json::texts() const
{
    std::vector<std::string> texts;
    for (const Json& element : elements())
        texts.push_back(element.text());
    return texts;
}

std::string Json::dump() const
{
    return value_of(value_).dump();
}

bool Json::has(const std::string& members) const
{
    const Value& value = value_of(value_);
    const Value wanted = Value::parse(members);
    for (const auto& member : wanted.items()) {
        const auto found = value.find(member.key());
        if (found == value.end() || *found != member.value())
            return false;
    }
    return true;
}

bool operator==(const Json& one, const Json& other)
{
    return value_of(one.value_) == value_of(other.value_);
}

std::ostream& operator<<(std::ostream& out, const Json& json)
{
    return out << json.dump();
}

std::vector<Json> those_with(const Json& list, const std::string& members)
{
    std::vector<Json> found;
    for (const Json& element : list.elements()) {
        if (element.has(members))
            found.push_back(element);
    }
    return found;
}

}  // namespace tutti::test
