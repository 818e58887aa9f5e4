/* Accesses by offset and by the rank's own pointer, in all forms: random views, places and pieces, compared with an
   array that has what the file should have. */
#include "files_access.h"

enum { kLimit = 1 << 16, kMostCells = 12, kMostRanks = 16 };

static unsigned char shadow[kLimit]; /* the whole file */
static size_t shadow_size = 0;

/* All ranks draw the same numbers. */
static unsigned long seed = 1;
static int next(int below)
{
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return (int)((seed >> 33) % (unsigned long)below);
}

/* A view that deals the cells of a pattern out to the ranks: those of a rank and, in front, a displacement. */
struct view {
    int etype_bytes;
    int cell_etypes;
    int cells;
    int owner[kMostCells];
    int displacement;
};

static struct view draw_view(int ranks)
{
    struct view view;
    int i = 0;
    view.etype_bytes = 1 + next(3) * 3;
    view.cell_etypes = 1 + next(40);
    view.cells = 1 + next(kMostCells);
    view.displacement = next(3) * 13;
    for (i = 0; i < view.cells; ++i)
        view.owner[i] = next(ranks + 1) - 1; /* -1: nobody's */
    return view;
}

static int cells_of(const struct view* view, int rank)
{
    int count = 0;
    int i = 0;
    for (i = 0; i < view->cells; ++i)
        count += view->owner[i] == rank;
    return count;
}

/* The place in the file of a byte of the rank's view. */
static int place_of(const struct view* view, int rank, int byte)
{
    const int cell_bytes = view->cell_etypes * view->etype_bytes;
    int cell = byte / cell_bytes;
    const int of_rank = cells_of(view, rank);
    int place = view->displacement + cell / of_rank * view->cells * cell_bytes;
    int i = 0;
    cell %= of_rank;
    for (i = 0; view->owner[i] != rank || cell-- > 0; ++i)
        continue;
    return place + i * cell_bytes + byte % cell_bytes;
}

static void set_view(MPI_File file, const struct view* view, int rank)
{
    MPI_Datatype etype = MPI_DATATYPE_NULL;
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Datatype filetype = MPI_DATATYPE_NULL;
    int places[kMostCells];
    int count = 0;
    int i = 0;
    for (i = 0; i < view->cells; ++i)
        if (view->owner[i] == rank)
            places[count++] = i * view->cell_etypes;
    MPI_Type_contiguous(view->etype_bytes, MPI_BYTE, &etype);
    MPI_Type_create_indexed_block(count, view->cell_etypes, places, etype, &blocks);
    MPI_Type_create_resized(blocks, 0, (MPI_Aint)view->cells * view->cell_etypes * view->etype_bytes, &filetype);
    MPI_Type_commit(&etype);
    MPI_Type_commit(&filetype);
    CHECK_OK(MPI_File_set_view(file, view->displacement, etype, filetype, "native", MPI_INFO_NULL));
    MPI_Type_free(&etype);
    MPI_Type_free(&blocks);
    MPI_Type_free(&filetype);
}

/* Memory of an access: bytes in a row, or every second block of a few. */
struct memory {
    unsigned char bytes[2 * kLimit];
    MPI_Datatype type;
    int block; /* 0: in a row */
};
static struct memory memory;

static void begin_memory(int gaps, int etype_bytes)
{
    memset(memory.bytes, 0xee, sizeof memory.bytes);
    memory.block = gaps ? etype_bytes : 0;
    memory.type = MPI_BYTE;
    if (gaps) {
        MPI_Datatype block = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(etype_bytes, MPI_BYTE, &block);
        MPI_Type_create_resized(block, 0, 2 * etype_bytes, &memory.type);
        MPI_Type_commit(&memory.type);
        MPI_Type_free(&block);
    }
}

static void end_memory(void)
{
    if (memory.type != MPI_BYTE)
        MPI_Type_free(&memory.type);
}

static int count_of(int bytes)
{
    return memory.block == 0 ? bytes : bytes / memory.block;
}

static unsigned char* byte_at(int i)
{
    return memory.block == 0 ? &memory.bytes[i] : &memory.bytes[i / memory.block * 2 * memory.block + i % memory.block];
}

static unsigned char value_of(int step, int rank, int byte)
{
    return (unsigned char)(step * 31 + rank * 101 + byte * 3 + byte / 200);
}

/* What a rank does in a step, as all know it. */
struct piece {
    int offset; /* in etypes */
    int bytes;
};

static void compare_file(int step)
{
    static unsigned char found[kLimit];
    size_t i = 0;
    const size_t count = files_bytes(found, sizeof found);
    CHECK_EQUAL(count, shadow_size);
    for (i = 0; i < count && found[i] == shadow[i]; ++i)
        continue;
    if (i < count && i < shadow_size)
        fprintf(stderr, "step %d: byte %d of the file is %d, not %d\n", step, (int)i, found[i], shadow[i]);
    CHECK(i >= count || i >= shadow_size);
}

