#include "benchmarks/gloo/gloo_backend.hpp"

#include <fmt/format.h>
#include <gloo/allgather.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/config.h>
#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>

#include "benchmarks/gloo/job_store.hpp"
#include "lib/foundation/settings/settings.hpp"

namespace tutti::bench {

namespace {

gloo::transport::tcp::attr interface_for(const bootstrap::Bootstrap& bootstrap)
{
    gloo::transport::tcp::attr attributes;
    if (const char* named = settings::value_of("TUTTI_INTERFACE"))
        attributes.iface = named;
    else if (bootstrap.local_peers().size() == static_cast<std::size_t>(bootstrap.size()))
        attributes.iface = "lo";
    return attributes;
}

// Newer versions keep the store.
template <class Context, class Device>
void connect(Context& context, std::shared_ptr<JobStore> store, Device& device)
{
    if constexpr (requires { context.connectFullMesh(store, device); })
        context.connectFullMesh(store, device);
    else
        context.connectFullMesh(*store, device);
}

// Gloo's interface has no const; it only reads these buffers.
char* bytes_of(ConstBytes bytes)
{
    return reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
}

}  // namespace

GlooBackend::GlooBackend(bootstrap::Bootstrap& bootstrap)
{
    auto device = gloo::transport::tcp::CreateDevice(interface_for(bootstrap));
    auto context = std::make_shared<gloo::rendezvous::Context>(bootstrap.rank(), bootstrap.size());
    connect(*context, std::make_shared<JobStore>(bootstrap), device);
    context_ = std::move(context);
}

std::string GlooBackend::library()
{
    return fmt::format("Gloo {}.{}.{}", GLOO_VERSION_MAJOR, GLOO_VERSION_MINOR, GLOO_VERSION_PATCH);
}

void GlooBackend::barrier()
{
    gloo::BarrierOptions options(context_);
    gloo::barrier(options);
}

void GlooBackend::broadcast(Bytes data, int root)
{
    gloo::BroadcastOptions options(context_);
    options.setRoot(root);
    options.setOutput(reinterpret_cast<char*>(data.data()), data.size());
    gloo::broadcast(options);
}

void GlooBackend::allgather(ConstBytes in, Bytes out)
{
    gloo::AllgatherOptions options(context_);
    options.setInput(bytes_of(in), in.size());
    options.setOutput(reinterpret_cast<char*>(out.data()), out.size());
    gloo::allgather(options);
}

}  // namespace tutti::bench
