#include "report.hpp"

namespace {

int in[3], out[3];
MPI::Request request;

void begin(int tag)
{
    in[0] = in[1] = in[2] = -1;
    request = MPI::COMM_WORLD.Irecv(in, 3, MPI::INT, left, tag);
}

void finish(const char* name)
{
    MPI::Status status;
    request.Wait(status);
    say(name, status);
    say(name, in, 3);
    MPI::COMM_WORLD.Barrier();
}

}  // namespace

void messages()
{
    const MPI::Intracomm& world = MPI::COMM_WORLD;
    for (int i = 0; i < 3; ++i)
        out[i] = 10 * rank + i;
    begin(1);
    world.Send(out, 3, MPI::INT, right, 1);
    finish("Send");
    begin(2);
    world.Ssend(out, 2, MPI::INT, right, 2);
    finish("Ssend");
    begin(3);
    world.Barrier();
    world.Rsend(out, 3, MPI::INT, right, 3);
    finish("Rsend");
    static char buffer[2000];
    MPI::Attach_buffer(buffer, sizeof buffer);
    begin(4);
    world.Bsend(out, 3, MPI::INT, right, 4);
    finish("Bsend");
    begin(5);
    MPI::Request second = world.Ibsend(out, 3, MPI::INT, right, 5);
    second.Wait();
    finish("Ibsend");
    void* back = nullptr;
    say("Detach_buffer", {MPI::Detach_buffer(back), back == buffer});
    begin(6);
    second = world.Isend(out, 3, MPI::INT, right, 6);
    second.Wait();
    finish("Isend");
    begin(7);
    second = world.Issend(out, 3, MPI::INT, right, 7);
    second.Wait();
    finish("Issend");
    begin(8);
    world.Barrier();
    second = world.Irsend(out, 3, MPI::INT, right, 8);
    second.Wait();
    finish("Irsend");

    MPI::Status status;
    second = world.Isend(out, 2, MPI::INT, right, 9);
    world.Probe(left, 9, status);
    say("Probe", status);
    say("Iprobe", world.Iprobe(left, MPI::ANY_TAG, status));
    say("Iprobe", status);
    world.Recv(in, 3, MPI::INT, MPI::ANY_SOURCE, MPI::ANY_TAG, status);
    say("Recv", status);
    second.Wait();
    say("Iprobe", world.Iprobe(left, 9));
    world.Sendrecv(out, 3, MPI::INT, right, 10, in, 3, MPI::INT, left, 10, status);
    say("Sendrecv", status);
    say("Sendrecv", in, 3);
    std::memcpy(in, out, sizeof in);
    world.Sendrecv_replace(in, 3, MPI::INT, right, 11, left, 11, status);
    say("Sendrecv_replace", status);
    say("Sendrecv_replace", in, 3);

    char packed[100];
    int place = 0, numbers[2] = {3, 4};
    MPI::INT.Pack(numbers, 2, packed, sizeof packed, place, world);
    say("Pack", {place, MPI::INT.Pack_size(2, world) >= 8});
    place = 0;
    numbers[0] = numbers[1] = 0;
    MPI::INT.Unpack(packed, sizeof packed, numbers, 2, place, world);
    say("Unpack", {place, numbers[0], numbers[1]});
    MPI::Aint far = 0;
    MPI::INT.Pack_external("external32", numbers, 2, packed, sizeof packed, far);
    say("Pack_external", {far, MPI::INT.Pack_external_size("external32", 2), packed[3], packed[7]});
    far = 0;
    MPI::INT.Unpack_external("external32", packed, sizeof packed, far, numbers, 2);
    say("Unpack_external", {far, numbers[0], numbers[1]});
}