static void write_step(MPI_File file, const struct view* view, int step, const struct piece* pieces,
                       enum files_place place, int together, enum files_form form)
{
    const int rank = check_rank();
    const struct piece own = pieces[rank];
    MPI_Status status;
    int r = 0;
    int i = 0;
    if (place == FILES_OWN)
        CHECK_OK(MPI_File_seek(file, own.offset, MPI_SEEK_SET));
    for (i = 0; i < own.bytes; ++i)
        *byte_at(i) = value_of(step, rank, i);
    CHECK_OK(files_write(file, place, together, form, own.offset, memory.bytes, count_of(own.bytes), memory.type,
                         &status));
    CHECK_EQUAL(files_count(&status, MPI_BYTE), own.bytes);
    for (r = 0; r < check_size(); ++r)
        for (i = 0; i < pieces[r].bytes; ++i) {
            const size_t at = (size_t)place_of(view, r, pieces[r].offset * view->etype_bytes + i);
            shadow[at] = value_of(step, r, i);
            shadow_size = at + 1 > shadow_size ? at + 1 : shadow_size;
        }
    compare_file(step);
}

static void read_step(MPI_File file, const struct view* view, int step, const struct piece* pieces,
                      enum files_place place, int together, enum files_form form)
{
    const int rank = check_rank();
    const struct piece own = pieces[rank];
    MPI_Status status;
    int there = 0; /* bytes that lie in the file */
    int wrong = -1;
    int i = 0;
    while (there < own.bytes &&
           (size_t)place_of(view, rank, own.offset * view->etype_bytes + there) < shadow_size)
        ++there;
    if (place == FILES_OWN)
        CHECK_OK(MPI_File_seek(file, own.offset, MPI_SEEK_SET));
    CHECK_OK(files_read(file, place, together, form, own.offset, memory.bytes, count_of(own.bytes), memory.type,
                        &status));
    CHECK_EQUAL(files_count(&status, MPI_BYTE), there);
    for (i = own.bytes - 1; i >= 0; --i) { /* memory for what lies behind the file's end stays as it was */
        const unsigned char expected =
            i >= there ? 0xee : shadow[place_of(view, rank, own.offset * view->etype_bytes + i)];
        if (*byte_at(i) != expected)
            wrong = i;
    }
    if (wrong >= 0)
        fprintf(stderr, "step %d: rank %d, byte %d of %d, of which %d are in the file, is %d\n", step, rank, wrong, own.bytes,
                there, *byte_at(wrong));
    CHECK(wrong < 0);
    if (memory.block != 0)
        for (i = 0; i < own.bytes / memory.block; ++i)
            if (memory.bytes[2 * i * memory.block + memory.block] != 0xee)
                CHECK(!"a gap in memory was written");
    if (place == FILES_OWN) {
        MPI_Offset position = -1;
        CHECK_OK(MPI_File_get_position(file, &position));
        CHECK_EQUAL(position, own.offset + own.bytes / view->etype_bytes);
    }
}

/* Often shorter than what is read then. */
static void resize(MPI_File file)
{
    const size_t size = (size_t)next(2000);
    MPI_Barrier(MPI_COMM_WORLD); /* all have read */
    CHECK_OK(MPI_File_set_size(file, (MPI_Offset)size));
    memset(shadow + size, 0, sizeof shadow - size);
    shadow_size = size;
}

static void steps(int count)
{
    const int ranks = check_size();
    MPI_File file = files_open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    struct view view;
    int step = 0;
    for (step = 0; step < count; ++step) {
        struct piece pieces[kMostRanks];
        int r = 0;
        const int writes = next(2);
        const enum files_place place = next(2) ? FILES_AT : FILES_OWN;
        const int together = next(2);
        enum files_form form = (enum files_form)next(FILES_FORMS);
        if (!files_has_form(place, together, form))
            form = FILES_BLOCKING;
        if (step % 5 == 0) {
            view = draw_view(ranks);
            set_view(file, &view, check_rank());
            resize(file);
        }
        for (r = 0; r < ranks; ++r) {
            pieces[r].offset = next(60);
            pieces[r].bytes = next(4) == 0 ? 0 : next(200) * view.etype_bytes;
            if (cells_of(&view, r) == 0)
                pieces[r].bytes = 0;
        }
        begin_memory(next(2), view.etype_bytes);
        if (writes)
            write_step(file, &view, step, pieces, place, together, form);
        else
            read_step(file, &view, step, pieces, place, together, form);
        end_memory();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK_OK(MPI_File_close(&file));
    files_remove();
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    files_name("files_accesses");
    seed = 20;
    steps(argc > 1 ? atoi(argv[1]) : 250);
    MPI_Finalize();
    return check_result();
}
