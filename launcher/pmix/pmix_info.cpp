#include "launcher/pmix/pmix_info.hpp"

#include <pmix.h>

#include <new>

namespace tutti::launcher {

PmixInfoList::~PmixInfoList()
{
    for (std::size_t i = 0; i < infos_.size(); ++i)
        if (i != borrowed_)
            PMIX_INFO_DESTRUCT(&infos_[i]);
}

void PmixInfoList::load(const char* key, const void* value, pmix_data_type_t type)
{
    infos_.emplace_back();
    if (PMIx_Info_load(&infos_.back(), key, value, type) != PMIX_SUCCESS)
        throw std::bad_alloc();
}

void PmixInfoList::add_rank(const char* key, int rank)
{
    const auto number = static_cast<pmix_rank_t>(rank);
    load(key, &number, PMIX_PROC_RANK);
}

void PmixInfoList::add_topology(pmix_topology_t* topology)
{
    borrowed_ = infos_.size();
    pmix_info_t& info = infos_.emplace_back();
    PMIX_LOAD_KEY(info.key, PMIX_TOPOLOGY2);
    info.value.type = PMIX_TOPO;
    info.value.data.topo = topology;
}

void PmixInfoList::add_array(const char* key, const PmixInfoList& list)
{
    pmix_data_array_t array{};
    array.type = PMIX_INFO;
    array.size = list.infos_.size();
    array.array = const_cast<pmix_info_t*>(list.infos_.data());  // load() copies it
    load(key, &array, PMIX_DATA_ARRAY);
}

}  // namespace tutti::launcher
