/* differential SEED STEPS [STEP]: the steps, and a line of digests each. What STEP notes is told, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "differential.h"

static uint64_t state, digest;
static char words[200];
static int is_told, world_rank;

uint64_t mixed(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

uint64_t draw(void)
{
    state = mixed(state);
    return state;
}

int below(int limit)
{
    return (int)(draw() % (uint64_t)limit);
}

int chance(int percent)
{
    return below(100) < percent;
}

void shuffle(int* values, int count)
{
    for (int i = count - 1; i > 0; --i) {
        const int other = below(i + 1);
        const int value = values[i];
        values[i] = values[other];
        values[other] = value;
    }
}

void note_bytes(const void* data, size_t bytes)
{
    const unsigned char* const from = data;
    for (size_t i = 0; i < bytes; ++i)
        digest = (digest ^ from[i]) * 0x100000001b3u;
    if (is_told)
        fprintf(stderr, "rank %d: %zu bytes: %016llx\n", world_rank, bytes, (unsigned long long)digest);
}

void note(int64_t value)
{
    if (is_told)
        fprintf(stderr, "rank %d: %lld\n", world_rank, (long long)value);
    digest = mixed(digest ^ (uint64_t)value);
}

void describe(const char* more)
{
    if (is_told)
        fprintf(stderr, "rank %d: %s\n", world_rank, more);
    strncat(words, " ", sizeof words - strlen(words) - 1);
    strncat(words, more, sizeof words - strlen(words) - 1);
}

uint64_t salt_of(int rank, int number)
{
    return mixed(state ^ mixed((uint64_t)rank * 1000u + (uint64_t)number));
}

int form = kBlocking;

void draw_form(void)
{
    static const char* const kNames[] = {"blocking", "nonblocking", "persistent"};
    form = below(kForms);
    describe(kNames[form]);
}

void finish(MPI_Request* request, const Place* place)
{
    int done = 0;
    if (form == kBlocking)
        return;
    if (place->remote == 0 && chance(30)) {
        /* Another one begins behind it and ends before. */
        int one = 1, sum = 0;
        MPI_Request behind;
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, place->comm, &behind);
        MPI_Wait(&behind, MPI_STATUS_IGNORE);
        note(sum);
    }
    if (chance(50))
        MPI_Wait(request, MPI_STATUS_IGNORE);
    else
        while (!done)
            MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (*request != MPI_REQUEST_NULL)
        MPI_Request_free(request);
}

typedef void (*Step)(void);

static Step draw_step(void)
{
    static const Step kSteps[] = {step_messages,   step_messages,   step_messages,   step_exchange,
                                  step_one_block,  step_blocks,     step_blocks,     step_pairs_of_blocks,
                                  step_reductions, step_reductions, step_reductions, step_inter,
                                  step_inter,      step_neighbors,  step_packing,    step_groups};
    return kSteps[below((int)(sizeof kSteps / sizeof *kSteps))];
}

int main(int argc, char** argv)
{
    if (argc < 3)
        return 2;
    MPI_Init(&argc, &argv);
    const uint64_t seed = strtoull(argv[1], NULL, 10);
    const int steps = atoi(argv[2]);
    const int told = argc > 3 ? atoi(argv[3]) : -1;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    uint64_t* const all = malloc(sizeof *all * (size_t)size);
    for (int step = 0; step < steps; ++step) {
        state = mixed(seed ^ mixed((uint64_t)step));
        digest = 0;
        words[0] = '\0';
        is_told = step == told;
        if (step % 8 == 0) {
            if (step != 0)
                free_places();
            make_places();
        }
        draw_step()();
        MPI_Gather(&digest, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        if (world_rank != 0)
            continue;
        printf("%d%s:", step, words);
        for (int i = 0; i < size; ++i)
            printf(" %016llx", (unsigned long long)all[i]);
        printf("\n");
        fflush(stdout);
    }
    if (steps > 0)
        free_places();
    free(all);
    MPI_Finalize();
    return 0;
}
