// A PMIx client that does with libpmix itself what the first argument says. Exits with 2 when a value is
// wrong.
#include <pmix.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace {

pmix_proc_t self;

void expect(bool condition, const std::string& what)
{
    if (!condition) {
        fmt::print(stderr, "rank {}: wrong: {}\n", self.rank, what);
        std::exit(2);
    }
}

pmix_proc_t rank_of_job(pmix_rank_t rank)
{
    pmix_proc_t proc{};
    PMIX_LOAD_PROCID(&proc, self.nspace, rank);
    return proc;
}

/// The value as text; for ranks as well as for the job (PMIX_RANK_WILDCARD). `at_once`: "none" when the
/// server of this node does not have it yet.
std::string get(pmix_rank_t rank, const char* key, bool at_once = false)
{
    const pmix_proc_t proc = rank_of_job(rank);
    pmix_info_t info{};
    const bool yes = true;
    PMIX_INFO_LOAD(&info, PMIX_IMMEDIATE, &yes, PMIX_BOOL);
    pmix_value_t* value = nullptr;
    const pmix_status_t status = PMIx_Get(&proc, key, at_once ? &info : nullptr, at_once ? 1 : 0, &value);
    if (status != PMIX_SUCCESS) {
        expect(at_once, fmt::format("{} of rank {}: {}", key, rank, PMIx_Error_string(status)));
        return "none";
    }
    std::string text = "?";
    if (value->type == PMIX_STRING) {
        text = value->data.string;
    } else if (value->type == PMIX_UINT32) {
        text = std::to_string(value->data.uint32);
    } else if (value->type == PMIX_UINT16) {
        text = std::to_string(value->data.uint16);
    } else if (value->type == PMIX_PROC_RANK) {
        text = std::to_string(value->data.rank);
    }
    PMIX_VALUE_FREE(value, 1);
    return text;
}

std::uint32_t job_size()
{
    return static_cast<std::uint32_t>(std::stoul(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE)));
}

void put(const std::string& key, const std::string& text)
{
    pmix_value_t value{};
    PMIX_VALUE_LOAD(&value, text.c_str(), PMIX_STRING);
    expect(PMIx_Put(PMIX_GLOBAL, key.c_str(), &value) == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS,
           "a put");
    PMIX_VALUE_DESTRUCT(&value);
}

pmix_status_t fence(const std::vector<pmix_proc_t>& procs, bool with_data)
{
    pmix_info_t info{};
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &with_data, PMIX_BOOL);
    return PMIx_Fence(procs.data(), procs.size(), &info, 1);
}

std::string value_of(pmix_rank_t rank)
{
    return std::string(1000 + rank * 17, static_cast<char>('a' + rank % 26));
}

/// What the launcher says about job, nodes and ranks.
void describe()
{
    std::string nodes;
    for (std::uint32_t rank = 0; rank < job_size(); ++rank) {
        nodes += fmt::format(" {}:{}", get(rank, PMIX_HOSTNAME), get(rank, PMIX_LOCAL_RANK));
    }
    pmix_value_t* value = nullptr;
    expect(PMIx_Get(&self, PMIX_NODEID, nullptr, 0, &value) == PMIX_SUCCESS && value->type == PMIX_UINT32,
           "a node's number");
    fmt::print("rank {}: node {} of {}, peers {}, all{}, key {}\n", self.rank, value->data.uint32,
               get(PMIX_RANK_WILDCARD, PMIX_NUM_NODES), get(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS), nodes,
               get(PMIX_RANK_WILDCARD, "tutti.key"));
    PMIX_VALUE_FREE(value, 1);
}

