// Lists of PMIx attributes, and what PMIx clients can get of a job: its size, the ranks of each node, where
// each rank runs.
#pragma once

#include <pmix_common.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::launcher {

struct LaunchOrder;

/// Owns its values.
class PmixInfoList {
public:
    PmixInfoList() = default;
    PmixInfoList(PmixInfoList&& other) noexcept = default;
    PmixInfoList& operator=(PmixInfoList&&) = delete;
    ~PmixInfoList();

    /// Copies the value. `key` is one of PMIx's PMIX_... strings; the type must be the one that the standard
    /// gives to it, since clients read it by type.
    void add(const char* key, const std::string& text) { load(key, text.c_str(), PMIX_STRING); }
    void add_flag(const char* key, bool flag) { load(key, &flag, PMIX_BOOL); }
    void add_u16(const char* key, std::integral auto value)
    {
        const auto number = static_cast<std::uint16_t>(value);
        load(key, &number, PMIX_UINT16);
    }
    void add_u32(const char* key, std::integral auto value)
    {
        const auto number = static_cast<std::uint32_t>(value);
        load(key, &number, PMIX_UINT32);
    }
    void add_proc(const char* key, const pmix_proc_t& proc) { load(key, &proc, PMIX_PROC); }
    void add_rank(const char* key, int rank);
    /// `text` comes from PMIx_generate_regex() or _ppn(). It is not always a string: it may have zero bytes.
    void add_regex(const char* key, const char* text) { load(key, text, PMIX_REGEX); }
    /// Not copied: libpmix uses the topology itself.
    void add_topology(pmix_topology_t* topology);
    void add_array(const char* key, const PmixInfoList& list);

    pmix_info_t* data() noexcept { return infos_.data(); }
    std::size_t size() const noexcept { return infos_.size(); }

private:
    void load(const char* key, const void* value, pmix_data_type_t type);

    std::vector<pmix_info_t> infos_;
    std::size_t borrowed_ = kNothing;  // index of the entry whose value is not copied

    static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);
};

/// For PMIx_server_register_nspace on `node`. The PMIx server must run, since it compresses lists.
PmixInfoList describe_job(const LaunchOrder& order, int node, const std::string& session_directory);

}  // namespace tutti::launcher
