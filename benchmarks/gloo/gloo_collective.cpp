#include "benchmarks/gloo/gloo_collective.hpp"

#include <fmt/format.h>
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "lib/foundation/reduction/types.hpp"

namespace tutti::bench {

namespace {

// visit(element of Gloo's type) for the types that Gloo reduces.
template <class Visitor>
void with_type(DataType type, Visitor visitor)
{
    switch (type) {
        case DataType::int8:
            return visitor(std::int8_t{});
        case DataType::uint8:
            return visitor(std::uint8_t{});
        case DataType::int32:
            return visitor(std::int32_t{});
        case DataType::int64:
            return visitor(std::int64_t{});
        case DataType::uint64:
            return visitor(std::uint64_t{});
        case DataType::float32:
            return visitor(float{});
        case DataType::float64:
            return visitor(double{});
        default:
            throw NotOffered(fmt::format("no sums of {}", reduction::to_string(type)));
    }
}

bool offered(const DescribedCall& call)
{
    switch (call.collective) {
        case Collective::barrier:
        case Collective::broadcast:
        case Collective::allreduce:
        case Collective::allgather:
        case Collective::reduce_scatter:
            return true;
        case Collective::alltoall:
            return !call.in_place;
        default:
            return false;
    }
}

template <class SuiteOptions>
void set_bytes(SuiteOptions& options, const DescribedCall& call, std::size_t in_bytes, std::size_t out_bytes)
{
    if (!call.in_place)
        options.setInput(reinterpret_cast<char*>(call.in), in_bytes);
    options.setOutput(reinterpret_cast<char*>(call.out), out_bytes);
}

}  // namespace

GlooCollective::GlooCollective(const DescribedCall& call, std::shared_ptr<gloo::Context> context)
    : call_(call), context_(std::move(context)), bytes_(call.count * size_bytes(call.type))
{
    if (!offered(call))
        throw NotOffered("it has barrier, broadcast, allreduce, allgather, reduce_scatter and alltoall");
    if (is_reduction(call.collective))
        with_type(call.type, [](auto) {});
    if (call.collective == Collective::reduce_scatter)
        prepare_reduce_scatter();
}

void GlooCollective::run()
{
    const std::size_t ranks = static_cast<std::size_t>(context_->size);
    switch (call_.collective) {
        case Collective::barrier: {
            gloo::BarrierOptions options(context_);
            return gloo::barrier(options);
        }
        case Collective::broadcast: {
            gloo::BroadcastOptions options(context_);
            options.setRoot(call_.root);
            options.setOutput(reinterpret_cast<char*>(call_.out), bytes_);
            return gloo::broadcast(options);
        }
        case Collective::allgather: {
            gloo::AllgatherOptions options(context_);
            set_bytes(options, call_, bytes_, ranks * bytes_);
            return gloo::allgather(options);
        }
        case Collective::alltoall: {
            gloo::AlltoallOptions options(context_);
            set_bytes(options, call_, ranks * bytes_, ranks * bytes_);
            return gloo::alltoall(options);
        }
        case Collective::allreduce:
            return with_type(call_.type, [this](auto element) {
                using Element = decltype(element);
                gloo::AllreduceOptions options(context_);
                if (!call_.in_place)
                    options.setInput(reinterpret_cast<Element*>(call_.in), call_.count);
                options.setOutput(reinterpret_cast<Element*>(call_.out), call_.count);
                void (*const sum)(void*, const void*, const void*, std::size_t) = &gloo::sum<Element>;
                options.setReduceFunction(sum);
                gloo::allreduce(options);
            });
        default:
            return reduce_scatter();
    }
}

// In place: Gloo has no reduce-scatter from one buffer to another, and a copy of the whole buffer would count
// as Gloo's time.
void GlooCollective::prepare_reduce_scatter()
{
    reduced_ = call_.in_place ? call_.out : call_.in;
    with_type(call_.type, [this](auto element) {
        using Element = decltype(element);
        const int ranks = context_->size;
        const int count = static_cast<int>(call_.count);
        reduce_scatter_ = std::make_unique<gloo::ReduceScatterHalvingDoubling<Element>>(
            context_, std::vector<Element*>{reinterpret_cast<Element*>(reduced_)}, ranks * count,
            std::vector<int>(static_cast<std::size_t>(ranks), count));
    });
}

void GlooCollective::reduce_scatter()
{
    reduce_scatter_->run();
    if (!call_.in_place)
        std::memcpy(call_.out, reduced_, bytes_);
}

GlooRequest GlooCollective::start()
{
    throw NotOffered("it has no non-blocking collectives");
}

GlooRequest GlooCollective::persistent()
{
    throw NotOffered("it has no persistent collectives");
}

}  // namespace tutti::bench
