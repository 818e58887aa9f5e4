// Random operations on the matcher and on a model of it that is obviously right: two lists, searched from the
// front. After each operation both must have chosen the same receive or message.
#include <catch2/catch.hpp>

#include <algorithm>
#include <list>
#include <memory>
#include <random>

#include "lib/engine/matching/matcher.hpp"
#include "tutti/status.hpp"

namespace {

using tutti::any_source;
using tutti::any_tag;
using namespace tutti::matching;

bool fits(const MatchKey& pattern, const MatchKey& envelope)
{
    return pattern.context == envelope.context &&
           (pattern.source() == any_source || pattern.source() == envelope.source()) &&
           (pattern.tag() == any_tag || pattern.tag() == envelope.tag());
}

class Model {
public:
    Model(unsigned seed, int sources, int tags) : random_(seed), sources_(sources), tags_(tags) {}

    // A message arrives: it goes to the first fitting receive, or is kept.
    void arrive()
    {
        const MatchKey envelope{context(), number(sources_), number(tags_)};
        const auto expected =
            std::ranges::find_if(posted_, [&](const auto& receive) { return fits(receive->key, envelope); });
        PostedReceive* const found = matcher_.match_arrival(envelope);
        REQUIRE(found == (expected == posted_.end() ? nullptr : expected->get()));
        if (found != nullptr) {
            posted_.erase(expected);
            return;
        }
        kept_.push_back(std::make_unique<UnexpectedMessage>());
        kept_.back()->envelope = envelope;
        matcher_.add_unexpected(*kept_.back());
    }

    // A receive takes the first fitting message, or is posted.
    void receive()
    {
        const MatchKey pattern = any_pattern();
        const auto expected = first_kept(pattern);
        UnexpectedMessage* const found = matcher_.find_unexpected(pattern);
        REQUIRE(found == (expected == kept_.end() ? nullptr : expected->get()));
        if (found != nullptr) {
            matcher_.remove_unexpected(*found);
            kept_.erase(expected);
            return;
        }
        posted_.push_back(std::make_unique<PostedReceive>());
        posted_.back()->key = pattern;
        matcher_.post(*posted_.back());
    }

    void probe()
    {
        const MatchKey pattern = any_pattern();
        const auto expected = first_kept(pattern);
        REQUIRE(matcher_.find_unexpected(pattern) == (expected == kept_.end() ? nullptr : expected->get()));
    }

    void cancel()
    {
        if (posted_.empty())
            return;
        const auto victim = std::next(posted_.begin(), number(static_cast<int>(posted_.size())));
        matcher_.withdraw(**victim);
        posted_.erase(victim);
    }

    void lose_source()
    {
        const int source = number(sources_);
        const auto from_source = [source](const PostedReceive& receive) {
            return receive.key.source() == source;
        };
        std::size_t ended = 0;
        matcher_.withdraw_if(from_source, [&](PostedReceive& receive) { ended += from_source(receive); });
        const std::size_t expected =
            std::erase_if(posted_, [&](const auto& receive) { return from_source(*receive); });
        REQUIRE(ended == expected);
    }

    void check_counts() const
    {
        REQUIRE(matcher_.posted_count() == posted_.size());
        REQUIRE(matcher_.unexpected_count() == kept_.size());
    }

    int number(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
    std::size_t most_entries() const { return std::max(posted_.size(), kept_.size()); }

private:
    std::uint64_t context() { return number(10) == 0 ? 77u : 1u; }
    MatchKey any_pattern()
    {
        return {context(), number(4) == 0 ? any_source : number(sources_),
                number(4) == 0 ? any_tag : number(tags_)};
    }
    std::list<std::unique_ptr<UnexpectedMessage>>::iterator first_kept(const MatchKey& pattern)
    {
        return std::ranges::find_if(kept_,
                                    [&](const auto& message) { return fits(pattern, message->envelope); });
    }

    Matcher matcher_;
    std::list<std::unique_ptr<PostedReceive>> posted_;    // in the order of posting
    std::list<std::unique_ptr<UnexpectedMessage>> kept_;  // in the order of arrival
    std::mt19937 random_;
    int sources_;
    int tags_;
};

}  // namespace

TEST_CASE("100,000 random operations choose as a scan of two lists does")
{
    struct Mix {
        int sources;
        int tags;
        int arrivals;  // of 100 operations; what is left over after probes and cancels are receives
    };
    const Mix mix = GENERATE(Mix{1, 1, 50}, Mix{4, 3, 46}, Mix{4, 3, 40}, Mix{40, 25, 55}, Mix{500, 2, 35});
    constexpr int kOperations = 20'000;
    Model model(static_cast<unsigned>(mix.sources * 100 + mix.arrivals), mix.sources, mix.tags);
    std::size_t most = 0;
    for (int i = 0; i < kOperations; ++i) {
        const int dice = model.number(100);
        if (dice < mix.arrivals)
            model.arrive();
        else if (dice < 94)
            model.receive();
        else if (dice < 97)
            model.probe();
        else
            model.cancel();
        if (model.number(1000) == 0)
            model.lose_source();
        model.check_counts();
        most = std::max(most, model.most_entries());
    }
    INFO("at most " << most << " entries in one queue");
    CHECK(most > 20);
}
