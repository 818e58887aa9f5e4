// MPI's windows behind the names of tutti::Window, for the loops that are written over both.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "benchmarks/mpi/mpi_reduction.hpp"
#include "benchmarks/suite/library/described_call.hpp"
#include "benchmarks/suite/library/window_kind.hpp"
#include "tutti/data_type.hpp"
#include "tutti/reduction.hpp"

namespace tutti::bench {

using MpiSum = decltype(tutti::sum);

/// The memory of one rank in an open epoch. Offsets and counts are in elements; counts stay below 2^31.
/// `bases`: of a dynamic window, where the memory of each rank begins; else nullptr.
template <class T>
class MpiTarget {
public:
    MpiTarget(MPI_Win window, int rank, const MPI_Aint* bases) noexcept
        : window_(window),
          rank_(rank),
          base_(bases == nullptr ? 0 : bases[rank]),
          unit_(bases == nullptr ? 1 : sizeof(T))
    {
    }

    void put(std::span<const T> from, std::size_t offset) const
    {
        MPI_Put(from.data(), count(from), type(), rank_, place(offset), count(from), type(), window_);
    }
    void get(std::span<T> to, std::size_t offset) const
    {
        MPI_Get(to.data(), count(to), type(), rank_, place(offset), count(to), type(), window_);
    }
    void accumulate(std::span<const T> from, std::size_t offset, const MpiSum&) const
    {
        MPI_Accumulate(from.data(), count(from), type(), rank_, place(offset), count(from), type(), MPI_SUM,
                       window_);
    }
    void get_accumulate(std::span<const T> from, std::span<T> before, std::size_t offset, const MpiSum&) const
    {
        MPI_Get_accumulate(from.data(), count(from), type(), before.data(), count(from), type(), rank_,
                           place(offset), count(from), type(), MPI_SUM, window_);
    }
    /// Complete with the epoch, or after a flush.
    void fetch_and_add(const T& operand, T& before, std::size_t offset) const
    {
        MPI_Fetch_and_op(&operand, &before, type(), rank_, place(offset), MPI_SUM, window_);
    }
    void compare_and_swap(const T& expected, const T& desired, T& before, std::size_t offset) const
    {
        MPI_Compare_and_swap(&desired, &expected, &before, type(), rank_, place(offset), window_);
    }

    void flush() const { MPI_Win_flush(rank_, window_); }
    void flush_local() const { MPI_Win_flush_local(rank_, window_); }

private:
    static MPI_Datatype type() { return mpi_type(data_type_of<T>()); }
    static int count(std::span<const T> elements) { return static_cast<int>(elements.size()); }
    MPI_Aint place(std::size_t offset) const { return base_ + static_cast<MPI_Aint>(offset * unit_); }

    MPI_Win window_;
    int rank_;
    MPI_Aint base_;
    std::size_t unit_;
};

/// An epoch, which ends with the object.
template <class T>
class MpiEpoch : public MpiTarget<T> {
public:
    using End = void (*)(MPI_Win window, int rank);

    MpiEpoch(MPI_Win window, int rank, const MPI_Aint* bases, End end) noexcept
        : MpiTarget<T>(window, rank, bases), window_(window), rank_(rank), bases_(bases), end_(end)
    {
    }
    MpiEpoch(MpiEpoch&& other) noexcept
        : MpiTarget<T>(other),
          window_(other.window_),
          rank_(other.rank_),
          bases_(other.bases_),
          end_(std::exchange(other.end_, nullptr))
    {
    }
    MpiEpoch& operator=(MpiEpoch&&) = delete;
    ~MpiEpoch()
    {
        if (end_ != nullptr)
            end_(window_, rank_);
    }

    MpiTarget<T> operator[](int rank) const noexcept { return {window_, rank, bases_}; }
    /// For an epoch of Window::fence().
    void fence() const { MPI_Win_fence(0, window_); }

protected:
    MPI_Win window_;

private:
    int rank_;
    const MPI_Aint* bases_;
    End end_;
};

/// The epoch of Window::lock_all().
template <class T>
class MpiEpochOfAll : public MpiEpoch<T> {
public:
    using MpiEpoch<T>::MpiEpoch;

