#include <catch2/catch.hpp>
#include <iterator>
#include <sstream>

#include "benchmarks/suite/command_line/size_range.hpp"
#include "benchmarks/suite/command_line/suite_options.hpp"

using namespace tutti::bench;

namespace {

SuiteCommandLine parse_line(const std::string& line, bool own_library = true)
{
    std::istringstream stream("tutti-bench " + line);
    std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    std::vector<const char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(word.c_str());
    return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), own_library);
}

SuiteOptions parse(const std::string& line)
{
    const SuiteCommandLine command = parse_line(line);
    CHECK(command.message.empty());
    return command.options;
}

void check_refused(const std::string& line, bool own_library = true)
{
    const SuiteCommandLine command = parse_line(line, own_library);
    INFO(line);
    CHECK(command.status == 2);
    CHECK_FALSE(command.message.empty());
}

}  // namespace

TEST_CASE("sizes double from the smallest to the largest", "[benchmarks]")
{
    CHECK(parse("latency -m 1:8").size_list() == std::vector<std::size_t>{1, 2, 4, 8});
    CHECK(parse("latency -m 0:4").size_list() == std::vector<std::size_t>{0, 1, 2, 4});
    CHECK(parse("latency -m 3:20").size_list() == std::vector<std::size_t>{3, 6, 12});
    CHECK(parse("latency -m 1K:4k").size_list() == std::vector<std::size_t>{1024, 2048, 4096});
    CHECK(parse("latency -m 1M:1M").size_list() == std::vector<std::size_t>{1048576});
    CHECK(parse("latency -m 4").size_list() == std::vector<std::size_t>{1, 2, 4});
    CHECK(parse("latency -m 0").size_list() == std::vector<std::size_t>{0});
    CHECK(parse("latency -m 0:0").size_list() == std::vector<std::size_t>{0});
    CHECK(parse("latency -m 1:64 --growth 8").size_list() == std::vector<std::size_t>{1, 8, 64});
    CHECK(parse("latency").size_list().size() == 23);
    CHECK(parse("rate").size_list() == std::vector<std::size_t>{8});
    CHECK(parse("allreduce -m 16").size_list() == std::vector<std::size_t>{4, 8, 16});
    CHECK(parse("allreduce -m 1:8").size_list() == std::vector<std::size_t>{4, 8});
    CHECK(parse("allreduce -m 1:8 -T char").size_list() == std::vector<std::size_t>{1, 2, 4, 8});
    CHECK(parse("allreduce -m 0:4").size_list() == std::vector<std::size_t>{0, 4});
    CHECK(parse("reduce-op").size_list() == std::vector<std::size_t>{8192, 524288, 33554432});
    CHECK(parse("reduce-op -m 1:100").size_list() == std::vector<std::size_t>{1, 64});
    const auto huge = parse("latency -m 9223372036854775808:18446744073709551615").size_list();
    CHECK(huge == std::vector<std::size_t>{std::size_t{1} << 63});
}

TEST_CASE("iterations are as many as asked for, or as it takes", "[benchmarks]")
{
    CHECK_FALSE(parse("latency").budget.iterations);
    const SuiteOptions reported = parse("latency -i 7 -x 3");
    CHECK(reported.budget.iterations == 7);
    CHECK(reported.budget.warmup == 3);
    CHECK(reported.loop_count({100, 10}).iterations == 7);
    CHECK(parse("matching").loop_count({100, 10}).warmup == 10);
    CHECK_THAT(parse_line("allreduce -m 1:2").message, Catch::Contains("an element of 4 bytes (float32)"));
    CHECK(parse("latency --precision 0.5 --seconds 3").budget.precision == Approx(0.005));
    CHECK(parse("latency --seconds 3").budget.seconds == 3.0);
}

TEST_CASE("names and aliases", "[benchmarks]")
{
    CHECK(parse("bcast").benchmark == "broadcast");
    CHECK(parse("bcast").entry == find_benchmark("broadcast"));
    CHECK(find_benchmark("") == nullptr);
    CHECK(find_benchmark("bcost") == nullptr);
    CHECK(parse("ring_improbe").entry->group == Group::ring);
    CHECK(parse("allreduce --start barrier").start == "barrier");
    CHECK(parse("latency").command == std::vector<std::string>{"tutti-bench", "latency"});
}

