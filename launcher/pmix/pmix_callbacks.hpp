// What libpmix calls when ranks make PMIx calls.
#pragma once

#include <pmix_server.h>

#include <string>
#include <vector>

#include "launcher/pmix/pmix_reports.hpp"

namespace tutti::launcher {

/// The callbacks pass all on to `reports`, which must stay. Once, before libpmix starts.
pmix_server_module_t* pmix_module(PmixReports& reports);

/// The job that is served, and which of its ranks are of this node. Before any of them exists.
void set_pmix_job(const std::string& job_name, std::vector<bool> is_local);

}  // namespace tutti::launcher