    void flush() const { MPI_Win_flush_all(this->window_); }
    void flush(int rank) const { MPI_Win_flush(rank, this->window_); }
    void flush_local() const { MPI_Win_flush_local_all(this->window_); }
    void flush_local(int rank) const { MPI_Win_flush_local(rank, this->window_); }
};

template <class T>
class MpiWindow {
public:
    using Locked = MpiEpoch<T>;
    using Fenced = MpiEpoch<T>;

    /// `memory`: for WindowKind::create and dynamic the memory itself, for the others its size.
    MpiWindow(WindowKind kind, std::span<T> memory) : memory_(memory)
    {
        const auto size_bytes = static_cast<MPI_Aint>(memory.size_bytes());
        T* base = memory.data();
        int status = MPI_SUCCESS;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (kind == WindowKind::create)
            status = MPI_Win_create(base, size_bytes, sizeof(T), MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
        else if (kind == WindowKind::allocate)
            status = MPI_Win_allocate(size_bytes, sizeof(T), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window_);
        else if (kind == WindowKind::dynamic)
            status = MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
        else
            status = MPI_Win_allocate_shared(size_bytes, sizeof(T), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                                             &window_);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        if (status != MPI_SUCCESS)
            throw NotOffered("windows of this kind, with these settings");
        memory_ = {base, memory.size()};
        if (kind == WindowKind::dynamic)
            attach();
        MPI_Comm_group(MPI_COMM_WORLD, &world_);
    }
    MpiWindow(MpiWindow&&) = delete;
    ~MpiWindow()
    {
        if (peers_ != MPI_GROUP_NULL)
            MPI_Group_free(&peers_);
        MPI_Group_free(&world_);
        if (!bases_.empty()) {
            MPI_Barrier(MPI_COMM_WORLD);  // nobody accesses it any more
            MPI_Win_detach(window_, memory_.data());
        }
        MPI_Win_free(&window_);
    }

    std::span<T> local() const { return memory_; }
    MpiEpoch<T> lock(int rank) { return locked(MPI_LOCK_EXCLUSIVE, rank); }
    MpiEpoch<T> lock_shared(int rank) { return locked(MPI_LOCK_SHARED, rank); }
    MpiEpochOfAll<T> lock_all()
    {
        MPI_Win_lock_all(0, window_);
        return {window_, 0, bases(), [](MPI_Win window, int) { MPI_Win_unlock_all(window); }};
    }
    MpiEpoch<T> fence()
    {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window_);
        return {window_, 0, bases(), [](MPI_Win window, int) { MPI_Win_fence(MPI_MODE_NOSUCCEED, window); }};
    }
    MpiEpoch<T> post(std::span<const int> origins)
    {
        MPI_Win_post(group_of(origins), 0, window_);
        return {window_, 0, bases(), [](MPI_Win window, int) { MPI_Win_wait(window); }};
    }
    MpiEpoch<T> start(std::span<const int> targets)
    {
        MPI_Win_start(group_of(targets), 0, window_);
        return {window_, 0, bases(), [](MPI_Win window, int) { MPI_Win_complete(window); }};
    }

private:
    void attach()
    {
        MPI_Win_attach(window_, memory_.data(), static_cast<MPI_Aint>(memory_.size_bytes()));
        int ranks = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        bases_.resize(static_cast<std::size_t>(ranks));
        MPI_Aint own = 0;
        MPI_Get_address(memory_.data(), &own);
        MPI_Allgather(&own, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, MPI_COMM_WORLD);
    }
    const MPI_Aint* bases() const noexcept { return bases_.empty() ? nullptr : bases_.data(); }
    MpiEpoch<T> locked(int kind, int rank)
    {
        MPI_Win_lock(kind, rank, 0, window_);
        return {window_, rank, bases(),
                [](MPI_Win window, int locked_rank) { MPI_Win_unlock(locked_rank, window); }};
    }
    // Made once: programs do so, too. All calls name the same ranks.
    MPI_Group group_of(std::span<const int> ranks)
    {
        if (peers_ == MPI_GROUP_NULL)
            MPI_Group_incl(world_, static_cast<int>(ranks.size()), ranks.data(), &peers_);
        return peers_;
    }

    MPI_Win window_ = MPI_WIN_NULL;
    MPI_Group world_ = MPI_GROUP_NULL;
    MPI_Group peers_ = MPI_GROUP_NULL;
    std::span<T> memory_;
    std::vector<MPI_Aint> bases_;  // of a dynamic window, by rank
};

}  // namespace tutti::bench
