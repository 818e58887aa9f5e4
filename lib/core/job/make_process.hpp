// Puts a rank together: its Process with the parts of all rooms.
#pragma once

#include <memory>

#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "transports/inproc/inproc_transport.hpp"
#include "tutti/environment.hpp"

namespace tutti::detail {

class Process;

/// `hub` connects ranks that are threads; without it, ranks are processes of this node.
std::shared_ptr<Process> make_process(std::unique_ptr<bootstrap::Bootstrap> bootstrap,
                                      const EnvironmentOptions& options,
                                      std::shared_ptr<transport::InprocHub> hub = nullptr);

}  // namespace tutti::detail
