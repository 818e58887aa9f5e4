#include "lib/engine/bootstrap/pmix_values.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "tutti/error.hpp"

namespace tutti::bootstrap {

void check(pmix_status_t status, const char* operation, const std::string& detail)
{
    if (status != PMIX_SUCCESS) {
        throw Error(ErrorCode::bootstrap, operation,
                    fmt::format("{}: the launcher's PMIx server says {}", detail, PMIx_Error_string(status)));
    }
}

pmix_proc_t make_proc(const std::string& job_name, pmix_rank_t rank)
{
    pmix_proc_t proc{};
    PMIX_LOAD_PROCID(&proc, job_name.c_str(), rank);
    return proc;
}

Value ask(const std::string& job_name, pmix_rank_t rank, const char* key, const char* where)
{
    const pmix_proc_t proc = make_proc(job_name, rank);
    // Without one of these, libpmix waits for a key that the launcher lacks: a peer might still publish it.
    pmix_info_t directive{};
    const bool yes = true;
    PMIX_INFO_LOAD(&directive, where, &yes, PMIX_BOOL);
    pmix_value_t* value = nullptr;
    const pmix_status_t status = PMIx_Get(&proc, key, &directive, 1, &value);
    return Value(status == PMIX_SUCCESS ? value : nullptr);
}

std::optional<std::vector<std::byte>> as_bytes(const pmix_value_t& value)
{
    if (value.type != PMIX_BYTE_OBJECT)
        return std::nullopt;
    const auto* const bytes = reinterpret_cast<const std::byte*>(value.data.bo.bytes);
    return std::vector<std::byte>(bytes, bytes + value.data.bo.size);
}

std::optional<std::vector<std::byte>> as_bytes(const Value& value)
{
    return value ? as_bytes(*value) : std::nullopt;
}

std::optional<long> as_number(const Value& value)
{
    if (!value)
        return std::nullopt;
    long number = 0;
    pmix_status_t status = PMIX_SUCCESS;
    PMIX_VALUE_GET_NUMBER(status, value.get(), number, long);
    if (status != PMIX_SUCCESS && value->type == PMIX_PROC_RANK)
        return static_cast<long>(value->data.rank);
    return status == PMIX_SUCCESS ? std::optional(number) : std::nullopt;
}

std::optional<std::string> as_text(const Value& value)
{
    const bool is_text = value && value->type == PMIX_STRING && value->data.string != nullptr;
    return is_text ? std::optional<std::string>(value->data.string) : std::nullopt;
}

std::vector<int> parse_ranks(const char* text)
{
    std::vector<int> ranks;
    const char* const end = text + std::strlen(text);
    while (text < end) {
        int first = 0;
        auto result = std::from_chars(text, end, first);
        if (result.ec != std::errc{})
            break;
        int last = first;
        if (result.ptr < end && *result.ptr == '-')
            result = std::from_chars(result.ptr + 1, end, last);
        for (int rank = first; rank <= last; ++rank)
            ranks.push_back(rank);
        text = result.ptr < end ? result.ptr + 1 : end;
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

}  // namespace tutti::bootstrap
