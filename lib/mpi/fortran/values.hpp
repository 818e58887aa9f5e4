// Logicals, indices and strings of Fortran in C's form.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "lib/mpi/fortran/handles.hpp"
#include "lib/mpi/fortran/sentinels.hpp"

namespace tutti::mpi::fortran {

/// Compilers agree on the lowest bit: some have -1 for true.
inline int in_logical(const int* value)
{
    return *value & 1;
}

class InLogicals {
public:
    InLogicals(const int* values, MPI_Count count) : values_(count)
    {
        for (std::size_t i = 0; i < values_.size(); ++i)
            values_.data()[i] = in_logical(values + i);
    }
    operator const int*() { return values_.data(); }

private:
    ArgumentArray<int> values_;
};

/// An array of ranges is three integers each in both languages.
inline int (*ranges_at(const int* place))[3]
{
    return reinterpret_cast<int(*)[3]>(const_cast<int*>(place));
}

/// Where the address of a detached buffer goes. It is that of Fortran's variable where MPI has the memory
/// itself.
class OutAddress {
public:
    explicit OutAddress(void** place) : place_(place) {}
    OutAddress(const OutAddress&) = delete;
    OutAddress& operator=(const OutAddress&) = delete;
    ~OutAddress() { *place_ = address_ == MPI_BUFFER_AUTOMATIC ? &tutti_mpi_buffer_automatic_ : address_; }
    operator void*() { return static_cast<void*>(&address_); }

private:
    void** place_;
    void* address_ = nullptr;
};

/// The module mpi and mpif.h have that argument with a type that holds no address, so that it is not written.
class Unused {
public:
    explicit Unused(void** /*place*/) {}
    operator void*() { return static_cast<void*>(&address_); }

private:
    void* address_ = nullptr;
};

/// Indices begin with 1 in Fortran.
inline void make_index(int& index)
{
    if (index != MPI_UNDEFINED)
        ++index;
}

class OutIndex {
public:
    explicit OutIndex(int* place) : place_(place) {}
    OutIndex(const OutIndex&) = delete;
    OutIndex& operator=(const OutIndex&) = delete;
    ~OutIndex()
    {
        if (is_written())
            make_index(*place_ = index_);
    }
    operator int*() { return &index_; }

private:
    // What no call writes.
    static constexpr int kNone = -1;
    bool is_written() const { return index_ != kNone; }

    int* place_;
    int index_ = kNone;
};

/// `count`: where the call writes how many there are.
class OutIndices {
public:
    OutIndices(int* places, int* count) : places_(places), count_(count) { *count = 0; }
    OutIndices(const OutIndices&) = delete;
    OutIndices& operator=(const OutIndices&) = delete;
    ~OutIndices()
    {
        for (int i = 0; i < *count_; ++i)
            make_index(places_[i]);
    }
    operator int*() { return places_; }

private:
    int* places_;
    int* count_;
};

/// Without the blanks at its end.
inline std::string_view trimmed(const char* text, std::size_t length)
{
    while (length > 0 && text[length - 1] == ' ')
        --length;
    return {text, length};
}

class InString {
public:
    InString(const char* text, std::size_t length) : text_(trimmed(text, length)) {}
    operator const char*() const { return text_.c_str(); }

private:
    std::string text_;
};

/// An info's key or value, whose blanks at the beginning do not count either.
class InWord {
public:
    InWord(const char* text, std::size_t length)
    {
        std::string_view word = trimmed(text, length);
        while (word.starts_with(' '))
            word.remove_prefix(1);
        text_ = word;
    }
    operator const char*() const { return text_.c_str(); }

private:
    std::string text_;
};

/// Cut, or filled with blanks.
inline void put_string(const char* from, char* text, std::size_t length)
{
    const std::size_t used = strnlen(from, length);
    std::memmove(text, from, used);
    std::memset(text + used, ' ', length - used);
}

/// `most`: the bytes that a call may write, the null at the end included.
template <std::size_t most>
class OutString {
public:
    OutString(char* text, std::size_t length) : text_(text), length_(length) { given_[0] = kNothing; }
    OutString(const OutString&) = delete;
    OutString& operator=(const OutString&) = delete;
    ~OutString()
    {
        if (given_[0] != kNothing)
            put_string(given_, text_, length_);
    }
    operator char*() { return given_; }

private:
    // No text begins with it, so the call has written nothing.
    static constexpr char kNothing = '\x7f';

    char* text_;
    std::size_t length_;
    char given_[most];
};

}  // namespace tutti::mpi::fortran
