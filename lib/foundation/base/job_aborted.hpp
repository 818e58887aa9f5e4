// What ranks that are threads throw once one of them has ended the job.
#pragma once

#include "tutti/error.hpp"

namespace tutti::base {

/// Tells the consequence of a failure from its cause: run_threads throws the cause.
class JobAborted final : public Error {
public:
    using Error::Error;
};

}  // namespace tutti::base