TEST_CASE("collectives move elements of a type, and sizes begin at one of them", "[benchmarks]")
{
    CHECK(parse("allreduce").element() == tutti::DataType::float32);
    CHECK(parse("ireduce_scatterv").element() == tutti::DataType::float32);
    CHECK(parse("alltoallv").element() == tutti::DataType::int8);
    CHECK(parse("alltoallv").size_list().front() == 1);
    const SuiteOptions doubles = parse("scan_persistent -T MPI_DOUBLE -l");
    CHECK(doubles.element() == tutti::DataType::float64);
    CHECK(doubles.size_list().front() == 8);
    CHECK(doubles.in_place);
}

TEST_CASE("every collective has its three forms, under OSU's names as well", "[benchmarks]")
{
    std::size_t collectives = 0;
    for (const Benchmark& benchmark : catalogue())
        collectives += benchmark.collective ? 1 : 0;
    CHECK(collectives == 3 * 20);
    CHECK(parse("ibcast").benchmark == "ibroadcast");
    CHECK(parse("bcast_persistent").benchmark == "broadcast_persistent");
    CHECK(parse("reduce_scatter_block").entry->collective == Collective::reduce_scatter);
    CHECK(parse("bw_fan_in").benchmark == "fan-in");
}

TEST_CASE("a mistyped name is answered with the one that was meant", "[benchmarks]")
{
    const SuiteCommandLine command = parse_line("alreduce");
    CHECK(command.status == 2);
    CHECK(command.message.find("did you mean 'allreduce'") != std::string::npos);
    CHECK_THAT(parse_line("ring_iprob").message, Catch::Contains("did you mean 'ring_iprobe'"));
}

TEST_CASE("a word too many is named, the first of them", "[benchmarks]")
{
    const SuiteCommandLine barrier = parse_line("barrier -m 1:4");
    CHECK(barrier.status == 2);
    CHECK(barrier.message ==
          "tutti-bench barrier: '-m' is not expected here\n'tutti-bench barrier --help' lists what is\n");
    CHECK_THAT(parse_line("latency --precison=2").message, Catch::Contains("did you mean '--precision'?"));
    CHECK_THAT(parse_line("latency 8 9", false).message,
               Catch::StartsWith("peer-bench latency: '8' is not expected here\n"));
}

TEST_CASE("the version is reported without a benchmark", "[benchmarks]")
{
    CHECK(parse_line("--version").status == 0);
    CHECK_THAT(parse_line("--version").message, Catch::StartsWith("tutti-bench 0."));
    CHECK_THAT(parse_line("--version", false).message, Catch::StartsWith("peer-bench 0."));
}

TEST_CASE("a command line that makes no sense is refused", "[benchmarks]")
{
    for (const char* line : {"",
                             "latenc",
                             "latency -m 1:x",
                             "latency -m 8:4",
                             "latency -m -1",
                             "latency -m 1x",
                             "latency -m K",
                             "latency -m 99999999999G",
                             "latency -i 0",
                             "bw -W 0",
                             "latency -W 4",
                             "matching --mode often",
                             "barrier -m 8",
                             "reduce-op --op average",
                             "reduce-op --type int128",
                             "reduce-op -c",
                             "allreduce -t 3",
                             "iallreduce -t -1",
                             "latency --start clock",
                             "latency --precision 0",
                             "latency --growth 1",
                             "allreduce --start now",
                             "allreduce -T short",
                             "allreduce -m 1:2",
                             "broadcast --in-place",
                             "neighbor_alltoall --in-place",
                             "barrier -T int",
                             "latency_mt -t 0",
                             "multi_lat -p 2",
                             "init -m 8",
                             "latency -m 8388608:",
                             "latency -z 100",
                             "latency -z50,x",
                             "latency -T all --json file",
                             "broadcast -k rotated",
                             "allreduce -k rotate",
                             "broadcast -k fixed:-1",
                             "neighbor_allgather -N cart",
                             "neighbor_allgather -N cart:1:0",
                             "neighbor_allgather -N cart:17:1",
                             "neighbor_allgather -N cart:2:x",
                             "neighbor_allgather -N cart:1:1:1",
                             "neighbor_allgather -N graph:",
                             "neighbor_allgather -N ring",
                             "allgather -N cart:1:1",
                             "allreduce -k 1",
                             "mbw_mr -V -W 8",
                             "bw -b several",
                             "latency -b multiple",
                             "bw -V"})
        check_refused(line);
    check_refused("matching --sources 4", false);
    CHECK(parse_line("latency --help").status == 0);
    CHECK_THAT(parse_line("--help").message, Catch::Contains("Examples:"));
    CHECK(parse("reduce-op --op sum,minloc --type int8").ops == std::vector<std::string>{"sum", "minloc"});
    CHECK(parse("reduce-op --type float32+index64").types == std::vector<std::string>{"float32+index64"});
    CHECK(parse("iallreduce -t 7").tests == 7);
    CHECK(parse("matching --depth 10,10000").depths == std::vector<int>{10, 10000});
}

