// JSON that programs have written, as tests read it.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::test {

/// A value within a document, which it keeps. Every look at what is not there, or is of another type, throws
/// std::runtime_error. It stands before nlohmann's class: that one's templates would take the compiler five seconds in
/// each unit that compares values.
class Json {
public:
    explicit Json(const std::string& text);

    Json operator[](std::string_view name) const;
    Json operator[](std::size_t index) const;
    bool contains(std::string_view name) const;
    /// Of an array or an object, else 0.
    std::size_t size() const;
    bool empty() const { return size() == 0; }
    /// Of an array, or the values of an object.
    std::vector<Json> elements() const;
    bool is_null() const;
    bool is_number() const;
    bool is_integer() const;
    bool is_string() const;
    bool is_object() const;

    std::string text() const;
    double number() const;
    long integer() const;
    bool flag() const;
    /// Of an array.
    std::vector<std::string> texts() const;
    /// In one line.
    std::string dump() const;

    /// Whether an object has each member of another document's.
    bool has(const std::string& members) const;

    friend bool operator==(const Json& one, const Json& other);
    friend bool operator==(const Json& json, std::string_view text) { return json.is_string() && json.text() == text; }
    template <class Number>
        requires std::is_arithmetic_v<Number>
    friend bool operator==(const Json& json, Number number)
    {
        if constexpr (std::is_same_v<Number, bool>)
            return json.flag() == number;
        else
            return json.is_number() && json.number() == static_cast<double>(number);
    }
    friend std::ostream& operator<<(std::ostream& out, const Json& json);

private:
    explicit Json(std::shared_ptr<const void> value) : value_(std::move(value)) {}

    std::shared_ptr<const void> value_;  // nlohmann's, which the document owns
};

/// Those of the elements of an array that have these members.
std::vector<Json> those_with(const Json& list, const std::string& members);

}  // namespace tutti::test
