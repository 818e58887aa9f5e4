#include "lib/core/communicators/buffer_checks.hpp"

#include <fmt/format.h>

#include "lib/foundation/reduction/types.hpp"
#include "tutti/error.hpp"
#include "tutti/typed_buffer.hpp"

namespace tutti::detail {

void refuse(std::string_view operation, const std::string& detail)
{
    throw Error(ErrorCode::invalid_argument, operation, detail);
}

void refuse_type(DataType type)
{
    refuse("typed", fmt::format("{} is no tutti::DataType", static_cast<unsigned>(type)));
}

void refuse_types(DataType in, DataType out)
{
    refuse("typed", fmt::format("the input has elements of {}, the output of {}; both must have one type",
                                reduction::to_string(in), reduction::to_string(out)));
}

void refuse_rank(std::string_view operation, int rank, std::string_view place, int ranks)
{
    throw Error(ErrorCode::invalid_rank, operation,
                fmt::format("there is no rank {} in {}; its ranks are 0 to {}", rank, place, ranks - 1),
                rank);
}

void refuse_root(std::string_view operation, int root, int ranks)
{
    throw Error(
        ErrorCode::invalid_rank, operation,
        fmt::format("the root {} is no rank of this communicator; its ranks are 0 to {}", root, ranks - 1),
        root);
}

void refuse_overlap(std::string_view operation)
{
    refuse(operation,
           "input and output overlap; pass buffers that are apart, or one buffer if there is an in-place "
           "form");
}

void refuse_sizes(std::string_view operation, const ConstElements& in, const ConstElements& out)
{
    refuse(operation, fmt::format("the input has {} elements ({} bytes), the output {} ({} bytes); both must "
                                  "have one block for each rank, all equally long",
                                  in.count, in.size_bytes(), out.count, out.size_bytes()));
}

void refuse_multiple(std::string_view operation, std::string_view block_name, const ConstElements& block,
                     std::string_view whole_name, const ConstElements& whole, int ranks,
                     std::string_view ranks_name)
{
    refuse(
        operation,
        fmt::format("the {} has {} elements ({} bytes), the {} {} ({} bytes); over {} {} the {} must "
                    "have {} bytes",
                    block_name, block.count, block.size_bytes(), whole_name, whole.count, whole.size_bytes(),
                    ranks, ranks_name, whole_name, block.size_bytes() * static_cast<std::size_t>(ranks)));
}

void refuse_rest(std::string_view operation, std::size_t count, int ranks)
{
    refuse(operation, fmt::format("the buffer has {} elements, which {} ranks cannot divide into equal "
                                  "blocks; resize it to a multiple, or use {}v",
                                  count, ranks, operation));
}

void check_own_count(std::string_view operation, std::string_view name, const ConstElements& own,
                     std::size_t expected_bytes, int rank)
{
    check_memory(operation, name, own);
    if (own.size_bytes() != expected_bytes)
        refuse(operation,
               fmt::format("the {} of rank {} has {} elements ({} bytes), but the counts give this "
                           "rank {} bytes; both must be the same",
                           name, rank, own.count, own.size_bytes(), expected_bytes));
}

void check_kept_count(std::string_view operation, std::size_t sent_bytes, std::size_t received_bytes,
                      int rank)
{
    if (sent_bytes != received_bytes)
        refuse(operation,
               fmt::format("rank {} sends itself {} bytes, but receives {} from itself; both counts "
                           "for the own rank must be the same",
                           rank, sent_bytes, received_bytes));
}

}  // namespace tutti::detail