TEST_CASE("OSU's options and names", "[benchmarks]")
{
    CHECK(parse("latency -z").tails == std::vector<double>{50, 90, 99});
    CHECK(parse("latency -z90,99.9 -m 8").tails == std::vector<double>{90, 99.9});
    CHECK(parse("latency -z -m 8").tails.size() == 3);
    CHECK(parse("latency").tails.empty());
    CHECK(parse("latency -m 65536:").size_list().size() == 7);
    CHECK(parse("latency -T int -m 8").size_list() == std::vector<std::size_t>{4, 8});
    CHECK(parse("scatter -k fixed:3").root == 3);
    CHECK(parse("bcast_persistent -k 2").root == 2);
    CHECK_FALSE(parse("bcast -k 2").rotating_root);
    CHECK(parse("igather -k rotate").rotating_root);
    CHECK(parse("allreduce -T all").types_in_turn.size() == 3);
    CHECK(parse("allreduce -T mpi_int,double").types_in_turn.back() == tutti::DataType::float64);
    CHECK_FALSE(parse("allreduce -T mpi_int,double").type);
    CHECK(parse("allreduce -c -u 7 -x 100").budget.warmup == 7);
    CHECK(parse("allreduce -u 7").budget.warmup == std::nullopt);
    CHECK_FALSE(parse("bw -b single").buffer_each);
    CHECK(parse("bibw_persistent -b multiple").buffer_each);
    CHECK(parse("fan-in --buffer-num multiple").buffer_each);
    CHECK_FALSE(parse("neighbor_alltoall").neighborhood);
    CHECK(parse("neighbor_alltoall -N cart:3:2").neighborhood->dimensions == 3);
    CHECK(parse("ineighbor_alltoall -Ncart:3:2").neighborhood->radius == 2);
    CHECK(parse("neighbor_allgather -N graph:a/b.adj").neighborhood->graph_file == "a/b.adj");
    CHECK(parse("osu_bcast").benchmark == "broadcast");
    CHECK(parse("osu_reduce_scatter").benchmark == "reduce_scatterv");
    CHECK(parse("osu_ireduce_scatter_block").benchmark == "ireduce_scatter");
    check_refused("osu_ring");
    check_refused("osu_alltoallw");
}

TEST_CASE("one-sided benchmarks have windows and synchronisations, as OSU's", "[benchmarks]")
{
    CHECK(parse("put_latency").window_kind == WindowKind::allocate);
    CHECK_FALSE(parse("put_latency").synchronization);
    CHECK(parse("osu_get_bw -w create -s lock_all").window_kind == WindowKind::create);
    CHECK(parse("osu_get_bw -w create -s lock_all").synchronization == Synchronization::lock_all);
    CHECK(parse("put_bibw -s fence").synchronization == Synchronization::fence);
    CHECK(parse("acc_latency -T double").size_list().front() == 8);
    CHECK(parse("fop_latency").size_list() == std::vector<std::size_t>{8});
    CHECK(parse("cas_latency").element() == tutti::DataType::int64);
    CHECK(parse("osu_acc_latency -w dynamic").window_kind == WindowKind::dynamic);
    for (const char* line : {"put_bibw -s flush", "put_latency -w heap", "get_latency -s often",
                             "fop_latency -m 16", "counter -s lock", "put_latency -W 4", "latency -w create"})
        check_refused(line);
}

