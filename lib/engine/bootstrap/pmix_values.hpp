// Values as PMIx servers give them.
#pragma once

#include <pmix.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::bootstrap {

/// Throws tutti::Error (bootstrap) unless the status is success: "`detail`: the launcher's PMIx server says
/// ...".
void check(pmix_status_t status, const char* operation, const std::string& detail);

pmix_proc_t make_proc(const std::string& job_name, pmix_rank_t rank);

struct ValueDeleter {
    void operator()(pmix_value_t* value) const { PMIX_VALUE_FREE(value, 1); }
};
using Value = std::unique_ptr<pmix_value_t, ValueDeleter>;

/// What the launcher knows about the job or about `rank`; with PMIX_IMMEDIATE, what its server knows now.
/// Empty if there is nothing. Never waits for other ranks.
Value ask(const std::string& job_name, pmix_rank_t rank, const char* key, const char* where = PMIX_OPTIONAL);

std::optional<std::vector<std::byte>> as_bytes(const pmix_value_t& value);
std::optional<std::vector<std::byte>> as_bytes(const Value& value);
/// Launchers use different types for numbers.
std::optional<long> as_number(const Value& value);
std::optional<std::string> as_text(const Value& value);

/// "0,1,2" or "0-2,5" as a sorted list. The first text that is not a number ends it.
std::vector<int> parse_ranks(const char* text);

}  // namespace tutti::bootstrap