/// Fences of all, of those with an even rank, and of neighbours, with and without data, mixed.
void fences()
{
    const std::uint32_t size = job_size();
    std::vector<pmix_proc_t> even;
    for (std::uint32_t rank = 0; rank < size; rank += 2) {
        even.push_back(rank_of_job(rank));
    }
    put("value", value_of(self.rank));
    expect(fence({rank_of_job(PMIX_RANK_WILDCARD)}, true) == PMIX_SUCCESS, "a fence of all with data");
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        expect(get(rank, "value", true) == value_of(rank), "a value that the fence has brought");
    }
    for (int repetition = 0; repetition < 20; ++repetition) {
        if (self.rank % 2 == 0) {
            expect(fence(even, repetition % 2 == 0) == PMIX_SUCCESS, "a fence of some");
        }
        expect(fence({rank_of_job(PMIX_RANK_WILDCARD)}, false) == PMIX_SUCCESS, "a fence of all");
    }
    // Fences of different ranks at the same time: pairs (0,1), (2,3) ... and (1,2), (3,4) ... in turns.
    for (const std::uint32_t first : {0U, 1U, 0U, 0U, 1U}) {
        const std::uint32_t low = self.rank < first ? size : (self.rank - first) / 2 * 2 + first;
        if (low + 1 < size) {
            expect(fence({rank_of_job(low), rank_of_job(low + 1)}, false) == PMIX_SUCCESS, "a fence of two");
        }
    }
}

/// Rank 0 publishes late and twice; the others wait for it, all at once.
void late()
{
    if (self.rank == 0) {
        ::usleep(200'000);
        put("first", "1");
        ::usleep(100'000);
        put("second", "2");
    } else {
        expect(get(0, "first") == "1", "a value that is late");
        expect(get(0, "second") == "2", "a value that was published later than another");
    }
    expect(fence({rank_of_job(PMIX_RANK_WILDCARD)}, false) == PMIX_SUCCESS, "a fence");
}

/// The last rank dies in the middle of a fence; the others report what they are told.
void dead_in_fence()
{
    if (self.rank == job_size() - 1) {
        ::usleep(100'000);
        ::_exit(9);
    }
    const pmix_status_t status = fence({rank_of_job(PMIX_RANK_WILDCARD)}, false);
    expect(status != PMIX_SUCCESS, "a fence with a dead rank");
}

std::atomic<int> reported_of{-1};

void hear_of_death(std::size_t, pmix_status_t status, const pmix_proc_t*, pmix_info_t* infos,
                   std::size_t count, pmix_info_t*, std::size_t, pmix_event_notification_cbfunc_fn_t done,
                   void* done_data)
{
    for (std::size_t i = 0; i < count; ++i) {
        if (PMIX_CHECK_KEY(&infos[i], PMIX_EVENT_AFFECTED_PROC) && status == PMIX_ERR_PROC_ABORTED_BY_SIG) {
            reported_of = static_cast<int>(infos[i].value.data.proc->rank);
        }
    }
    done(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, done_data);
}

/// The last rank is killed; the others do not let themselves be ended before they have heard of it.
void death()
{
    ::signal(SIGTERM, SIG_IGN);
    pmix_status_t code = PMIX_ERR_PROC_ABORTED_BY_SIG;
    expect(PMIx_Register_event_handler(&code, 1, nullptr, 0, hear_of_death, nullptr, nullptr) >= 0,
           "to register");
    expect(fence({rank_of_job(PMIX_RANK_WILDCARD)}, false) == PMIX_SUCCESS, "a fence");
    if (self.rank == job_size() - 1) {
        ::raise(SIGKILL);
    }
    while (reported_of < 0) {
        ::usleep(1000);
    }
    fmt::print("rank {} was told of rank {}\n", self.rank, reported_of.load());
    std::fflush(stdout);
    ::_exit(0);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string action = argc > 1 ? argv[1] : "";
    if (PMIx_Init(&self, nullptr, 0) != PMIX_SUCCESS) {
        return 3;
    }
    if (action == "describe") {
        describe();
    } else if (action == "fences") {
        fences();
    } else if (action == "late") {
        late();
    } else if (action == "death") {
        death();
    } else if (action == "dead-in-fence") {
        dead_in_fence();
    } else {
        return 3;
    }
    PMIx_Finalize(nullptr, 0);
    return 0;
}
