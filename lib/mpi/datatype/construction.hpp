// The arguments that a datatype was made with, for MPI_Type_get_contents.
#pragma once

#include <initializer_list>
#include <vector>

#include "lib/foundation/base/counted.hpp"
#include "lib/foundation/datatype/typemap.hpp"
#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi {

struct Datatype;

/// Shared by the type, its duplicates and the types that were made of it. Immutable when it is complete.
class Construction final : public base::Counted<Construction> {
public:
    /// A type that was an argument. The program may free its handle.
    struct Inner {
        MPI_Datatype permanent;  // MPI_DATATYPE_NULL: a derived type, which its construction describes
        datatype::TypemapRef map;
        base::Ref<const Construction> construction;
    };

    /// `large`: by the form for large counts.
    Construction(int combiner, bool large) noexcept : combiner_(combiner), large_(large) {}

    // Arguments in the order of the call. Those that are wide in the form for large counts are kept apart
    // then.
    void add_integers(std::initializer_list<int> numbers);
    void add_count(MPI_Count count);
    void add_bytes(MPI_Count bytes);
    /// Throws Failure when types are nested too deep.
    void add_type(const Datatype& type);

    int combiner() const noexcept { return combiner_; }
    bool is_large() const noexcept { return large_; }
    const std::vector<int>& integers() const noexcept { return integers_; }
    const std::vector<MPI_Aint>& addresses() const noexcept { return addresses_; }
    const std::vector<MPI_Count>& large_counts() const noexcept { return large_counts_; }
    const std::vector<Inner>& types() const noexcept { return types_; }

private:
    int combiner_;
    bool large_;
    int levels_ = 1;
    std::vector<int> integers_;
    std::vector<MPI_Aint> addresses_;
    std::vector<MPI_Count> large_counts_;
    std::vector<Inner> types_;
};

/// What stays of a type when the program frees its handle.
Construction::Inner inner_of(const Datatype& type);
/// A handle of it: a new one of a derived type, which is committed and which the program frees.
MPI_Datatype handle_of(const Construction::Inner& type);

}  // namespace tutti::mpi
