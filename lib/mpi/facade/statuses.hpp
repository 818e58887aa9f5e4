// Statuses between a facade and the bodies of lib/mpi.
#pragma once

#include "lib/mpi/facade/convert.hpp"
#include "lib/mpi/object/status_form.hpp"

namespace tutti::mpi::facade {

inline MPI_Status in_status(const Status& own) noexcept
{
    MPI_Status standard{};
    standard.MPI_SOURCE = in_rank(own.MPI_SOURCE);
    standard.MPI_TAG = in_tag(own.MPI_TAG);
    standard.MPI_ERROR = in_code(own.MPI_ERROR);
    set_size(standard, bytes_of(own));
    standard.MPI_internal[kCancelled] = is_cancelled(own) ? 1 : 0;
    return standard;
}

/// What marks a status that the body has not written, and an MPI_ERROR.
inline void unset(MPI_Status& standard) noexcept
{
    standard.MPI_SOURCE = kUnset;
    standard.MPI_ERROR = kUnset;
}

inline void out_error(const MPI_Status& standard, Status& own) noexcept
{
    if (standard.MPI_ERROR != kUnset)
        own.MPI_ERROR = out_code(standard.MPI_ERROR);
}

inline void out_size(const MPI_Status& standard, Status& own) noexcept
{
    set_bytes(own, size_of(standard), (standard.MPI_internal[kCancelled] & 1) != 0);
}

/// Not MPI_ERROR if the status is that of a message: only calls for several requests set it there.
[[gnu::always_inline]] inline void out_status(const MPI_Status& standard, Status& own) noexcept
{
    // A rank and a tag of a message are the same numbers on both sides.
    constexpr std::uint64_t kSigns = 0x8000'0000'8000'0000;
    static_assert(offsetof(MPI_Status, MPI_TAG) == offsetof(MPI_Status, MPI_SOURCE) + sizeof(int) &&
                  offsetof(Status, MPI_TAG) == offsetof(Status, MPI_SOURCE) + sizeof(int));
    std::uint64_t source_and_tag = 0;
    std::memcpy(&source_and_tag, &standard.MPI_SOURCE, sizeof source_and_tag);
    if ((source_and_tag & kSigns) == 0) [[likely]] {
        std::memcpy(&own.MPI_SOURCE, &source_and_tag, sizeof source_and_tag);
        return out_size(standard, own);
    }
    if (standard.MPI_SOURCE != kUnset) {
        own.MPI_SOURCE = out_rank(standard.MPI_SOURCE);
        own.MPI_TAG = out_tag(standard.MPI_TAG);
        out_size(standard, own);
    }
    out_error(standard, own);
}

/// A status in Fortran is the same bytes in an array of integers.
inline int copy_status(const void* from, void* to) noexcept
{
    if (from == nullptr || to == nullptr)
        return out_code(MPI_ERR_ARG);
    std::memcpy(to, from, sizeof(Status));
    return 0;
}

class InStatus {
public:
    explicit InStatus(const Status* place) noexcept : is_there_(!is_ignored(place))
    {
        if (is_there_)
            standard_ = in_status(*place);
    }
    operator const MPI_Status*() const noexcept { return is_there_ ? &standard_ : nullptr; }

private:
    bool is_there_;
    MPI_Status standard_;
};

class OutStatus {
public:
    explicit OutStatus(Status* place) noexcept : place_(is_ignored(place) ? nullptr : place)
    {
        unset(standard_);
    }
    OutStatus(const OutStatus&) = delete;
    ~OutStatus()
    {
        if (place_ != nullptr)
            out_status(standard_, *place_);
    }
    operator MPI_Status*() noexcept { return place_ == nullptr ? nullptr : &standard_; }

protected:
    Status* place_;
    MPI_Status standard_;
};

/// Begins with what the program has there.
class InOutStatus : public OutStatus {
public:
    explicit InOutStatus(Status* place) noexcept : OutStatus(place)
    {
        if (place_ != nullptr)
            standard_ = in_status(*place_);
    }
    ~InOutStatus()
    {
        if (place_ != nullptr)
            out_error(standard_, *place_);
    }
};

class OutStatuses {
public:
    OutStatuses(Status* places, int count)
        : places_(is_ignored(places) ? nullptr : places), standard_(places_, count)
    {
        for (std::size_t i = 0; i < standard_.size(); ++i)
            unset(standard_[i]);
    }
    OutStatuses(const OutStatuses&) = delete;
    ~OutStatuses()
    {
        for (std::size_t i = 0; i < standard_.size(); ++i) {
            out_status(standard_[i], places_[i]);
            out_error(standard_[i], places_[i]);
        }
    }
    operator MPI_Status*() noexcept { return standard_.data(); }

private:
    Status* places_;
    Elements<MPI_Status> standard_;
};

}  // namespace tutti::mpi::facade
