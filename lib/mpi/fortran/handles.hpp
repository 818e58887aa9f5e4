// Handles are integers in Fortran: those of MPI_X_toint. A predefined handle is its own integer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi::fortran {

inline constexpr std::uintptr_t kFirstCreatedHandle = 4096;

inline int created_number(MPI_Comm handle)
{
    return PMPI_Comm_toint(handle);
}
inline int created_number(MPI_Datatype handle)
{
    return PMPI_Type_toint(handle);
}
inline int created_number(MPI_Errhandler handle)
{
    return PMPI_Errhandler_toint(handle);
}
inline int created_number(MPI_File handle)
{
    return PMPI_File_toint(handle);
}
inline int created_number(MPI_Group handle)
{
    return PMPI_Group_toint(handle);
}
inline int created_number(MPI_Info handle)
{
    return PMPI_Info_toint(handle);
}
inline int created_number(MPI_Message handle)
{
    return PMPI_Message_toint(handle);
}
inline int created_number(MPI_Op handle)
{
    return PMPI_Op_toint(handle);
}
inline int created_number(MPI_Request handle)
{
    return PMPI_Request_toint(handle);
}
inline int created_number(MPI_Session handle)
{
    return PMPI_Session_toint(handle);
}
inline int created_number(MPI_Win handle)
{
    return PMPI_Win_toint(handle);
}

inline void take_created(int number, MPI_Comm& handle)
{
    handle = PMPI_Comm_fromint(number);
}
inline void take_created(int number, MPI_Datatype& handle)
{
    handle = PMPI_Type_fromint(number);
}
inline void take_created(int number, MPI_Errhandler& handle)
{
    handle = PMPI_Errhandler_fromint(number);
}
inline void take_created(int number, MPI_File& handle)
{
    handle = PMPI_File_fromint(number);
}
inline void take_created(int number, MPI_Group& handle)
{
    handle = PMPI_Group_fromint(number);
}
inline void take_created(int number, MPI_Info& handle)
{
    handle = PMPI_Info_fromint(number);
}
inline void take_created(int number, MPI_Message& handle)
{
    handle = PMPI_Message_fromint(number);
}
inline void take_created(int number, MPI_Op& handle)
{
    handle = PMPI_Op_fromint(number);
}
inline void take_created(int number, MPI_Request& handle)
{
    handle = PMPI_Request_fromint(number);
}
inline void take_created(int number, MPI_Session& handle)
{
    handle = PMPI_Session_fromint(number);
}
inline void take_created(int number, MPI_Win& handle)
{
    handle = PMPI_Win_fromint(number);
}

template <class T>
int number_of(T handle)
{
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    return value < kFirstCreatedHandle ? static_cast<int>(value) : created_number(handle);
}

template <class T>
T in(const int* number)
{
    const auto value = static_cast<std::uintptr_t>(static_cast<unsigned>(*number));
    if (value < kFirstCreatedHandle) [[likely]]
        return reinterpret_cast<T>(value);
    T handle{};
    take_created(*number, handle);
    return handle;
}

/// A handle that the call writes, and reads if it is `InOut`. A call that fails leaves the program's integer.
template <class T>
class Out {
public:
    explicit Out(int* place) : place_(place) {}
    Out(const Out&) = delete;
    Out& operator=(const Out&) = delete;
    ~Out()
    {
        if (handle_ != T{})
            *place_ = number_of(handle_);
    }
    operator T*() { return &handle_; }

protected:
    Out(int* place, T handle) : place_(place), handle_(handle) {}

private:
    int* place_;
    // No handle is null: MPI_COMM_NULL and its like are numbers.
    T handle_{};
};

template <class T>
class InOut : public Out<T> {
public:
    explicit InOut(int* place) : Out<T>(place, in<T>(place)) {}
};

/// An array of a call's arguments in C's form. Most have few elements, which need no allocation.
template <class T>
class ArgumentArray {
public:
    explicit ArgumentArray(MPI_Count count) : count_(static_cast<std::size_t>(std::max<MPI_Count>(count, 0)))
    {
        if (count_ > few_.size())
            many_.reset(new T[count_]());
    }
    std::size_t size() const { return count_; }
    T* data() { return many_ ? many_.get() : few_.data(); }

private:
    std::size_t count_;
    std::array<T, 16> few_;
    std::unique_ptr<T[]> many_;
};

template <class T>
class InArray {
public:
    InArray(const int* numbers, MPI_Count count) : handles_(count)
    {
        for (std::size_t i = 0; i < handles_.size(); ++i)
            handles_.data()[i] = in<T>(numbers + i);
    }
    operator const T*() { return handles_.data(); }

private:
    ArgumentArray<T> handles_;
};

template <class T>
class InOutArray {
public:
    InOutArray(int* numbers, MPI_Count count) : numbers_(numbers), handles_(count)
    {
        for (std::size_t i = 0; i < handles_.size(); ++i)
            handles_.data()[i] = in<T>(numbers + i);
    }
    InOutArray(const InOutArray&) = delete;
    InOutArray& operator=(const InOutArray&) = delete;
    ~InOutArray()
    {
        for (std::size_t i = 0; i < handles_.size(); ++i)
            numbers_[i] = number_of(handles_.data()[i]);
    }
    operator T*() { return handles_.data(); }

private:
    int* numbers_;
    ArgumentArray<T> handles_;
};

/// Of an array that is written, the elements that a call has written.
template <class T>
class OutArray {
public:
    OutArray(int* numbers, MPI_Count count) : numbers_(numbers), handles_(count)
    {
        std::fill_n(handles_.data(), handles_.size(), T{});
    }
    OutArray(const OutArray&) = delete;
    OutArray& operator=(const OutArray&) = delete;
    ~OutArray()
    {
        for (std::size_t i = 0; i < handles_.size(); ++i)
            if (handles_.data()[i] != T{})
                numbers_[i] = number_of(handles_.data()[i]);
    }
    operator T*() { return handles_.data(); }

private:
    int* numbers_;
    ArgumentArray<T> handles_;
};

}  // namespace tutti::mpi::fortran
