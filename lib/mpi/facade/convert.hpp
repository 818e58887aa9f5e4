// The way of arguments between a facade and the bodies of lib/mpi. Values are converted by functions, in_...
// for arguments and out_... for results. What the body writes goes into objects that live as long as the
// call: their destructors write what has changed into the program's memory.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "handles.hpp"
#include "numbers.hpp"

namespace tutti::mpi::facade {

/// Any function of the program's.
using Function = void();

template <class T>
T function(Function* given) noexcept
{
    return reinterpret_cast<T>(given);
}

// Constants. One that is not in the group passes as it is.

inline int in_number(std::span<const Number> group, int own) noexcept
{
    for (const Number& each : group)
        if (each.own == own)
            return each.standard;
    return own;
}
inline int out_number(std::span<const Number> group, int standard) noexcept
{
    for (const Number& each : group)
        if (each.standard == standard)
            return each.own;
    return standard;
}
int in_flags(std::span<const Number> group, int own) noexcept;
int out_flags(std::span<const Number> group, int standard) noexcept;

inline int in_rank(int own) noexcept
{
    return own >= 0 ? own : in_number(kNumbers_rank, own);
}
inline int out_rank(int standard) noexcept
{
    return standard >= 0 ? standard : out_number(kNumbers_rank, standard);
}
inline int in_tag(int own) noexcept
{
    return own >= 0 ? own : in_number(kNumbers_tag, own);
}
inline int out_tag(int standard) noexcept
{
    return standard >= 0 ? standard : out_number(kNumbers_tag, standard);
}

inline MPI_Offset in_displacement(MPI_Offset own) noexcept
{
    for (const Number& each : kNumbers_displacement)
        if (each.own == own)
            return each.standard;
    return own;
}

// Error codes. The program's have the class in bits 0-6, and the sentence's slot above.

[[gnu::cold]] int in_some_code(int own) noexcept;
[[gnu::cold]] int out_some_code(int standard) noexcept;
inline int in_code(int own) noexcept
{
    return own == 0 ? 0 : in_some_code(own);
}
inline int out_code(int standard) noexcept
{
    return standard == 0 ? 0 : out_some_code(standard);
}

inline constexpr int kUnset = INT_MIN;  // nobody has written here

/// An int that the body writes.
class OutNumber {
public:
    OutNumber(std::span<const Number> group, int* place) noexcept : group_(group), place_(place) {}
    OutNumber(const OutNumber&) = delete;
    ~OutNumber()
    {
        if (standard_ != kUnset)
            *place_ = out_number(group_, standard_);
    }
    operator int*() noexcept { return place_ == nullptr ? nullptr : &standard_; }

private:
    std::span<const Number> group_;
    int* place_;
    int standard_ = kUnset;
};

/// Flags that the body writes.
class OutFlags {
public:
    OutFlags(std::span<const Number> group, int* place) noexcept : group_(group), place_(place) {}
    OutFlags(const OutFlags&) = delete;
    ~OutFlags()
    {
        if (standard_ != kUnset)
            *place_ = out_flags(group_, standard_);
    }
    operator int*() noexcept { return place_ == nullptr ? nullptr : &standard_; }

private:
    std::span<const Number> group_;
    int* place_;
    int standard_ = kUnset;
};

class InOutNumber {
public:
    InOutNumber(std::span<const Number> group, int* place) noexcept
        : group_(group), place_(place), standard_(place == nullptr ? 0 : in_number(group, *place))
    {
    }
    InOutNumber(const InOutNumber&) = delete;
    ~InOutNumber()
    {
        if (place_ != nullptr)
            *place_ = out_number(group_, standard_);
    }
    operator int*() noexcept { return place_ == nullptr ? nullptr : &standard_; }

private:
    std::span<const Number> group_;
    int* place_;
    int standard_;
};

class OutCode {
public:
    explicit OutCode(int* place) noexcept : place_(place) {}
    OutCode(const OutCode&) = delete;
    ~OutCode()
    {
        if (standard_ != kUnset)
            *place_ = out_code(standard_);
    }
    operator int*() noexcept { return place_ == nullptr ? nullptr : &standard_; }

private:
    int* place_;
    int standard_ = kUnset;
};

/// A text that the body writes, cut at what the program has room for. `length`: may be nullptr.
class OutText {
public:
    OutText(char* place, int* length, int standard_limit, int own_limit)
        : place_(place),
          length_(length),
          limit_(static_cast<std::size_t>(own_limit)),
          text_(static_cast<std::size_t>(standard_limit), '\0')
    {
        text_.front() = kUnwritten;
    }
    OutText(const OutText&) = delete;
    ~OutText()
    {
        if (place_ == nullptr || text_.front() == kUnwritten)
            return;
        const std::string_view all = text_.c_str();
        const std::string_view cut = all.substr(0, limit_ - 1);
        *std::ranges::copy(cut, place_).out = '\0';
        if (length_ != nullptr)
            *length_ = static_cast<int>(cut.size());
    }
    operator char*() noexcept { return place_ == nullptr ? nullptr : text_.data(); }

private:
    static constexpr char kUnwritten = '\1';  // the body may write an empty text

