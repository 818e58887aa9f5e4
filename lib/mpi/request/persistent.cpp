// Persistent requests, and their starts.
#include <utility>

#include "lib/core/requests/request_access.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/live_handles.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

struct Persistent final : MpiRequest {
    explicit Persistent(std::unique_ptr<detail::Starter> given) noexcept : starter(std::move(given))
    {
        owner = &Runtime::process();
        note_persistent(this);
    }

    detail::RequestState* operation() noexcept override { return active; }
    bool outlives_operation() noexcept override
    {
        active = nullptr;
        return true;
    }
    int let_go(progress::Engine::Lock&) override
    {
        if (active != nullptr)
            mpi::let_go(*active);
        delete this;
        return MPI_SUCCESS;
    }
    std::exception_ptr failure() override { return nullptr; }
    void recycle() noexcept override { delete this; }

    void start()
    {
        Request begun = starter != nullptr ? starter->start() : Request();
        active = begun.active() ? RequestAccess::release(begun) : &done_operation();
    }

    std::unique_ptr<detail::Starter> starter;
    detail::RequestState* active = nullptr;
};

Persistent& startable(MPI_Request handle)
{
    if (handle == MPI_REQUEST_NULL)
        fail(MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL; create a persistent one first");
    const bool is_active = state_of(handle) != nullptr;
    auto* const persistent = dynamic_cast<Persistent*>(mpi_request(handle));
    if (persistent == nullptr)
        fail(MPI_ERR_REQUEST, "the request is not persistent; only such requests are started");
    if (is_active)
        fail(MPI_ERR_REQUEST, "the request's last start is still under way; wait for it first");
    return *persistent;
}

}  // namespace

MPI_Request persistent_request(std::unique_ptr<detail::Starter> starter)
{
    return handle_of(*new Persistent(std::move(starter)));
}

int start(MPI_Request* request)
{
    return guard("MPI_Start", [&] {
        check_not_null(request, "request");
        startable(*request).start();
    });
}

int startall(int count, MPI_Request* requests)
{
    return guard("MPI_Startall", [&] {
        check_array("array_of_requests", requests, count);
        for (int i = 0; i < count; ++i)
            startable(requests[i]).start();
    });
}

}  // namespace tutti::mpi
