// Who exchanges messages with whom in the loops over many ranks.
#include <catch2/catch.hpp>

#include "benchmarks/suite/collectives/combining.hpp"
#include "benchmarks/suite/messages/fan_in_and_out.hpp"
#include "benchmarks/suite/messages/multi_pair.hpp"
#include "benchmarks/suite/messages/token_ring.hpp"
#include "benchmarks/suite/session/touch.hpp"
#include "benchmarks/suite/windows/window_patterns.hpp"

#include <fmt/format.h>

#include <cstring>
#include <set>
#include <string>
#include <utility>

using namespace tutti::bench;

namespace {

// A job of one rank.
struct Single {
    static std::string library() { return "none"; }
    int rank() const { return 0; }
    int size() const { return 1; }
    void barrier() {}
    void broadcast(Bytes, int) {}
    void allgather(ConstBytes in, Bytes out) { std::memcpy(out.data(), in.data(), in.size()); }
};

// The token comes at the third look; all calls are written down.
struct Third : Single {
    struct Request {
        Bytes in;
    };
    void send(ConstBytes, int, int) { calls += "send "; }
    void recv(Bytes in, int, int)
    {
        calls += "recv ";
        std::ranges::fill(in, std::byte{7});
    }
    Request irecv(Bytes in, int, int)
    {
        calls += "irecv ";
        return {in};
    }
    bool test(Request& request) { return looks("test ", request.in); }
    bool iprobe(int, int) { return looks("iprobe ", {}); }
    bool improbe_recv(Bytes in, int, int) { return looks("improbe ", in); }

    bool looks(const char* call, Bytes in)
    {
        calls += call;
        if (++looked < 3)
            return false;
        std::ranges::fill(in, std::byte{7});
        return true;
    }
    std::string calls;
    int looked = 0;
};

}  // namespace

TEST_CASE("a rank of a ring waits for the token by the call that the benchmark is named for", "[benchmarks]")
{
    const auto calls_of = [](const char* benchmark) {
        Third job;
        std::byte token{};
        pass_token(job, waiting_of(benchmark), Bytes(&token, 1), Bytes(&token, 1));
        CHECK(token == std::byte{7});
        return job.calls;
    };
    CHECK(calls_of("ring") == "send recv ");
    CHECK(calls_of("ring_test") == "send irecv test test test ");
    CHECK(calls_of("ring_iprobe") == "send iprobe iprobe iprobe recv ");
    CHECK(calls_of("ring_improbe") == "send improbe improbe improbe ");
}

TEST_CASE("ranks of the first half and of the second are pairs; who is left over has none", "[benchmarks]")
{
    CHECK(partner_of(0, 2)->rank == 2);
    CHECK(partner_of(1, 2)->rank == 3);
    CHECK(partner_of(3, 2)->rank == 1);
    CHECK(partner_of(1, 2)->first);
    CHECK_FALSE(partner_of(3, 2)->first);
    CHECK_FALSE(partner_of(4, 2).has_value());
}

TEST_CASE("fans open from the first host, place by place", "[benchmarks]")
{
    const std::vector<int> cyclic = {0, 1, 2, 0, 1, 2};  // hosts of the ranks
    CHECK(fan_part(0, cyclic).hub);
    CHECK(fan_part(0, cyclic).partners == std::vector<int>{1, 2});
    CHECK(fan_part(3, cyclic).hub);
    CHECK(fan_part(3, cyclic).partners == std::vector<int>{4, 5});
    CHECK_FALSE(fan_part(5, cyclic).hub);
    CHECK(fan_part(5, cyclic).partners == std::vector<int>{3});
}

TEST_CASE("on one host every rank counts as a host, and hosts with unequally many ranks are refused",
          "[benchmarks]")
{
    CHECK(fan_part(0, {0, 0, 0}).partners == std::vector<int>{1, 2});
    CHECK(fan_part(2, {0, 0, 0}).partners == std::vector<int>{0});
    CHECK_THROWS_AS(fan_part(0, {0, 0, 1}), UnsuitableJob);
}

