#include "report.hpp"

namespace {

int in[4], out[4];
MPI::Request all[4];

void begin()
{
    for (int i = 0; i < 4; ++i) {
        in[i] = -1;
        out[i] = 10 * rank + i;
    }
    const MPI::Intracomm& world = MPI::COMM_WORLD;
    all[0] = world.Irecv(&in[0], 1, MPI::INT, left, 1);
    all[1] = world.Irecv(&in[1], 2, MPI::INT, left, 2);
    all[2] = world.Isend(&out[0], 1, MPI::INT, right, 1);
    all[3] = world.Isend(&out[1], 2, MPI::INT, right, 2);
}

void end(const char* name)
{
    say(name, in, 4);
    for (const MPI::Request& each : all)
        say(name, each == MPI::REQUEST_NULL);
}

struct Calls {
    int queries = 0, frees = 0, cancels = 0;
};
int query(void* state, MPI::Status& status)
{
    ++static_cast<Calls*>(state)->queries;
    status.Set_source(3);
    status.Set_tag(8);
    status.Set_elements(MPI::INT, 2);
    status.Set_cancelled(false);
    return MPI::SUCCESS;
}
int release(void* state)
{
    ++static_cast<Calls*>(state)->frees;
    return MPI::SUCCESS;
}
int cancel(void* state, bool complete)
{
    static_cast<Calls*>(state)->cancels += complete ? 100 : 1;
    return MPI::SUCCESS;
}

void persistent()
{
    const MPI::Intracomm& world = MPI::COMM_WORLD;
    static char buffer[1000];
    MPI::Attach_buffer(buffer, sizeof buffer);
    MPI::Prequest made[] = {
        world.Recv_init(in, 1, MPI::INT, left, 11), world.Send_init(out, 1, MPI::INT, right, 11),
        world.Ssend_init(out, 1, MPI::INT, right, 11), world.Bsend_init(out, 1, MPI::INT, right, 11),
        world.Rsend_init(out, 1, MPI::INT, right, 11)};
    MPI::Status status;
    for (int way = 1; way < 5; ++way) {
        in[0] = -1;
        out[0] = 100 * way + rank;
        made[0].Start();
        world.Barrier();
        made[way].Start();
        made[way].Wait();
        made[0].Wait(status);
        say("Prequest::Start", status);
        say("Prequest::Start", in[0]);
    }
    out[0] = 7;
    MPI::Prequest::Startall(2, made);
    made[0].Wait();
    made[1].Wait();
    say("Prequest::Startall", in[0]);
    for (MPI::Prequest& each : made)
        each.Free();
    void* back = nullptr;
    MPI::Detach_buffer(back);
}

void generalized()
{
    Calls calls;
    MPI::Grequest request;
    request = request.Start(query, release, cancel, &calls);  // MPICH has it not static
    say("Grequest::Start", request.Test());
    request.Cancel();
    request.Complete();
    MPI::Status status;
    request.Wait(status);
    say("Grequest", status);
    say("Grequest", {calls.queries, calls.frees, calls.cancels});
}

}  // namespace

void requests()
{
    MPI::Status status, statuses[4];
    int indices[4];
    begin();
    for (MPI::Request& each : all)
        each.Wait(status);
    end("Wait");
    begin();
    MPI::Request::Waitall(4, all, statuses);
    say("Waitall", statuses[0]);
    say("Waitall", statuses[1]);
    end("Waitall");
    begin();
    MPI::Request::Waitall(4, all);
    end("Waitall");
    begin();
    int sum = 0;
    for (int i = 0; i < 4; ++i)
        sum += MPI::Request::Waitany(4, all, status);
    say("Waitany", {sum, MPI::Request::Waitany(4, all) == MPI::UNDEFINED});
    end("Waitany");
    begin();
    for (int done = 0; done < 4;)
        done += MPI::Request::Waitsome(4, all, indices, statuses);
    say("Waitsome", MPI::Request::Waitsome(4, all, indices) == MPI::UNDEFINED);
    end("Waitsome");
    begin();
    for (MPI::Request& each : all)
        while (!each.Test(status)) {
        }
    end("Test");
    begin();
    while (!MPI::Request::Testall(4, all, statuses)) {
    }
    say("Testall", statuses[0]);
    say("Testall", statuses[1]);
    end("Testall");
    begin();
    sum = 0;
    for (int i = 0, which = 0; i < 4; ++i) {
        while (!MPI::Request::Testany(4, all, which, status)) {
        }
        sum += which;
    }
    say("Testany", sum);
    end("Testany");
    begin();
    for (int done = 0; done < 4;)
        done += MPI::Request::Testsome(4, all, indices, statuses);
    say("Testsome", MPI::Request::Testsome(4, all, indices) == MPI::UNDEFINED);
    end("Testsome");
    begin();
    while (!all[0].Get_status(status)) {
    }
    say("Get_status", status);
    say("Get_status", all[0] == MPI::REQUEST_NULL);
    MPI::Request::Waitall(4, all);
    all[0] = MPI::COMM_WORLD.Irecv(in, 1, MPI::INT, left, 17);
    all[0].Cancel();
    all[0].Wait(status);
    say("Cancel", status.Is_cancelled());
    all[0] = MPI::COMM_WORLD.Isend(out, 1, MPI::INT, right, 18);
    all[0].Free();
    say("Free", all[0] == MPI::REQUEST_NULL);
    MPI::COMM_WORLD.Recv(in, 1, MPI::INT, left, 18);
    persistent();
    generalized();
}
