#define CATCH_CONFIG_RUNNER
#include <signal.h>

#include <catch2/catch.hpp>

int main(int argc, char** argv)
{
    ::signal(SIGPIPE, SIG_IGN);  // a launcher that ends does not read its input to the end
    return Catch::Session().run(argc, argv);
}
