#include "report.hpp"

namespace {

int deletions = 0;

int copy(const MPI::Win&, int, void*, void*, void*, bool& is_copied)
{
    is_copied = false;
    return MPI::SUCCESS;
}

int remove(MPI::Win&, int, void* value, void*)
{
    deletions += static_cast<int>(reinterpret_cast<long>(value));
    return MPI::SUCCESS;
}

int seen[2] = {-1, -1};

void on_error(MPI::Win& win, int* code, ...)
{
    seen[0] = win != MPI::WIN_NULL;
    seen[1] = MPI::Get_error_class(*code);
}

}  // namespace

void windows()
{
    if (ranks == 1)
        return;  // Open MPI has no windows of one rank here
    static int memory[4];
    int mine[] = {rank + 1, rank + 10}, got[2] = {-1, -1};
    MPI::Win win = MPI::Win::Create(memory, sizeof memory, sizeof(int), MPI::INFO_NULL, MPI::COMM_WORLD);
    win.Set_name("a window");
    char name[MPI::MAX_OBJECT_NAME];
    int length = 0;
    win.Get_name(name, length);
    say("Win::Get_name", name);
    win.Fence(0);
    win.Put(mine, 2, MPI::INT, right, 1, 2, MPI::INT);
    win.Fence(0);
    say("Win::Put", memory, 4);
    win.Fence(0);
    win.Accumulate(mine, 2, MPI::INT, right, 1, 2, MPI::INT, MPI::SUM);
    win.Fence(0);
    say("Win::Accumulate", memory, 4);
    win.Fence(0);
    win.Get(got, 2, MPI::INT, right, 1, 2, MPI::INT);
    win.Fence(0);
    say("Win::Get", got, 2);
    win.Lock(MPI::LOCK_EXCLUSIVE, right, 0);
    win.Put(mine, 1, MPI::INT, right, 3, 1, MPI::INT);
    win.Unlock(right);
    MPI::COMM_WORLD.Barrier();
    MPI::Group all = win.Get_group();
    say("Win::Get_group", all.Get_size());
    MPI::Group near = all.Incl(1, &left), to = all.Incl(1, &right);
    win.Post(near, 0);
    win.Start(to, 0);
    win.Put(mine, 1, MPI::INT, right, 0, 1, MPI::INT);
    win.Complete();
    win.Wait();
    say("Win::Wait", memory[0]);
    win.Post(near, 0);
    win.Start(to, 0);
    win.Complete();
    while (!win.Test()) {
    }
    near.Free();
    to.Free();
    all.Free();
    int key = MPI::Win::Create_keyval(copy, remove, nullptr);
    win.Set_attr(key, reinterpret_cast<void*>(9));
    void* value = nullptr;
    say("Win::Get_attr", {win.Get_attr(key, &value), reinterpret_cast<long>(value)});
    win.Delete_attr(key);
    say("Win::Delete_attr", deletions);
    MPI::Win::Free_keyval(key);
    void* base = nullptr;
    say("Win::Get_attr", {win.Get_attr(MPI::WIN_BASE, &base), base == memory});

    MPI::Errhandler handler = MPI::Win::Create_errhandler(on_error);
    win.Set_errhandler(handler);
    say("Win::Get_errhandler", win.Get_errhandler() == handler);
    win.Call_errhandler(MPI::ERR_OTHER);
    say("Win::Call_errhandler", seen, 2);
    win.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    handler.Free();
    try {
        win.Call_errhandler(MPI::ERR_RANK);
        say("Win::Call_errhandler", "did not throw");
    } catch (MPI::Exception& error) {
        say("Win::Call_errhandler", error.Get_error_class());
    }
    win.Free();
    say("Win::Free", win == MPI::WIN_NULL);
}
