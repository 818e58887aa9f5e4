#include "launcher/pmix_messages.hpp"

namespace tutti::launcher {

std::string encode(const FenceFrame& frame)
{
    return WireWriter().put(frame.ranks).put(frame.status).put_rest(frame.data).bytes();
}

FenceFrame decode_fence(std::string_view payload)
{
    WireReader reader(payload);
    FenceFrame frame;
    frame.ranks = reader.numbers();
    frame.status = reader.number<std::int32_t>();
    frame.data = reader.rest();
    return frame;
}

std::string encode(const ModexRequest& request)
{
    return WireWriter()
        .put(request.number)
        .put(request.asker)
        .put(request.rank)
        .put(std::string_view(request.key))
        .put(static_cast<std::uint8_t>(request.deposited))
        .bytes();
}

ModexRequest decode_modex_request(std::string_view payload)
{
    WireReader reader(payload);
    ModexRequest request;
    request.number = reader.number<std::uint32_t>();
    request.asker = reader.number<std::uint16_t>();
    request.rank = reader.number<std::int32_t>();
    request.key = reader.text();
    request.deposited = reader.number<std::uint8_t>() != 0;
    reader.expect_end();
    return request;
}

std::string encode(const ModexAnswer& answer)
{
    return WireWriter().put(answer.number).put(answer.asker).put(answer.status).put_rest(answer.data).bytes();
}

ModexAnswer decode_modex_answer(std::string_view payload)
{
    WireReader reader(payload);
    ModexAnswer answer;
    answer.number = reader.number<std::uint32_t>();
    answer.asker = reader.number<std::uint16_t>();
    answer.status = reader.number<std::int32_t>();
    answer.data = reader.rest();
    return answer;
}

}  // namespace tutti::launcher
