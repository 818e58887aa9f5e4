/* A random MPI program, the same for every MPI: what a step does follows from the seed and the step's number,
   what it receives is noted, and a digest of that is printed. Any two MPIs must print the same. It takes
   MPI 3.1. */
#ifndef TUTTI_TESTS_MPI_DIFFERENTIAL_H
#define TUTTI_TESTS_MPI_DIFFERENTIAL_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum { kMostRanks = 16 };

/* Chance. All members of a communicator draw the same numbers. */
uint64_t mixed(uint64_t value);
uint64_t draw(void);
int below(int limit);
int chance(int percent);
void shuffle(int* values, int count);

/* What the step's digest is made of, and the step's name in the output. */
void note(int64_t value);
void note_bytes(const void* data, size_t bytes);
void describe(const char* words);

/* Datatypes. */
typedef struct Kind {
    MPI_Datatype type;
    MPI_Datatype base; /* of all its elements; MPI_DATATYPE_NULL: of several */
    int elements;      /* of one item */
    int most_items;    /* that may follow each other without overlapping */
    int own;           /* not predefined */
} Kind;
Kind draw_kind(void);
/* Of the same signature: first_items of the first are as long as second_items of the second. */
typedef struct Match {
    Kind first, second;
    int first_items, second_items;
} Match;
Match draw_match(void);
void free_kind(Kind* kind);
void free_match(Match* match);

/* Memory of items, with the bytes of the pattern `salt`, also in the gaps. */
typedef struct Area {
    char* memory;
    size_t bytes;
    char* first; /* item */
} Area;
Area new_area(const Kind* kind, int items, uint64_t salt);
char* item_at(const Area* area, const Kind* kind, int item);
void free_area(Area* area);
void note_area(Area* area); /* and free it */
uint64_t salt_of(int rank, int number);

/* Communicators: made anew every few steps. */
typedef struct Place {
    MPI_Comm comm; /* MPI_COMM_NULL: this rank is in none */
    const char* name;
    int rank, size;
    int remote; /* ranks of the other group; 0: there is none */
} Place;
void make_places(void);
void free_places(void);
Place draw_place(void);
Place inter_place(void);

/* Forms of collectives. The peers that Tutti is compared with take the blocking ones for all, which work
 * best. */
enum { kBlocking, kNonblocking, kPersistent, kForms };
extern int form;
void draw_form(void);
void finish(MPI_Request* request, const Place* place);

#if MPI_VERSION >= 5
#define BEGIN(Name, name, request, ...)                             \
    do {                                                            \
        if (form == kBlocking) {                                    \
            MPI_##Name(__VA_ARGS__);                                \
        } else if (form == kNonblocking) {                          \
            MPI_I##name(__VA_ARGS__, request);                      \
        } else {                                                    \
            MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, request); \
            MPI_Start(request);                                     \
        }                                                           \
    } while (0)
#else
#define BEGIN(Name, name, request, ...) MPI_##Name(__VA_ARGS__)
#endif

/* COLLECTIVE(place, Bcast, bcast, arguments of MPI_Bcast) */
#define COLLECTIVE(place, Name, name, ...)         \
    do {                                           \
        MPI_Request request_ = MPI_REQUEST_NULL;   \
        BEGIN(Name, name, &request_, __VA_ARGS__); \
        finish(&request_, place);                  \
    } while (0)

/* The steps. */
void step_messages(void);
void step_exchange(void);
void step_one_block(void);
void step_blocks(void);
void step_pairs_of_blocks(void);
void step_reductions(void);
void step_inter(void);
void step_neighbors(void);
void step_packing(void);
void step_groups(void);

#endif
