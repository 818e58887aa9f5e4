// The object behind an MPI_Comm.
#pragma once

#include <memory>
#include <string>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/object/attributes.hpp"
#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/object.hpp"
#include "tutti/calls.hpp"

namespace tutti::mpi {

struct Topology;

struct Communicator final : ObjectOf<Communicator>, ErrorOwner {
    using Handle = MPI_Comm;
    static constexpr std::uintptr_t kFirst = 0x100;
    static constexpr std::size_t kPredefined = 8;
    static constexpr Kind kKind = Kind::communicator;
    inline static Predefined<Communicator, kPredefined> predefined{};  // set while MPI is running

    Communicator(detail::StatePointer shared, std::string given_name, ErrorHandler& handler,
                 std::uintptr_t handle = 0);
    /// A duplicate that is still being made: until complete(), only begun_communicator_of() leads to it.
    Communicator(detail::StatePointer model, ErrorHandler& handler) noexcept;
    void complete(detail::StatePointer made);
    ~Communicator();

    // Any thread.
    void set_name(std::string name);
    /// The communicator's groups, which a duplicate that is being made has already.
    detail::StatePointer shape() const;
    /// The handle that the program has.
    MPI_Comm given_handle() const noexcept;

    detail::StatePointer state;  // constant once there
    Attributes<MPI_Comm> attributes;
    std::shared_ptr<const Topology> topology;  // nullptr: none. Constant once a handle leads here

private:
    void register_contexts();

    detail::StatePointer model_;  // what it duplicates, while it is being made
};

[[noreturn]] void refuse_communicator(MPI_Comm handle);

/// Throws Failure for a handle that is no communicator's.
inline Communicator& communicator_of(MPI_Comm handle)
{
    Communicator* const found = find<Communicator>(handle);
    if (found == nullptr) [[unlikely]]
        refuse_communicator(handle);
    return *found;
}
inline const detail::StatePointer& state_of(MPI_Comm handle)
{
    return communicator_of(handle).state;
}
/// Finds duplicates before MPI_Comm_idup is complete, too: they have a name, attributes, an error handler and
/// groups.
Communicator& begun_communicator_of(MPI_Comm handle);
/// The answer to a question about the communicator's groups.
template <class Question>
auto ask(MPI_Comm handle, Question&& question)
{
    if (const Communicator* const found = find<Communicator>(handle)) [[likely]]
        return question(*found->state);
    return question(*begun_communicator_of(handle).shape());
}
/// Throw Failure for a communicator of the other sort.
Communicator& intracommunicator_of(MPI_Comm handle);
Communicator& intercommunicator_of(MPI_Comm handle);

/// The handle of a new communicator, which has the error handler of `parent`. `state` is nullptr where this
/// rank is in none: MPI_COMM_NULL.
MPI_Comm new_communicator(detail::StatePointer state, const Communicator& parent,
                          std::shared_ptr<const Topology> topology = nullptr);

/// MPI_COMM_WORLD and MPI_COMM_SELF.
void define_communicators(detail::Process& process);
void forget_communicators();

}  // namespace tutti::mpi
