// What Tutti does not have: each call gives an error, by an exception or in silence, as its handler has it.
#include "report.hpp"

namespace {

template <class Call>
void refused(const char*, Call&& call)
{
    try {
        call();
    } catch (const MPI::Exception&) {
    }
}

}  // namespace

void absent()
{
    if (!is_on_tutti)
        return;
    char port[MPI::MAX_PORT_NAME] = "none";
    const char* commands[] = {"true", "true"};
    const int counts[] = {1, 1};
    const MPI::Info infos[] = {MPI::INFO_NULL, MPI::INFO_NULL};
    refused("Open_port", [&] { MPI::Open_port(MPI::INFO_NULL, port); });
    refused("Publish_name", [&] { MPI::Publish_name("tutti", MPI::INFO_NULL, port); });
    refused("Lookup_name", [&] { MPI::Lookup_name("tutti", MPI::INFO_NULL, port); });
    refused("Unpublish_name", [&] { MPI::Unpublish_name("tutti", MPI::INFO_NULL, port); });
    refused("Close_port", [&] { MPI::Close_port(port); });
    refused("Accept", [&] { MPI::COMM_SELF.Accept(port, MPI::INFO_NULL, 0); });
    refused("Connect", [&] { MPI::COMM_SELF.Connect(port, MPI::INFO_NULL, 0); });
    refused("Join", [&] { MPI::Comm::Join(0); });
    refused("Spawn", [&] { MPI::COMM_SELF.Spawn("true", MPI::ARGV_NULL, 1, MPI::INFO_NULL, 0); });
    refused("Spawn_multiple",
            [&] { MPI::COMM_SELF.Spawn_multiple(2, commands, MPI::ARGVS_NULL, counts, infos, 0); });
}
