// What finds out why a rank does not go on, or never will. Process knows no part of it.
#pragma once

#include <cstdint>

#include "lib/core/diagnosis/absent_ranks.hpp"
#include "lib/core/diagnosis/call_diagnosis.hpp"
#include "lib/core/diagnosis/failure_detector.hpp"

namespace tutti::detail {

/// Under the engine's lock.
struct Diagnosis {
    explicit Diagnosis(Process& process);

    /// The engine's watch: a wait has lasted so long. True: more will probably be known soon. Throws if the
    /// wait will never end.
    bool look(std::int64_t waited_ns, bool twice_as_long);

    CallDiagnosis calls;       // in which calls other ranks are
    FailureDetector failures;  // whether they live
    AbsentRanks absent;        // which of them have given up

private:
    Process& process_;
};

}  // namespace tutti::detail
