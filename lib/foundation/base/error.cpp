#include "tutti/error.hpp"

#include <fmt/format.h>

namespace tutti {

std::string_view to_string(ErrorCode code) noexcept
{
    switch (code) {
        case ErrorCode::success:
            return "success";
        case ErrorCode::truncated:
            return "truncated";
        case ErrorCode::invalid_argument:
            return "invalid argument";
        case ErrorCode::invalid_rank:
            return "invalid rank";
        case ErrorCode::invalid_tag:
            return "invalid tag";
        case ErrorCode::out_of_memory:
            return "out of memory";
        case ErrorCode::peer_lost:
            return "peer lost";
        case ErrorCode::cancelled:
            return "cancelled";
        case ErrorCode::not_supported:
            return "not supported";
        case ErrorCode::protocol:
            return "protocol error";
        case ErrorCode::bootstrap:
            return "bootstrap failed";
        case ErrorCode::system:
            return "system error";
        case ErrorCode::file:
            return "file error";
        case ErrorCode::internal:
            return "internal error";
    }
    return "unknown error";
}

Error::Error(ErrorCode code, std::string_view operation, std::string_view detail, int peer)
    : code_(code), operation_(operation), peer_(peer)
{
    what_ = fmt::format("{}: {}: {}", operation, to_string(code), detail);
}

}  // namespace tutti
