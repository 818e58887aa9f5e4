#include "lib/mpi/communicator/communicator_object.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "lib/core/process/process.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/runtime.hpp"

namespace tutti::mpi {

namespace {

/// All communicators by context.
struct Registry {
    std::mutex mutex;
    std::map<std::uint64_t, Communicator*> by_context;
};

// Never destroyed: communicators may be freed after main.
Registry& registry()
{
    static Registry& all = *new Registry;
    return all;
}

constexpr std::size_t kWorld = 1;
constexpr std::size_t kSelf = 2;

// Marks the start of an object that is still being made.
constexpr std::uintptr_t kBeingMade = 1;

// nullptr if it is none. Open MPI's programs pass what the object begins with, others its address.
Communicator* find_being_made(MPI_Comm handle) noexcept
{
    const auto address = reinterpret_cast<std::uintptr_t>(handle) & ~kBeingMade;
    if (address < 4096 || address % alignof(Object) != 0)
        return nullptr;
    Object* const object = reinterpret_cast<Object*>(address);
    return object->self == (address | kBeingMade) && object->kind == Kind::communicator
               ? static_cast<Communicator*>(object)
               : nullptr;
}

}  // namespace

Communicator::Communicator(detail::StatePointer shared, std::string given_name, ErrorHandler& handler,
                           std::uintptr_t handle)
    : ObjectOf(handle), ErrorOwner(handler), state(std::move(shared))
{
    name_ = std::move(given_name);
    register_contexts();
}

Communicator::Communicator(detail::StatePointer model, ErrorHandler& handler) noexcept
    : ErrorOwner(handler), model_(std::move(model))
{
    self |= kBeingMade;
}

void Communicator::complete(detail::StatePointer made)
{
    detail::StatePointer model;  // may end below, not under the lock
    {
        const std::lock_guard lock(mutex_);
        state = std::move(made);
        model = std::move(model_);
        if (!name_.empty())
            state->set_name(name_);
    }
    register_contexts();
    self &= ~kBeingMade;
}

detail::StatePointer Communicator::shape() const
{
    const std::lock_guard lock(mutex_);
    return state != nullptr ? state : model_;
}

MPI_Comm Communicator::given_handle() const noexcept
{
    return reinterpret_cast<MPI_Comm>(is_predefined(*this) ? self : self & ~kBeingMade);
}

// The collectives of an intercommunicator have the context of both groups.
void Communicator::register_contexts()
{
    const std::lock_guard lock(registry().mutex);
    registry().by_context.emplace(state->context(), this);
    if (state->both() != nullptr)
        registry().by_context.emplace(state->both()->context(), this);
}

Communicator::~Communicator()
{
    if (state == nullptr)
        return;
    const std::lock_guard lock(registry().mutex);
    registry().by_context.erase(state->context());
    if (state->both() != nullptr)
        registry().by_context.erase(state->both()->context());
}

void Communicator::set_name(std::string name)
{
    const std::lock_guard lock(mutex_);
    if (state != nullptr)
        state->set_name(name);
    name_ = std::move(name);
}

Ref<ErrorHandler> handler_of(MPI_Comm comm)
{
    const Communicator* const found = find<Communicator>(comm);
    return found != nullptr ? found->error_handler() : Ref<ErrorHandler>();
}

std::string described(MPI_Comm comm)
{
    const Communicator* const found = find<Communicator>(comm);
    if (found == nullptr)
        return {};
    if (std::string name = found->name(); !name.empty())
        return name;
    return found->shape()->in_words();
}

void refuse_communicator(MPI_Comm handle)
{
    if (!Runtime::was_begun())
        fail(MPI_ERR_COMM, "MPI is not initialised yet; call MPI_Init first");
    if (Runtime::has_ended())
        fail(MPI_ERR_COMM, "MPI has been finalized; call MPI_Finalize after the last use of a communicator");
    if (handle == MPI_COMM_NULL)
        fail(MPI_ERR_COMM,
             "the communicator is MPI_COMM_NULL, as for ranks that are in none; let only its members call");
    if (find_being_made(handle) != nullptr)
        fail(MPI_ERR_COMM,
             "the communicator is a duplicate that is still being made; first wait for the request of "
             "MPI_Comm_idup");
    fail(MPI_ERR_COMM, fmt::format("{} is no communicator, or one that was freed", fmt::ptr(handle)));
}

Communicator& begun_communicator_of(MPI_Comm handle)
{
    Communicator* const begun = find_being_made(handle);
    return begun != nullptr ? *begun : communicator_of(handle);
}

Communicator& intracommunicator_of(MPI_Comm handle)
{
    Communicator& found = communicator_of(handle);
    if (found.state->both() != nullptr)
        fail(
            MPI_ERR_COMM,
            "it is an intercommunicator, and this call takes one group; merge them with MPI_Intercomm_merge");
    return found;
}

Communicator& intercommunicator_of(MPI_Comm handle)
{
    Communicator& found = communicator_of(handle);
    if (found.state->both() == nullptr)
        fail(MPI_ERR_COMM,
             "it has a single group, and this call takes an intercommunicator; make one with "
             "MPI_Intercomm_create");
    return found;
}

MPI_Comm communicator_with(std::uint64_t context) noexcept
{
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().by_context.find(context & ~std::uint64_t{1});
    return found == registry().by_context.end() ? MPI_COMM_NULL : handle_of(*found->second);
}

MPI_Comm new_communicator(detail::StatePointer state, const Communicator& parent,
                          std::shared_ptr<const Topology> topology)
{
    if (state == nullptr)
        return MPI_COMM_NULL;
    auto* const made = new Communicator(std::move(state), {}, *parent.error_handler());
    made->topology = std::move(topology);
    return handle_of(*made);
}

void define_communicators(detail::Process& process)
{
    Communicator::predefined[kWorld] =
        new Communicator(process.world(), "MPI_COMM_WORLD", fatal_errors(), Communicator::kFirst + kWorld);
    Communicator::predefined[kSelf] =
        new Communicator(process.self(), "MPI_COMM_SELF", fatal_errors(), Communicator::kFirst + kSelf);
}

void forget_communicators()
{
    for (const std::size_t index : {kSelf, kWorld})
        std::exchange(Communicator::predefined[index], nullptr)->drop_reference();
}

}  // namespace tutti::mpi
