// A limit of this process that a test needs otherwise.
#pragma once

#include <sys/resource.h>

#include <catch2/catch.hpp>

namespace tutti::test {

using Resource = decltype(RLIMIT_NOFILE);

inline rlim_t hard_limit(Resource resource)
{
    rlimit limit{};
    REQUIRE(::getrlimit(resource, &limit) == 0);
    return limit.rlim_max;
}

/// Sets a soft limit, and puts it back at the end.
class WithSoftLimit {
public:
    WithSoftLimit(Resource resource, rlim_t soft) : resource_(resource)
    {
        REQUIRE(::getrlimit(resource_, &old_) == 0);
        REQUIRE(soft <= old_.rlim_max);
        const rlimit wanted{soft, old_.rlim_max};
        REQUIRE(::setrlimit(resource_, &wanted) == 0);
    }
    ~WithSoftLimit() { ::setrlimit(resource_, &old_); }
    WithSoftLimit(const WithSoftLimit&) = delete;
    WithSoftLimit& operator=(const WithSoftLimit&) = delete;

    rlim_t hard() const { return old_.rlim_max; }

private:
    Resource resource_;
    rlimit old_{};
};

}  // namespace tutti::test
