// Whom ranks exchange blocks with in neighbourhood collectives.
#include <catch2/catch.hpp>

#include <algorithm>

#include "benchmarks/suite/library/neighborhood.hpp"
#include "tutti/tutti.hpp"

using namespace tutti::bench;

namespace {

using Ranks = std::vector<int>;

std::string refusal_of(const std::string& list, int ranks)
{
    try {
        graph_neighborhood({list}, ranks, "list.adj");
    } catch (const UnsuitableJob& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("a grid of one dimension and radius 1 is a ring of any number of ranks", "[benchmarks]")
{
    const Neighborhood ring = grid_neighborhood(5, 1, 1);
    CHECK(ring[0].sources == Ranks{4, 1});
    CHECK(ring[0].destinations == Ranks{4, 1});
    CHECK(ring[3].destinations == Ranks{2, 4});
    CHECK(grid_neighborhood(2, 1, 1)[1].sources == Ranks{0, 0});
    CHECK(grid_neighborhood(1, 1, 1)[0].sources == Ranks{0, 0});
}

TEST_CASE("neighbours in a grid are all within the radius, the last dimension running fastest",
          "[benchmarks]")
{
    CHECK(grid_neighborhood(7, 1, 3)[2].destinations == Ranks{6, 0, 1, 3, 4, 5});
    // 4 x 3
    const Neighborhood plane = grid_neighborhood(12, 2, 1);
    CHECK(plane[4].destinations == Ranks{0, 1, 2, 3, 5, 6, 7, 8});
    CHECK(plane[0].sources == Ranks{11, 9, 10, 2, 1, 5, 3, 4});
    CHECK(most_neighbors(plane) == 8);
    CHECK(grid_neighborhood(27, 3, 1)[13].sources.size() == 26);
    CHECK(description_of({.dimensions = 2}, plane) == "[ neighborhood: cart:2:1 ] [ neighbors: 8 ]");
}

TEST_CASE("the grid is that of tutti::balanced_dims", "[benchmarks]")
{
    for (int ranks = 9; ranks <= 128; ++ranks) {
        for (int dimensions = 1; dimensions <= 3; ++dimensions) {
            const std::vector<int> dims = tutti::balanced_dims(ranks, dimensions);
            if (dims.back() < 3)
                continue;
            CAPTURE(ranks, dimensions);
            // Rank 0's neighbours one step further: the dimensions that run slower are as many ranks away.
            const Ranks neighbors = grid_neighborhood(ranks, dimensions, 1)[0].destinations;
            int stride = 1;
            for (auto dim = dims.rbegin(); dim != dims.rend(); stride *= *dim++)
                CHECK(std::ranges::count(neighbors, stride) == 1);
            CHECK(neighbors.front() == ranks - 1);
        }
    }
}

TEST_CASE("a grid in which a rank would meet another twice is refused", "[benchmarks]")
{
    CHECK_THROWS_AS(grid_neighborhood(4, 1, 2), UnsuitableJob);
    CHECK_THROWS_AS(grid_neighborhood(8, 2, 1), UnsuitableJob);
    CHECK_THROWS_AS(grid_neighborhood(1, 2, 1), UnsuitableJob);
    CHECK_THROWS_AS(grid_neighborhood(100, 1, 2147483647), UnsuitableJob);
    CHECK_THROWS_WITH(grid_neighborhood(6, 2, 1), Catch::Contains("this job's grid is 3 x 2") &&
                                                      Catch::Contains("need 3 ranks in each dimension") &&
                                                      Catch::Contains("start it with -n 9"));
}

TEST_CASE("a graph has the edges of its file, in their order", "[benchmarks]")
{
    const Neighborhood graph =
        graph_neighborhood({"#Source, Destination\n2, 0\r\n\n0,1\n 1 ,\t2\n2,3\n1,3\n0,3"}, 5, "list.adj");
    CHECK(graph[0].sources == Ranks{2});
    CHECK(graph[0].destinations == Ranks{1, 3});
    CHECK(graph[3].sources == Ranks{2, 1, 0});
    CHECK(graph[3].destinations.empty());
    CHECK(graph[4].sources.empty());
    CHECK(most_neighbors(graph) == 3);
    CHECK(description_of({.graph_file = "list.adj"}, graph) ==
          "[ neighborhood: graph:list.adj ] [ neighbors: 3 ]");
}

TEST_CASE("what is no graph of this job is refused with the file and the line", "[benchmarks]")
{
    for (const char* list : {"0, 1\n1 2\n", "0, 1\n7\n", "0, 1\n,1\n", "0, 1\n1, -1\n", "0, 1\n1, 2x\n",
                             "0, 1\n0, 1, 2\n", "0, 1\n1, 99999999999\n"})
        CHECK_THAT(refusal_of(list, 4),
                   Catch::Contains("list.adj: line 2:") && Catch::Contains("is no edge"));
    CHECK_THAT(refusal_of("0, 4\n", 4), Catch::Contains("line 1: there is no rank 4 in a job of 4"));
    CHECK_THAT(refusal_of("# nothing\n", 4), Catch::Contains("there is no edge in the file"));
    CHECK(read_text("/nonexistent/list.adj").error == ENOENT);
    CHECK(read_text("/").error != 0);
    CHECK_THROWS_WITH(graph_neighborhood(read_text("/nonexistent"), 4, "list.adj"),
                      Catch::Contains("-N graph:list.adj: the file cannot be read: No such file"));
}
