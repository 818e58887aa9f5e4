// What ranks that are threads throw after one of them has aborted the job.
#pragma once

#include "tutti/error.hpp"

namespace tutti::base {

/// Distinguishes the consequence of a failure from its cause: run_threads throws the cause.
class JobAborted final : public Error {
public:
    using Error::Error;
};

}  // namespace tutti::base
