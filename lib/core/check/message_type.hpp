// The type of a message's elements, as it travels in front of checked messages.
//
// Two descriptions of a message agree if their basic types agree one by one: 100 elements of float are 50 of
// a struct of two. Numbers agree in kind and size, so long and long long do where both have 8 bytes;
// characters and bytes of one byte count as one type. Of objects of C++ only the name and size are known, so
// they agree with each other by name, and with all numbers. MPI_PACKED, and characters and std::byte of the
// C++ interface, agree with everything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/foundation/datatype/typemap.hpp"
#include "tutti/element_type.hpp"

namespace tutti::check {

/// What travels. Written and read as bytes: all ranks have one architecture.
struct MessageNote {
    enum class Kind : std::uint8_t { any, numbers, objects };

    std::uint64_t digest;        // of the basic types in order, or of the object's name and size
    std::uint8_t kind;           // a Kind
    std::array<char, 55> words;  // "float32 x 100", ended by a 0 if it is shorter
};
static_assert(sizeof(MessageNote) == 64);

/// The elements of one buffer. Keeps what it needs of an MPI datatype.
class MessageType {
public:
    MessageType() = default;
    /// nullptr: unknown, which agrees with everything.
    explicit MessageType(const detail::ElementType* element);

    /// Of a message of size_bytes bytes.
    MessageNote note(std::size_t size_bytes) const;
    /// Whether a message with that note and size may be received as this type.
    bool takes(const MessageNote& sent, std::size_t size_bytes) const;
    /// "float32 x 100", for so many bytes.
    std::string words(std::size_t size_bytes) const;

private:
    std::uint64_t digest(std::size_t size_bytes) const;
    template <class Visit>
    void for_each_run(std::size_t size_bytes, Visit&& visit) const;

    MessageNote::Kind kind_ = MessageNote::Kind::any;
    detail::ElementType element_;
    datatype::TypemapRef typemap_;
};

/// The note's words.
std::string_view words_of(const MessageNote& note) noexcept;

}  // namespace tutti::check
