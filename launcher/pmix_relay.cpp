#include "launcher/pmix_relay.hpp"

#include <pmix_common.h>

namespace tutti::launcher {

namespace {

/// libpmix answers at once when an ended rank has published something, and otherwise never.
constexpr std::chrono::milliseconds kPatienceWithTheDead{500};

}  // namespace

void PmixRelay::fence(std::vector<int> ranks, int status, std::string data, PmixAnswer answer)
{
    const std::string payload = encode(FenceFrame{ranks, status, std::move(data)});
    fences_[std::move(ranks)].push_back(std::move(answer));
    head_.send(FrameType::fence, payload);
}

void PmixRelay::handle_fence_done(std::string_view payload)
{
    FenceFrame done = decode_fence(payload);
    const auto found = fences_.find(done.ranks);
    if (found == fences_.end()) {
        throw WireError("the end of a fence that nobody is in");
    }
    const PmixAnswer answer = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) {
        fences_.erase(found);
    }
    answer(done.status, std::move(done.data));
}

void PmixRelay::request(int rank, PmixAnswer answer)
{
    requests_[++last_request_] = std::move(answer);
    head_.send(FrameType::modex_request, encode(ModexRequest{last_request_, head_.node(), rank}));
}

void PmixRelay::handle_modex_found(std::string_view payload)
{
    ModexAnswer found = decode_modex_answer(payload);
    const auto request = requests_.extract(found.number);
    if (request.empty()) {
        throw WireError("an answer to a question that nobody has asked");
    }
    request.mapped()(found.status, std::move(found.data));
}

void PmixRelay::handle_modex_wanted(std::string_view payload)
{
    const ModexRequest request = decode_modex_request(payload);
    const std::uint64_t serial = ++last_serving_;
    serving_[serial] = request;
    server_.published_by(request.rank, [this, serial](int status, std::string data) {
        loop_.post([this, serial, status, data = std::move(data)] { answer_request(serial, status, data); });
    });
    if (ended_.contains(request.rank)) {
        rank_ended(request.rank);
    }
}

void PmixRelay::rank_ended(int rank)
{
    ended_.insert(rank);
    for (const auto& [serial, request] : serving_) {
        if (request.rank == rank) {
            loop_.after(kPatienceWithTheDead,
                        [this, serial = serial] { answer_request(serial, PMIX_ERR_NOT_FOUND, {}); });
        }
    }
}

/// The first answer counts: libpmix's or that there will be none.
void PmixRelay::answer_request(std::uint64_t serial, int status, std::string data)
{
    const auto request = serving_.extract(serial);
    if (!request.empty()) {
        const ModexRequest& asked = request.mapped();
        head_.send(FrameType::modex_answer,
                   encode(ModexAnswer{asked.number, asked.asker, status, std::move(data)}));
    }
}

}  // namespace tutti::launcher
