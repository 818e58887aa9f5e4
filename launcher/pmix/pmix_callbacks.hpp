// The functions that libpmix calls when ranks make PMIx calls.
#pragma once

#include <pmix_server.h>

#include <string>
#include <vector>

#include "launcher/pmix/pmix_reports.hpp"

namespace tutti::launcher {

/// The callbacks report to `reports`, which must stay. To be called once, before libpmix starts.
pmix_server_module_t* pmix_module(PmixReports& reports);

/// The job, and which of its ranks are on this node. To be called before any rank exists.
void set_pmix_job(const std::string& job_name, std::vector<bool> is_local);

}  // namespace tutti::launcher
