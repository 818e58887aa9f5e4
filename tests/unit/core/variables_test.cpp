// What a rank that starts says of variables that cannot be meant: their names, their values and what is
// possible, also in a job that does not need them. Algorithms and rules have tests of their own
// (choice_test.cpp).
#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

#include "lib/core/job/make_process.hpp"
#include "lib/core/process/process.hpp"
#include "lib/engine/bootstrap/singleton.hpp"

namespace {

struct Wrong {
    std::string name;
    std::string value;
    std::string words;  // of the error, beside name and value
};

// Sets a variable as long as it exists.
struct Reported {
    Reported(const std::string& variable, const std::string& value) : name(variable)
    {
        setenv(name.c_str(), value.c_str(), 1);
    }
    ~Reported() { unsetenv(name.c_str()); }

    std::string name;
};

void start()
{
    tutti::detail::make_process(tutti::bootstrap::make_singleton(), {})->engine().close();
}

}  // namespace

TEST_CASE("a rank refuses variables that cannot be meant, and says what is possible")
{
    const Wrong wrong = GENERATE(values<Wrong>({
        {"TUTTI_SHARED_CORES", "2", "neither 1"},
        {"TUTTI_SHARED_CORES", "yes", "neither 1"},
        {"TUTTI_SHARED_CORES", "01", "neither 1"},
        {"TUTTI_CORES", "0", "TUTTI_CORES=4"},
        {"TUTTI_CORES", "2x", "TUTTI_CORES=4"},
        {"TUTTI_REDUCE_THREADS", "0", "from 1 to 1024"},
        {"TUTTI_REDUCE_THREADS", "2,3", "from 1 to 1024"},
        {"TUTTI_REDUCE_THREADS", "many", "from 1 to 1024"},
        {"TUTTI_PROGRESS", "threads", "did you mean 'thread'?"},
        {"TUTTI_PROGRESS", "no", "neither calls nor thread"},
        {"TUTTI_EAGER_LIMIT", "8 K", "TUTTI_EAGER_LIMIT=64K"},
        {"TUTTI_EAGER_LIMIT", "-1", "TUTTI_EAGER_LIMIT=64K"},
        {"TUTTI_EAGER_LIMIT", "K", "TUTTI_EAGER_LIMIT=64K"},
        {"TUTTI_UNEXPECTED_LIMIT", "1K", "at least 4096 bytes"},
        {"TUTTI_UNEXPECTED_LIMIT", "1MB", "TUTTI_UNEXPECTED_LIMIT=64K"},
        {"TUTTI_FABRIC", "bogus", "none of tcp, ofi and ofi:PROVIDER"},
        {"TUTTI_FABRIC", "ofi:", "none of tcp, ofi and ofi:PROVIDER"},
        {"TUTTI_FABRIC", "tpc", "did you mean 'tcp'?"},
        {"TUTTI_INTERFACE", "eth0,,eth1", "neither an interface nor a subnet"},
        {"TUTTI_INTERFACE", "10.1.0.0/99", "neither an interface nor a subnet"},
        {"TUTTI_FABRIC_RMA", "offf", "is neither on nor off"},
        {"TUTTI_TCP_CONGESTION", "bogus", "or 'system' for the system's own"},
    }));
    CAPTURE(wrong.name, wrong.value);
    const Reported reported(wrong.name, wrong.value);
    CHECK_THROWS_WITH(start(),
                      Catch::Contains(wrong.name + "=" + wrong.value) && Catch::Contains(wrong.words));
}

TEST_CASE("a rank takes what variables may say, and empty ones for none")
{
    const auto [name, value] = GENERATE(table<std::string, std::string>({
        {"TUTTI_SHARED_CORES", "0"},
        {"TUTTI_SHARED_CORES", "1"},
        {"TUTTI_SHARED_CORES", ""},
        {"TUTTI_CORES", "3"},
        {"TUTTI_CORES", ""},
        {"TUTTI_REDUCE_THREADS", "2"},
        {"TUTTI_PROGRESS", "calls"},
        {"TUTTI_PROGRESS", ""},
        {"TUTTI_EAGER_LIMIT", "0"},
        {"TUTTI_EAGER_LIMIT", "64K"},
        {"TUTTI_UNEXPECTED_LIMIT", "1M"},
        {"TUTTI_FABRIC", "ofi:tcp;ofi_rxm"},
        {"TUTTI_FABRIC", ""},
        {"TUTTI_INTERFACE", "eth0,10.1.0.0/16"},
        {"TUTTI_INTERFACE", ""},
        {"TUTTI_TCP_CONGESTION", "system"},
    }));
    CAPTURE(name, value);
    const Reported reported(name, value);
    CHECK_NOTHROW(start());
}
