#include "lib/core/check/message_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/foundation/reduction/types.hpp"

namespace tutti::check {

namespace {

using detail::ElementType;

constexpr std::size_t kMostRunsInWords = 3;

// A basic type in a number.
std::uint64_t code_of(DataType type, std::size_t element_bytes) noexcept
{
    if (type == DataType::int8)
        type = DataType::uint8;
    return std::uint64_t{element_bytes} << 8 | static_cast<std::uint8_t>(type);
}

std::string name_of(std::uint64_t code)
{
    const auto type = static_cast<DataType>(code & 0xff);
    const std::size_t bytes = code >> 8;
    if (type == DataType::uint8 && bytes == 1)
        return "byte";
    const std::string name = reduction::to_string(type);
    return bytes == size_bytes(type) ? name : fmt::format("{} of {} bytes", name, bytes);
}

std::uint64_t mix(std::uint64_t digest, std::uint64_t with) noexcept
{
    digest = (digest ^ with) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}

std::uint64_t digest_of(std::string_view text, std::uint64_t digest) noexcept
{
    for (const char c : text)
        digest = mix(digest, static_cast<unsigned char>(c));
    return digest;
}

}  // namespace

MessageType::MessageType(const ElementType* element)
{
    if (element == nullptr || element->kind == ElementType::Kind::bytes)
        return;
    element_ = *element;
    kind_ =
        element->kind == ElementType::Kind::object ? MessageNote::Kind::objects : MessageNote::Kind::numbers;
    if (element->typemap != nullptr)
        typemap_ = datatype::TypemapRef(element->typemap);
}

// Calls visit(code, elements, bytes) for runs of one basic type, as long as possible, in the first
// `size_bytes` bytes of as many elements as it takes. An element that is cut has elements == 0.
template <class Visit>
void MessageType::for_each_run(std::size_t size_bytes, Visit&& visit) const
{
    struct Run {
        std::uint64_t code = 0;
        std::size_t bytes = 0;
        std::size_t element_bytes = 1;
    } last;
    std::size_t left = size_bytes;
    const auto flush = [&] {
        if (last.bytes != 0)
            visit(last.code, last.bytes % last.element_bytes == 0 ? last.bytes / last.element_bytes : 0);
    };
    const auto add = [&](DataType type, std::size_t bytes, std::size_t element_bytes) {
        bytes = std::min(bytes, left);
        left -= bytes;
        if (bytes == 0)
            return;
        if (const std::uint64_t code = code_of(type, element_bytes); code != last.code) {
            flush();
            last = {code, 0, element_bytes};
        }
        last.bytes += bytes;
    };
    if (!typemap_) {
        add(element_.number, size_bytes, element_.size_bytes);
    } else if (const datatype::Signature& one = typemap_->signature(); one.bytes != 0) {
        one.times((size_bytes + one.bytes - 1) / one.bytes).for_each_run([&](const datatype::Signature& run) {
            add(run.type, run.bytes, run.bytes / run.elements);
        });
    }
    flush();
}

std::uint64_t MessageType::digest(std::size_t size_bytes) const
{
    if (kind_ == MessageNote::Kind::objects)
        return digest_of(element_.name, element_.size_bytes);
    std::uint64_t digest = 0;
    for_each_run(size_bytes, [&](std::uint64_t code, std::size_t elements) {
        digest = mix(mix(digest, code), elements);
    });
    return digest;
}

std::string MessageType::words(std::size_t size_bytes) const
{
    if (kind_ == MessageNote::Kind::any)
        return fmt::format("{} bytes", size_bytes);
    if (kind_ == MessageNote::Kind::objects)
        return fmt::format("{} x {}", element_.name, size_bytes / element_.size_bytes);
    std::string words;
    std::size_t runs = 0;
    for_each_run(size_bytes, [&](std::uint64_t code, std::size_t elements) {
        if (++runs > kMostRunsInWords)
            return;
        words += fmt::format("{}{}", words.empty() ? "" : ", ", name_of(code));
        words += elements == 0 ? " (cut)" : fmt::format(" x {}", elements);
    });
    return runs > kMostRunsInWords ? words + ", ..." : words;
}

MessageNote MessageType::note(std::size_t size_bytes) const
{
    MessageNote note{};
    note.kind = static_cast<std::uint8_t>(kind_);
    note.digest = digest(size_bytes);
    const std::string text = words(size_bytes);
    std::copy_n(text.begin(), std::min(text.size(), note.words.size()), note.words.begin());
    return note;
}

bool MessageType::takes(const MessageNote& sent, std::size_t size_bytes) const
{
    const auto kind = static_cast<MessageNote::Kind>(sent.kind);
    if (size_bytes == 0 || kind_ == MessageNote::Kind::any || kind != kind_)
        return true;
    return sent.digest == digest(size_bytes);
}

std::string_view words_of(const MessageNote& note) noexcept
{
    return {note.words.data(),
            static_cast<std::size_t>(std::ranges::find(note.words, '\0') - note.words.begin())};
}

}  // namespace tutti::check
