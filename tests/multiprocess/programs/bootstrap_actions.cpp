// A rank that does with its bootstrap what the first argument says. Exits with 2 when a value is wrong.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "lib/foundation/control/channel.hpp"

namespace {

using tutti::bootstrap::Bootstrap;

/// Different for each rank in length (none at all for rank 0) and content.
std::vector<std::byte> contact_of(int rank)
{
    std::vector<std::byte> contact(static_cast<std::size_t>(rank) * 7);
    for (std::size_t i = 0; i < contact.size(); ++i) {
        contact[i] = static_cast<std::byte>((static_cast<std::size_t>(rank) * 31 + i) % 256);
    }
    return contact;
}

void expect(bool condition, const char* what)
{
    if (!condition) {
        fmt::print(stderr, "wrong: {}\n", what);
        std::exit(2);
    }
}

/// Every rank reads every rank's contacts: some before and some after they are surely there.
void exchange(Bootstrap& job)
{
    if (job.rank() % 2 == 1) {
        ::usleep(20'000);  // the even ranks must wait for the contacts of the odd ones
    }
    job.publish("contact", contact_of(job.rank()));
    job.make_known();
    for (int rank = job.size() - 1; rank >= 0; --rank) {
        expect(job.fetch(rank, "contact") == contact_of(rank), "a contact before the fence");
    }
    job.publish("second-contact", contact_of(job.rank() + 100));
    job.fence();
    for (int rank = 0; rank < job.size(); ++rank) {
        expect(job.fetch(rank, "second-contact") == contact_of(rank + 100), "a contact after the fence");
    }
    job.fence();
    job.finalize();
    fmt::print("{} rank {} of {}, {} local\n", job.name(), job.rank(), job.size(), job.local_peers().size());
}

/// Rank 0 waits for a contact for a while and reports how much CPU time that took.
void wait_for_contact(Bootstrap& job)
{
    if (job.rank() == 1) {
        ::usleep(500'000);
        job.publish("late", contact_of(3));
    } else if (job.rank() == 0) {
        const std::clock_t before = std::clock();
        expect(job.fetch(1, "late") == contact_of(3), "the late contact");
        fmt::print("{} us of CPU time\n", (std::clock() - before) * 1'000'000 / CLOCKS_PER_SEC);
    }
    job.fence();
    job.finalize();
}

/// Reads the others' contacts once a line of input has come: whatever has become of the PMIx server by then.
void exchange_later(Bootstrap& job)
{
    job.publish("contact", contact_of(job.rank()));
    fmt::print("up\n");
    std::fflush(stdout);
    expect(std::getchar() == '\n', "the line of input");
    for (int rank = 0; rank < job.size(); ++rank) {
        expect(job.fetch(rank, "contact") == contact_of(rank), "a contact without a server");
    }
    job.finalize();
    fmt::print("left\n");
}

int run(Bootstrap& job, const std::vector<std::string>& arguments)
{
    const std::string& action = arguments[0];
    const bool chosen = arguments.size() > 1 && std::stoi(arguments[1]) == job.rank();
    if (action == "exchange") {
        exchange(job);
    } else if (action == "exchange-later") {
        exchange_later(job);
    } else if (action == "wait") {
        wait_for_contact(job);
    } else if (action == "finalize") {
        job.finalize();
    } else if (action == "abort") {  // RANK STATUS MESSAGE
        if (chosen) {
            job.abort(std::stoi(arguments[2]), arguments[3]);
        }
        job.fence();
    } else if (action == "leave") {  // RANK STATUS [LEAVING CALL]: without finalize
        if (chosen) {
            if (arguments.size() > 3) {
                expect(job.control()->joined(arguments[3]), "the daemon");
            }
            ::_exit(std::stoi(arguments[2]));
        }
        job.fence();
    } else if (action == "fetch-from-dead") {  // RANK
        if (chosen) {
            ::_exit(0);
        }
        job.fetch(std::stoi(arguments[1]), "never");
    } else {
        return 3;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const auto job = tutti::bootstrap::connect_to_job();
        return run(*job, std::vector<std::string>(argv + 1, argv + argc));
    } catch (const tutti::Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 4;
    }
}
