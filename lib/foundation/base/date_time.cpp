#include "lib/foundation/base/date_time.hpp"

namespace tutti::base {

namespace {

std::string date_text(const std::tm& time, const char* format)
{
    char text[64];
    return {text, std::strftime(text, sizeof text, format, &time)};
}

}  // namespace

std::string utc_text(std::time_t time, const char* format)
{
    std::tm parts{};
    return date_text(*gmtime_r(&time, &parts), format);
}

std::string local_text(std::time_t time, const char* format)
{
    std::tm parts{};
    return date_text(*localtime_r(&time, &parts), format);
}

}  // namespace tutti::base
