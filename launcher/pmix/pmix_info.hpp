// A list of PMIx attributes with C++ ownership.
#pragma once

#include <pmix_common.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::launcher {

class PmixInfoList {
public:
    PmixInfoList() = default;
    PmixInfoList(PmixInfoList&& other) noexcept = default;
    PmixInfoList& operator=(PmixInfoList&&) = delete;
    ~PmixInfoList();

    /// Values are copied where nothing else is said. `key` is one of PMIx's PMIX_... strings; the type must
    /// be the one that the standard names for it, since clients take it apart by type.
    void add(const char* key, const std::string& text);
    void add_flag(const char* key, bool flag);
    void add_u16(const char* key, std::uint16_t number);
    void add_u32(const char* key, std::uint32_t number);
    void add_proc(const char* key, const pmix_proc_t& proc);
    void add_rank(const char* key, int rank);
    /// `text` is what PMIx_generate_regex() or _ppn() returned: not always a string, it may hold zero bytes.
    void add_regex(const char* key, const char* text);
    /// Not copied: libpmix uses the topology itself from now on.
    void add_topology(pmix_topology_t* topology);
    void add_array(const char* key, const PmixInfoList& list);

    pmix_info_t* data() noexcept { return infos_.data(); }
    std::size_t size() const noexcept { return infos_.size(); }

private:
    void load(const char* key, const void* value, pmix_data_type_t type);

    std::vector<pmix_info_t> infos_;
    std::size_t borrowed_ = kNothing;  // index of the entry whose value is not ours

    static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);
};

}  // namespace tutti::launcher
