// Predicted times equal the closed forms of LogGP, and grow as they must.
#include "collectives/simulator/cost_model.hpp"

#include <chrono>

#include "collectives/choice/algorithms.hpp"
#include "collectives/framework/nodes.hpp"
#include "collectives/simulator/predict.hpp"
#include "tests/simulator/support.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives::test {

namespace {

using simulator::CostModel;
using simulator::PredictedCall;
using simulator::Prediction;

// Numbers with exact sums, all of them different.
constexpr CostModel kModel{
    .inside = {.latency_ns = 128, .overhead_ns = 32, .gap_ns = 16, .ns_per_byte = 0.25},
    .between = {.latency_ns = 4096, .overhead_ns = 1024, .gap_ns = 512, .ns_per_byte = 2},
    .reduce_ns_per_byte = 0.125,
};

template <class Collective>
Prediction prediction(std::string_view algorithm, const PredictedCall& call,
                      std::size_t segment_bytes = 32 << 10)
{
    return predict(index_of<Collective>, algorithm, segment_bytes, call, kModel);
}

double hop_ns(const simulator::Costs& costs, double bytes)
{
    return costs.latency_ns + 2 * costs.overhead_ns + costs.gap_ns + bytes * costs.ns_per_byte;
}

}  // namespace

TEST_CASE("predicted times are those of the closed forms")
{
    for (const int log2 : {1, 3, 6, 10, 12}) {
        const int ranks = 1 << log2;
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{1} << 20}) {
            CAPTURE(ranks, bytes);
            const auto n = static_cast<double>(bytes);
            const PredictedCall call{.ranks = ranks, .size_bytes = bytes};
            const double reduce = n * kModel.reduce_ns_per_byte;

            const Prediction tree = prediction<Broadcast>("binomial", call);
            CHECK(tree.time_ns == log2 * hop_ns(kModel.inside, n));
            CHECK(tree.messages == static_cast<std::size_t>(ranks - 1));
            CHECK(tree.bytes == static_cast<std::size_t>(ranks - 1) * bytes);

            const double exchange = hop_ns(kModel.inside, n);
            CHECK(prediction<Allreduce>("recursive_doubling", call).time_ns == log2 * (exchange + reduce));
        }
    }
}

TEST_CASE("a flat broadcast is bound by the root's way out, a chain by its segments")
{
    const double bytes = 1 << 20;
    const PredictedCall call{.ranks = 16, .size_bytes = 1 << 20};
    const double occupied = kModel.inside.gap_ns + bytes * kModel.inside.ns_per_byte;
    CHECK(prediction<Broadcast>("flat", call).time_ns == hop_ns(kModel.inside, bytes) + 14 * occupied);

    const Prediction chain = prediction<Broadcast>("chain", call, 64 << 10);
    const double hop = hop_ns(kModel.inside, 64 << 10);
    CHECK(chain.messages == 15 * 16);
    CHECK(chain.time_ns >= 15 * hop + 15 * (hop - 400));
    CHECK(chain.time_ns <= 31 * hop);
}

TEST_CASE("the ranks of a node share its link, and messages between nodes cost what they are said to")
{
    const NodeMap pairs = NodeMap::in_blocks(4, 2);
    const PredictedCall call{.ranks = 4, .size_bytes = 1 << 20, .nodes = &pairs};
    const double n = 1 << 20;
    // Distance 1 stays inside; at distance 2 both ranks of a node send over its one link.
    const double link = kModel.between.gap_ns + n * kModel.between.ns_per_byte;
    const Prediction doubling = prediction<Allreduce>("recursive_doubling", call);
    CHECK(doubling.time_ns ==
          hop_ns(kModel.inside, n) + hop_ns(kModel.between, n) + link + 2 * n * kModel.reduce_ns_per_byte);
    CHECK(doubling.messages == 8);
    CHECK(doubling.messages_between_nodes == 4);
    CHECK(doubling.bytes_between_nodes == 4 * call.size_bytes);

    const NodeMap alone = NodeMap::in_blocks(4, 4);
    const Prediction apart =
        prediction<Allreduce>("recursive_doubling", {.ranks = 4, .size_bytes = 1 << 20, .nodes = &alone});
    CHECK(apart.time_ns == 2 * (hop_ns(kModel.between, n) + n * kModel.reduce_ns_per_byte));
}

TEST_CASE("no algorithm gets cheaper with more bytes, and all can be predicted")
{
    const NodeMap nodes = NodeMap::in_blocks(12, 3);
    const auto check = [&]<class Collective>(std::type_identity<Collective>) {
        for (const auto& algorithm : Collective::kAlgorithms) {
            if (needs_board(algorithm.needs))
                continue;
            double before_ns = 0;
            for (const std::size_t bytes : {0, 12, 120, 1200, 12000, 120000, 1200000, 12000000}) {
                CAPTURE(Collective::kVariable, algorithm.name, bytes);
                const PredictedCall call{.ranks = 12, .size_bytes = bytes, .nodes = &nodes};
                const double time_ns = prediction<Collective>(algorithm.name, call).time_ns;
                CHECK(time_ns >= before_ns);
                before_ns = time_ns;
            }
            CHECK(before_ns > 0);
        }
    };
    [&]<class... Collectives>(std::tuple<Collectives...>) {
        (check(std::type_identity<Collectives>{}), ...);
    }(AllCollectives{});
}

TEST_CASE("a prediction gives up after as many messages as it is reported")
{
    const PredictedCall call{.ranks = 64, .size_bytes = 64, .most_messages = 1000};
    CHECK(prediction<Allgather>("ring", call).given_up);
    CHECK(!prediction<Allgather>("bruck", call).given_up);
}

TEST_CASE("a cost model in a file: what it says, and the defaults for the rest")
{
    const CostModel model = simulator::parse_cost_model(
        R"({"between": {"latency_ns": 900, "ns_per_byte": 0.08}, "reduce_ns_per_byte": 0})", "costs.json");
    CHECK(model.between.latency_ns == 900);
    CHECK(model.between.ns_per_byte == 0.08);
    CHECK(model.between.gap_ns == CostModel{}.between.gap_ns);
    CHECK(model.inside.latency_ns == CostModel{}.inside.latency_ns);
    CHECK(model.reduce_ns_per_byte == 0);
}

TEST_CASE("what is wrong in a cost model is reported with its place")
{
    const auto complaint = [](std::string_view text) -> std::string {
        try {
            static_cast<void>(simulator::parse_cost_model(text, "costs.json"));
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::invalid_argument);
            return error.what();
        }
        return "no error";
    };
    CHECK(complaint(R"({"between": {"latency": 900}})") ==
          "costs.json: invalid argument: between: there is no \"latency\"; did you mean 'latency_ns'?; there "
          "is latency_ns, overhead_ns, gap_ns, ns_per_byte");
    CHECK(complaint(R"({"inside": {"gap_ns": -1}})") ==
          "costs.json: invalid argument: inside.gap_ns: -1 is no number of at least 0");
    CHECK(complaint(R"({"inside": {"gap_ns": 1e999}})").find("no JSON") != std::string::npos);
    CHECK(complaint(R"({"inside": [1]})") ==
          "costs.json: invalid argument: inside: [1] is no object in braces");
    CHECK(complaint("{\n\"inside\": }").find("line 2, column") != std::string::npos);
    CHECK(complaint("{\"inside\": {}, \"inside\": {}}") ==
          "costs.json: invalid argument: \"inside\" is there twice in one object; remove one");
    CHECK(complaint("") != "no error");
}

}  // namespace tutti::collectives::test
