#include <catch2/catch.hpp>

#include <csignal>

#include "benchmarks/peers/run_program.hpp"

using namespace tutti::bench;

TEST_CASE("a program's status and output come back", "[benchmarks]")
{
    const Outcome good =
        run_program({"sh", "-c", "echo out; echo err >&2; echo $COLOUR"}, {{"COLOUR", "blue"}}, 10);
    CHECK(good.good());
    CHECK(good.output == "out\nerr\nblue\n");
    CHECK(run_program({"sh", "-c", "exit 3"}, {}, 10).status == 3);
    CHECK(run_program({"sh", "-c", "kill -9 $$"}, {}, 10).status == 128 + SIGKILL);
    CHECK(run_program({"/no/such/program"}, {}, 10).status == 127);
    CHECK(run_program({"cat"}, {}, 10).good());  // its input is empty
}

TEST_CASE("a program that takes too long is ended, with its children", "[benchmarks]")
{
    const std::vector<std::string> command = {"sh", "-c", "sleep 60 & echo $!; wait"};
    const Outcome outcome = run_program(command, {}, 0.2);
    CHECK(outcome.timed_out);
    CHECK_FALSE(outcome.good());
    CHECK(outcome.seconds < 5.0);
    CHECK_THAT(describe_failure(command, outcome), Catch::Contains("was stopped"));
    const pid_t child = std::stoi(outcome.output);
    int attempts = 0;
    while (kill(child, 0) == 0 && ++attempts < 100)  // its new parent may be about to reap it
        CHECK(run_program({"sleep", "0.02"}, {}, 10).good());
    CHECK(attempts < 100);
}
