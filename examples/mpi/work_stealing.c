/* Tasks dealt out in equal shares; who is through with its own takes those that others have not begun. A counter a
   rank says which of its tasks is next, and MPI_Fetch_and_op adds to it without its owner's help. */
#include <mpi.h>
#include <stdio.h>

enum { tasks = 500 };

/* A task of the ranks further behind is longer. */
static long long do_task(int owner, long long task)
{
    long long steps = 0;
    for (int i = 0; i < 20 * (owner + 1); ++i)
        for (long long number = 1 + 1000 * task + i; number != 1; ++steps)
            number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    return steps;
}

int main(int argc, char** argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    long long* next;
    MPI_Win window;
    MPI_Win_allocate(sizeof *next, sizeof *next, MPI_INFO_NULL, MPI_COMM_WORLD, &next, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    *next = 0;
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);

    const long long one = 1;
    long long mine[3] = {0, 0, 0}, all[3], alone = 0, expected; /* tasks, those stolen, steps */
    MPI_Win_lock_all(0, window);
    for (int distance = 0; distance < size; ++distance) {
        const int owner = (rank + distance) % size;
        for (;;) {
            long long task;
            MPI_Fetch_and_op(&one, &task, MPI_LONG_LONG, owner, 0, MPI_SUM, window);
            MPI_Win_flush(owner, window);
            if (task >= tasks)
                break;
            ++mine[0];
            mine[1] += distance > 0;
            mine[2] += do_task(owner, task);
        }
    }
    MPI_Win_unlock_all(window);

    MPI_Allreduce(mine, all, 3, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int task = 0; task < tasks; ++task)
        alone += do_task(rank, task);
    MPI_Allreduce(&alone, &expected, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    const int right = all[0] == (long long)tasks * size && all[2] == expected;
    if (rank == 0)
        printf("%lld tasks on %d ranks, %lld of them stolen; %lld steps: %s\n", all[0], size, all[1], all[2],
               right ? "right" : "WRONG");
    MPI_Win_free(&window);
    MPI_Finalize();
    return right ? 0 : 1;
}