TEST_CASE("patterns of windows have their kinds, and synchronisations of an epoch that lasts", "[benchmarks]")
{
    CHECK(parse("one_put_all -w create -s flush_local").window_kind == WindowKind::create);
    CHECK(parse("one_put_all -w create -s flush_local").synchronization == Synchronization::flush_local);
    CHECK(parse("passive_put -s flush").synchronization == Synchronization::flush);
    CHECK(parse("all_get_all").size_list().back() == std::size_t{1} << 20);
    for (const char* line : {"exchange_put -s lock", "passive_put -s pscw", "all_put_all -T int",
                             "osu_all_put_all", "one_get_all -W 4"})
        check_refused(line);
}

TEST_CASE("tables have rows of floats, and map_reduce words", "[benchmarks]")
{
    CHECK(parse("table_push").rows == 256);
    CHECK_FALSE(parse("table_push").table_rows);
    CHECK(parse("table_pull --rows 8192 --table 10000000 -m 64:64").table_rows == 10'000'000);
    CHECK(parse("table_pull -m 1:16").size_list() == std::vector<std::size_t>{4, 8, 16});
    CHECK(parse("sparse_pull --rows 8 -m 1:4").size_list() == std::vector<std::size_t>{4});
    CHECK(parse("sparse_push").element() == tutti::DataType::float32);
    CHECK(parse("table_push").element() == tutti::DataType::float32);
    CHECK(parse("map_reduce").size_list() == std::vector<std::size_t>{65536, 524288, 4194304});
    CHECK(parse("map_reduce --words 10").vocabulary == 10);
    for (const char* line : {"table_push --rows 0", "table_push --table 0", "table_push -T int",
                             "table_push --words 2", "map_reduce --rows 2", "map_reduce --words 0",
                             "map_reduce --memory library", "osu_table_push", "latency --rows 2"})
        check_refused(line);
}

TEST_CASE("files have blocks and a folder", "[benchmarks]")
{
    using Blocks = std::vector<std::size_t>;
    CHECK(parse("file_write_all").block_list() == Blocks{512, 4096, 65536});
    CHECK(parse("file_read --blocks 1K,1M --file-size 64M").block_list() == Blocks{1024, 1048576});
    CHECK(parse("file_read --file-size 64M").file_bytes == 67108864);
    CHECK(parse("file_write_shared").block_list() == Blocks{64});
    CHECK(parse("file_open --folder /dev/shm").folder == "/dev/shm");
    for (const char* line : {"file_open --blocks 1K", "file_view --file-size 1M", "file_write --blocks 0",
                             "file_read --blocks 1X", "file_write_shared --file-size 1M", "file_read -m 1:4",
                             "file_write --memory library", "osu_file_open", "latency --folder /tmp"})
        check_refused(line);
}

TEST_CASE("OSU's options that are not offered are refused by name, with what there is instead",
          "[benchmarks]")
{
    for (const auto& [line, words] :
         {std::pair{"latency -d cuda", "buffers of accelerators are not offered"},
          std::pair{"allreduce -P PAPI_TOT_INS:x", "PAPI is not offered"},
          std::pair{"bw -G png", "write --json FILE and draw it by tutti-bench plot"},
          std::pair{"latency -D vect:2:1", "other layouts are not offered"},
          std::pair{"init -I", "ways to join the job is not offered"}}) {
        const SuiteCommandLine command = parse_line(line);
        CHECK(command.status == 2);
        CHECK_THAT(command.message, Catch::Contains(words));
    }
}

TEST_CASE("sizes for people have the largest unit that leaves them whole", "[benchmarks]")
{
    CHECK(short_size(0) == "0");
    CHECK(short_size(1000) == "1000");
    CHECK(short_size(1024) == "1K");
    CHECK(short_size(1536) == "1536");
    CHECK(short_size(65536) == "64K");
    CHECK(short_size(4194304) == "4M");
}