    char* place_;
    int* length_;
    std::size_t limit_;
    std::string text_;
};

// Handles.

/// One that the body writes.
template <class T>
class Out {
public:
    explicit Out(HandleOf<T>* place) noexcept : place_(place) {}
    Out(const Out&) = delete;
    ~Out()
    {
        if (standard_ != unset())
            *place_ = out<T>(standard_);
    }
    operator T*() noexcept { return place_ == nullptr ? nullptr : &standard_; }

private:
    static T unset() noexcept { return reinterpret_cast<T>(~std::uintptr_t{0}); }

    HandleOf<T>* place_;
    T standard_ = unset();
};

template <class T>
class InOut {
public:
    explicit InOut(HandleOf<T>* place) noexcept
        : place_(place), before_(place == nullptr ? T{} : in<T>(*place)), standard_(before_)
    {
    }
    InOut(const InOut&) = delete;
    ~InOut()
    {
        if (standard_ != before_)
            *place_ = out<T>(standard_);
    }
    operator T*() noexcept { return place_ == nullptr ? nullptr : &standard_; }

private:
    HandleOf<T>* place_;
    const T before_;
    T standard_;
};

/// Memory for an array as long as the program's; none where that is a null pointer.
template <class T>
class Elements {
public:
    Elements(const void* place, int count)
        : size_(place == nullptr || count < 0 ? 0 : static_cast<std::size_t>(count)),
          many_(size_ > few_.size() ? new T[size_] : nullptr),
          data_(place == nullptr ? nullptr
                : many_          ? many_.get()
                                 : few_.data())
    {
    }
    std::size_t size() const noexcept { return size_; }
    T* data() noexcept { return data_; }
    T& operator[](std::size_t i) noexcept { return data_[i]; }

private:
    std::size_t size_;
    std::array<T, 16> few_;
    std::unique_ptr<T[]> many_;
    T* data_;
};

template <class T>
class InHandles {
public:
    InHandles(const HandleOf<T>* places, int count) : standard_(places, count)
    {
        for (std::size_t i = 0; i < standard_.size(); ++i)
            standard_[i] = in<T>(places[i]);
    }
    operator T*() noexcept { return standard_.data(); }

private:
    Elements<T> standard_;
};

template <class T>
class OutHandles {
public:
    OutHandles(HandleOf<T>* places, MPI_Count count)
        : places_(places), standard_(places, static_cast<int>(count))
    {
        std::fill_n(standard_.data(), standard_.size(), unset());
    }
    OutHandles(const OutHandles&) = delete;
    ~OutHandles()
    {
        for (std::size_t i = 0; i < standard_.size(); ++i)
            if (standard_[i] != unset())
                places_[i] = out<T>(standard_[i]);
    }
    operator T*() noexcept { return standard_.data(); }

private:
    static T unset() noexcept { return reinterpret_cast<T>(~std::uintptr_t{0}); }

    HandleOf<T>* places_;
    Elements<T> standard_;
};

template <class T>
class InOutHandles {
public:
    InOutHandles(HandleOf<T>* places, int count) : places_(places), standard_(places, count)
    {
        for (std::size_t i = 0; i < standard_.size(); ++i)
            standard_[i] = in<T>(places[i]);
    }
    InOutHandles(const InOutHandles&) = delete;
    ~InOutHandles()
    {
        for (std::size_t i = 0; i < standard_.size(); ++i)
            if (standard_[i] != in<T>(places_[i]))
                places_[i] = out<T>(standard_[i]);
    }
    operator T*() noexcept { return standard_.data(); }

private:
    HandleOf<T>* places_;
    Elements<T> standard_;
};

class InNumbers {
public:
    InNumbers(std::span<const Number> group, const int* places, int count) : standard_(places, count)
    {
        for (std::size_t i = 0; i < standard_.size(); ++i)
            standard_[i] = in_number(group, places[i]);
    }
    operator int*() noexcept { return standard_.data(); }

private:
    Elements<int> standard_;
};

class OutNumbers {
public:
    OutNumbers(std::span<const Number> group, int* places, int count)
        : group_(group), places_(places), standard_(places, count)
    {
        std::fill_n(standard_.data(), standard_.size(), kUnset);
    }
    OutNumbers(const OutNumbers&) = delete;
    ~OutNumbers()
    {
        for (std::size_t i = 0; i < standard_.size(); ++i)
            if (standard_[i] != kUnset)
                places_[i] = out_number(group_, standard_[i]);
    }
    operator int*() noexcept { return standard_.data(); }

private:
    std::span<const Number> group_;
    int* places_;
    Elements<int> standard_;
};

}  // namespace tutti::mpi::facade
