// Parts of origins' and targets' memory: one side may have more room than the other one fills.
#include "lib/mpi/rma/transfer_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/core/process/process.hpp"
#include "lib/foundation/datatype/build.hpp"
#include "lib/foundation/datatype/runs.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/runtime.hpp"

namespace tutti::mpi {

namespace {

template <class Block>
Part<Block> cut_part(const Part<Block>& whole, std::size_t begin, std::size_t end)
{
    const Block& block = whole.block;
    Part<Block> part{block, end - begin};
    if (begin == 0 && block.type == nullptr) {
        part.block.count = end;
        return part;
    }
    std::vector<datatype::Block> runs;
    std::size_t passed = 0;
    const auto run = [&](std::ptrdiff_t offset, std::size_t bytes) {
        const std::size_t from = std::max(passed, begin);
        const std::size_t to = std::min(passed + bytes, end);
        if (from < to)
            runs.push_back({offset + static_cast<std::ptrdiff_t>(from - passed), to - from});
        passed += bytes;
    };
    if (block.type == nullptr)
        run(0, block.count);
    else
        datatype::for_each_run(*block.type, block.count, run);
    part.layout = datatype::hindexed(std::move(runs), *datatype::bytes(1));
    part.block.count = 1;
    part.block.type = part.layout.get();
    return part;
}

}  // namespace

OriginPart cut(const OriginPart& part, std::size_t begin, std::size_t end)
{
    return cut_part(part, begin, end);
}

TargetPart cut(const TargetPart& part, std::size_t begin, std::size_t end)
{
    return cut_part(part, begin, end);
}

void refuse_displacement(MPI_Aint displacement)
{
    fail(MPI_ERR_DISP, fmt::format("the displacement is {}; it must not be negative", displacement));
}

void refuse_sizes(const Side& from, const Side& to)
{
    fail(MPI_ERR_TRUNCATE,
         fmt::format("the {} has {} bytes, and the {} has room for {}; what is moved must fit", from.name,
                     from.bytes, to.name, to.bytes));
}

void refuse_request()
{
    fail(MPI_ERR_RMA_SYNC,
         "operations with a request are for epochs of MPI_Win_lock and MPI_Win_lock_all; in others use the "
         "call without a request");
}

MPI_Request begun_at_window(detail::RequestState& state)
{
    const auto lock = Runtime::process().engine().lock();
    return begun_request(&state);
}

}  // namespace tutti::mpi
