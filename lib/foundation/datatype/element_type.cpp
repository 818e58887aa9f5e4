#include "tutti/element_type.hpp"

namespace tutti::detail {

namespace {

constexpr ElementType type_of(DataType number) noexcept
{
    const std::size_t bytes = size_bytes(number);
    if (number == DataType::int8 || number == DataType::uint8 || bytes == 0)
        return {};
    if (index_bytes(number) != 0)
        return {ElementType::Kind::object, {}, bytes, "a value and its index"};
    return {ElementType::Kind::number, number, bytes};
}

constexpr std::array<ElementType, 256> all_types() noexcept
{
    std::array<ElementType, 256> types{};
    for (std::size_t i = 0; i < types.size(); ++i)
        types[i] = type_of(static_cast<DataType>(i));
    return types;
}

}  // namespace

constinit const std::array<ElementType, 256> kNumberTypes = all_types();

}  // namespace tutti::detail
