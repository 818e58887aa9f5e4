// Communicators of the ranks of a colour or a kind.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "lib/core/communicators/creation.hpp"
#include "lib/core/communicators/intercommunicator.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::CommunicatorState;
using Colour = std::optional<int>;

constexpr int kOneColour = 0;

// `colour_in` gives the own colour in a communicator.
template <class ColourIn>
int split_by(const char* call, MPI_Comm comm, int key, MPI_Comm* newcomm, ColourIn colour_in)
{
    return guard_result(call, comm, newcomm, "newcomm", [&] {
        const Ref<Communicator> old(&communicator_of(comm));
        const Colour colour = colour_in(old->state);
        return new_communicator(
            detail::split(old->state, {.kind = collectives::CallKind::split}, colour, key), *old);
    });
}

Colour given_colour(int colour)
{
    if (colour == MPI_UNDEFINED)
        return std::nullopt;
    if (colour < 0)
        fail(MPI_ERR_ARG, fmt::format("the color is {}; it must be MPI_UNDEFINED or not negative", colour));
    return colour;
}

constexpr const char* kHardwareKey = "mpi_hw_resource_type";
constexpr const char* kNode = "mpi_shared_memory";

// The one kind of hardware that ranks are known to share is a node, which shares memory.
Colour colour_by_hardware(const CommunicatorState& state, MPI_Info info)
{
    return value_of(info, kHardwareKey) == kNode ? Colour(detail::node_colour(state)) : std::nullopt;
}

Colour colour_by_resource(const CommunicatorState& state, MPI_Info info)
{
    const std::string set = value_of(info, "mpi_pset_name");
    if (set.empty())
        return colour_by_hardware(state, info);
    if (set == "mpi://WORLD")
        return kOneColour;
    return set == "mpi://SELF" ? Colour(state.world_rank(state.rank())) : std::nullopt;
}

// Without a colour where the resource is not known, or below nodes: such a rank gets MPI_COMM_NULL.
Colour colour_by_type(const detail::StatePointer& pointer, int split_type, MPI_Info info)
{
    check_info(info);
    const CommunicatorState& state = *pointer;
    switch (split_type) {
        case MPI_UNDEFINED:
            return std::nullopt;
        case MPI_COMM_TYPE_SHARED:
            return detail::node_colour(state);
        case MPI_COMM_TYPE_HW_UNGUIDED:
            // Only proper parts: nothing is known within a node.
            return all_ranks(pointer)->placement().one_node ? std::nullopt
                                                            : Colour(detail::node_colour(state));
        case MPI_COMM_TYPE_HW_GUIDED:
            return colour_by_hardware(state, info);
        case MPI_COMM_TYPE_RESOURCE_GUIDED:
            return colour_by_resource(state, info);
        default:
            fail(MPI_ERR_ARG, fmt::format("the split type is {}, which is none; take MPI_COMM_TYPE_SHARED or "
                                          "another one that begins so",
                                          split_type));
    }
}

}  // namespace

int comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm)
{
    return split_by("MPI_Comm_split", comm, key, newcomm,
                    [&](const detail::StatePointer&) { return given_colour(color); });
}

int comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm)
{
    const int code =
        split_by("MPI_Comm_split_type", comm, key, newcomm,
                 [&](const detail::StatePointer& state) { return colour_by_type(state, split_type, info); });
    // The program learns which resource an unguided split has chosen.
    if (code == MPI_SUCCESS && split_type == MPI_COMM_TYPE_HW_UNGUIDED && info != MPI_INFO_NULL &&
        *newcomm != MPI_COMM_NULL)
        info_of(info).set(kHardwareKey, kNode);
    return code;
}

}  // namespace tutti::mpi