TEST_CASE("one or all ranks write to all others or their neighbours, each block once", "[benchmarks]")
{
    const auto words = [](const char* benchmark, int rank, int ranks) {
        std::string text;
        for (const WindowPattern::Transfer& one : WindowPattern::of(benchmark).transfers(rank, ranks))
            text += fmt::format("{}:{}>{} ", one.target, one.here, one.there);
        return text;
    };
    CHECK(words("one_put_all", 0, 4) == "1:0>0 2:0>0 3:0>0 ");
    CHECK(words("one_put_all", 1, 4).empty());
    CHECK(words("all_put_all", 2, 4) == "3:0>2 0:0>2 1:0>2 ");
    CHECK(words("all_get_all", 2, 4) == "3:3>2 0:0>2 1:1>2 ");
    CHECK(words("one_get_all", 0, 3) == "1:1>0 2:2>0 ");
    CHECK(words("exchange_put", 0, 4) == "3:0>0 1:1>1 ");
    CHECK(words("exchange_get", 1, 2) == "0:0>0 0:1>1 ");
    for (const char* const benchmark : {"one_put_all", "all_put_all", "exchange_put"})
        for (int ranks = 2; ranks < 6; ++ranks) {
            std::set<std::pair<int, std::size_t>> written;
            for (int rank = 0; rank < ranks; ++rank)
                for (const auto& one : WindowPattern::of(benchmark).transfers(rank, ranks)) {
                    CHECK(written.emplace(one.target, one.there).second);
                    CHECK(one.there < WindowPattern::of(benchmark).blocks(ranks));
                    CHECK(one.here < WindowPattern::of(benchmark).blocks(ranks));
                }
        }
}

TEST_CASE("what a timed step leaves wrong fails its check", "[benchmarks]")
{
    Single job;
    Buffers buffers(100);
    const Bytes out = buffers.out.bytes(100);
    const Bytes in = buffers.in.bytes(100);
    const auto copy = [&] { std::memcpy(in.data(), out.data(), 100); };
    CHECK(validate_step(job, out, in, true, copy));
    CHECK_FALSE(validate_step(job, out, in, true, [] {}));
    CHECK_FALSE(validate_step(job, out, in, true, [&] {
        copy();
        in[99] ^= std::byte{1};
    }));
    CHECK(validate_step(job, out, in, false, [] {}));  // a sender has nothing to check
}

TEST_CASE("touching comes around a step, and leaves the bytes as they are", "[benchmarks]")
{
    Buffers buffers(1000);
    fill_pattern(buffers.out.bytes(1000), 1);
    int steps = 0;
    for (const bool wanted : {false, true}) {
        auto step = touching(wanted, buffers.out.bytes(1000), buffers.in.bytes(1000), [&] { ++steps; });
        step();
        CHECK(wrong_bytes(buffers.out.bytes(1000), 1) == 0);
    }
    CHECK(steps == 2);
}

TEST_CASE("what reductions are measured by combines all of two arrays", "[benchmarks]")
{
    for (const std::size_t size_bytes : {0, 1, 8, 255, 256, 264, 1000, 4096}) {
        Buffers buffers(size_bytes + 8);
        fill_pattern(buffers.out.bytes(size_bytes + 8), 1);
        fill_pattern(buffers.in.bytes(size_bytes + 8), 2);
        combine_words(buffers.in.bytes(0).data(), buffers.out.bytes(0).data(), size_bytes);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < size_bytes; ++i)
            wrong += buffers.in.bytes(size_bytes)[i] != (pattern_byte(i, 1) ^ pattern_byte(i, 2)) ? 1 : 0;
        CHECK(wrong == 0);
        CHECK(buffers.in.bytes(size_bytes + 8).back() == pattern_byte(size_bytes + 7, 2));
        CHECK(combined_bytes(size_bytes) == 3 * size_bytes);
    }
}

TEST_CASE("messages of a window that lie apart have pages of their own, and each is checked", "[benchmarks]")
{
    Single job;
    Buffers buffers(4 * 2 * kPageBytes);
    const MessagePlaces out(buffers.out, kPageBytes + 1, 4);
    const MessagePlaces in(buffers.in, kPageBytes + 1, 4);
    CHECK(out[3].data() == out[0].data() + 3 * 2 * kPageBytes);
    CHECK(out[3].size() == kPageBytes + 1);
    CHECK(MessagePlaces(out[1])[3].data() == out[1].data());
    const auto copy = [&](std::size_t messages) {
        for (std::size_t i = 0; i < messages; ++i)
            std::ranges::copy(out[i], in[i].begin());
    };
    CHECK(validate_step(job, out, in, true, [&] { copy(4); }));
    CHECK_FALSE(validate_step(job, out, in, true, [&] { copy(3); }));
    CHECK(validate_step(job, out.first(3), in.first(3), true, [&] { copy(3); }));
    CHECK_FALSE(validate_step(job, out, in, true, [&] {
        copy(4);
        std::ranges::copy(out[2], in[1].begin());  // another message's bytes
    }));
}
