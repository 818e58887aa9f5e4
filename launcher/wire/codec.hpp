// Turns values into payloads and back. A message lists its fields once, for both directions:
//
//     struct ExitReport {
//         int rank = 0;
//         bool joined = false;
//         static auto fields(auto& self) { return std::tie(self.rank, self.joined); }
//     };
//
// A message may have `void check() const`, which throws WireError for values that do not belong together.
// Fields are numbers, enumerations (of up to 256 values, to be checked), texts, messages, and pairs and
// vectors of all these. A payload of a few such values needs no message: encode(rank, status).
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

/// put() and take() of any other type.
template <class Value>
struct Codec;

template <class Value>
concept Message = requires(Value& value)
{
    Value::fields(value);
};

template <class Value>
void put(WireWriter& writer, const Value& value)
{
    if constexpr (std::is_same_v<Value, bool> || std::is_enum_v<Value>) {
        writer.put(static_cast<std::uint8_t>(value));
    } else if constexpr (std::is_arithmetic_v<Value>) {
        writer.put(value);
    } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
        writer.put(std::string_view(value));
    } else if constexpr (Message<Value>) {
        std::apply([&writer](const auto&... field) { (put(writer, field), ...); }, Value::fields(value));
    } else if constexpr (requires { value.first; }) {
        put(writer, value.first);
        put(writer, value.second);
    } else if constexpr (requires { value.begin(); }) {
        writer.put(static_cast<std::uint32_t>(value.size()));
        for (const auto& element : value)
            put(writer, element);
    } else {
        Codec<Value>::put(writer, value);
    }
}

template <class Value>
Value take(WireReader& reader)
{
    if constexpr (std::is_same_v<Value, bool>) {
        return reader.number<std::uint8_t>() != 0;
    } else if constexpr (std::is_enum_v<Value>) {
        return static_cast<Value>(reader.number<std::uint8_t>());
    } else if constexpr (std::is_arithmetic_v<Value>) {
        return reader.number<Value>();
    } else if constexpr (std::is_same_v<Value, std::string>) {
        return reader.text();
    } else if constexpr (Message<Value>) {
        Value value;
        std::apply(
            [&reader](auto&... field) {
                ((field = take<std::remove_reference_t<decltype(field)>>(reader)), ...);
            },
            Value::fields(value));
        if constexpr (requires { value.check(); })
            value.check();
        return value;
    } else if constexpr (requires(Value & value) { value.first; }) {
        auto first = take<typename Value::first_type>(reader);
        return {std::move(first), take<typename Value::second_type>(reader)};
    } else if constexpr (requires(Value & value) { value.begin(); }) {
        Value value;
        // No reserve(): a false count fails at the first missing element.
        for (auto count = reader.number<std::uint32_t>(); count > 0; --count)
            value.push_back(take<typename Value::value_type>(reader));
        return value;
    } else {
        return Codec<Value>::take(reader);
    }
}

template <class... Values>
std::string encode(const Values&... values)
{
    WireWriter writer;
    (put(writer, values), ...);
    return writer.bytes();
}

/// One value, or a tuple of several. Throws WireError unless the payload is these values, whole, and messages
/// pass their check().
template <class... Values>
auto decode(std::string_view payload)
{
    WireReader reader(payload);
    std::tuple<Values...> values{take<Values>(reader)...};
    reader.expect_end();
    if constexpr (sizeof...(Values) == 1)
        return std::get<0>(std::move(values));
    else
        return values;
}

}  // namespace tutti::launcher
