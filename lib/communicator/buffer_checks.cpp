#include "lib/communicator/buffer_checks.hpp"

#include "tutti/error.hpp"

namespace tutti::detail {

void refuse(std::string_view operation, const std::string& detail)
{
    throw Error(ErrorCode::invalid_argument, operation, detail);
}

void check_root(const CommunicatorState& state, std::string_view operation, int root)
{
    if (root < 0 || root >= state.size())
        throw Error(ErrorCode::invalid_rank, operation,
                    fmt::format("the root {} is no rank of this communicator; its ranks are 0 to {}", root,
                                state.size() - 1),
                    root);
}

bool overlap(ConstElements in, ConstElements out) noexcept
{
    return in.data < out.data + out.size_bytes() && out.data < in.data + in.size_bytes();
}

void check_apart(std::string_view operation, ConstElements in, ConstElements out)
{
    if (in.count != 0 && overlap(in, out))
        refuse(operation,
               "input and output overlap; pass buffers that are apart, or one buffer where there "
               "is a form in place");
}

void check_equal_size(std::string_view operation, ConstElements in, ConstElements out)
{
    check_memory(operation, "input", in);
    check_memory(operation, "output", out);
    if (in.size_bytes() != out.size_bytes())
        refuse(operation,
               fmt::format("the input has {} elements ({} bytes), the output {} ({} bytes); both must "
                           "have one block for each rank, all equally long",
                           in.count, in.size_bytes(), out.count, out.size_bytes()));
}

void check_multiple(std::string_view operation, std::string_view block_name, ConstElements block,
                    std::string_view whole_name, ConstElements whole, int ranks, std::string_view ranks_name)
{
    check_memory(operation, block_name, block);
    check_memory(operation, whole_name, whole);
    if (whole.size_bytes() != block.size_bytes() * static_cast<std::size_t>(ranks))
        refuse(operation,
               fmt::format("the {} has {} elements ({} bytes), the {} {} ({} bytes); over {} {} the {} must "
                           "have {} bytes",
                           block_name, block.count, block.size_bytes(), whole_name, whole.count,
                           whole.size_bytes(), ranks, ranks_name, whole_name,
                           block.size_bytes() * static_cast<std::size_t>(ranks)));
}

Elements block_of(std::string_view operation, Elements whole, int ranks, int rank)
{
    check_memory(operation, "buffer", whole);
    const auto parts = static_cast<std::size_t>(ranks);
    if (whole.count % parts != 0)
        refuse(operation, fmt::format("the buffer has {} elements, which {} ranks cannot divide into equal "
                                      "blocks; resize it to a multiple, or use {}v",
                                      whole.count, ranks, operation));
    const std::size_t count = whole.count / parts;
    return {whole.data + static_cast<std::size_t>(rank) * count * whole.element_bytes, count,
            whole.element_bytes};
}

void check_own_count(std::string_view operation, std::string_view name, ConstElements own,
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
