#include "launcher/pmix/pmix_relay.hpp"

#include <pmix_common.h>

#include <algorithm>

namespace tutti::launcher {

namespace {

/// For the values of an ended rank: libpmix answers at once, or never where there are none.
constexpr std::chrono::milliseconds kEndedRankTimeout{500};
/// Between two requests for a key that a rank has not published yet, while it has published others.
constexpr std::chrono::milliseconds kFirstPause{2};
constexpr std::chrono::milliseconds kLongestPause{100};

}  // namespace

void PmixRelay::fence(FenceFrame part, PmixAnswer answer)
{
    head_.send(FrameType::fence, encode(part));
    fences_[std::move(part.ranks)].push_back(std::move(answer));
}

void PmixRelay::handle_fence_done(std::string_view payload)
{
    FenceFrame done = decode<FenceFrame>(payload);
    const auto found = fences_.find(done.ranks);
    if (found == fences_.end())
        throw WireError("the end of a fence that nobody is in");
    const PmixAnswer answer = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty())
        fences_.erase(found);
    answer(done.status, std::move(done.data));
}

void PmixRelay::request(int rank, const std::string& key, PmixAnswer answer)
{
    ask(rank, key, false, std::move(answer));
}

void PmixRelay::request_deposit(int rank, const std::string& name, ControlChannels::Answer answer)
{
    ask(rank, name, true, [answer = std::move(answer)](int result, std::string bytes) {
        answer(static_cast<ControlChannels::Deposit>(result), std::move(bytes));
    });
}

void PmixRelay::ask(int rank, const std::string& key, bool deposited, PmixAnswer answer)
{
    requests_[++last_request_] = std::move(answer);
    head_.send(FrameType::modex_request,
               encode(ModexRequest{last_request_, head_.node(), rank, key, deposited}));
}

void PmixRelay::handle_modex_found(std::string_view payload)
{
    ModexAnswer found = decode<ModexAnswer>(payload);
    const auto request = requests_.extract(found.number);
    if (request.empty())
        throw WireError("an answer to a question that nobody has asked");
    request.mapped()(found.status, std::move(found.data));
}

void PmixRelay::handle_modex_wanted(std::string_view payload)
{
    const ModexRequest request = decode<ModexRequest>(payload);
    if (request.deposited) {
        std::string bytes;
        const ControlChannels::Deposit result = control_.find(request.rank, request.key, bytes);
        head_.send(FrameType::modex_answer, encode(ModexAnswer{request.number, request.asker,
                                                               static_cast<std::int32_t>(result), bytes}));
        return;
    }
    const std::uint64_t serial = ++last_serving_;
    serving_[serial] = {request, kFirstPause};
    ask_server(serial);
    if (ended_.contains(request.rank))
        rank_ended(request.rank);
}

/// libpmix waits until a rank publishes its first value, and answers with all values. It is asked again
/// until the wanted key is among them, since the asker would take the answer to mean that there is no such
/// key.
void PmixRelay::ask_server(std::uint64_t serial)
{
    const auto found = serving_.find(serial);
    if (found != serving_.end()) {
        server_.published_by(found->second.request.rank, [this, serial](int status, const std::string& data) {
            loop_.post([this, serial, status, data] { consider(serial, status, data); });
        });
    }
}

void PmixRelay::consider(std::uint64_t serial, int status, const std::string& data)
{
    const auto found = serving_.find(serial);
    if (found == serving_.end())
        return;
    Serving& serving = found->second;
    const std::string& key = serving.request.key;
    // The packed values have keys as plain text, each with a zero byte after it.
    const bool has_key = data.find(key.c_str(), 0, key.size() + 1) != std::string::npos;
    if (status == PMIX_SUCCESS && !has_key && !key.empty() && !ended_.contains(serving.request.rank)) {
        loop_.after(serving.pause, [this, serial] { ask_server(serial); });
        serving.pause = std::min(serving.pause * 2, kLongestPause);
        return;
    }
    answer_request(serial, status, data);
}

void PmixRelay::rank_ended(int rank)
{
    ended_.insert(rank);
    for (const auto& [serial, serving] : serving_) {
        if (serving.request.rank == rank) {
            loop_.after(kEndedRankTimeout,
                        [this, serial = serial] { answer_request(serial, PMIX_ERR_NOT_FOUND, {}); });
        }
    }
}

/// The first answer counts: libpmix's, or that there is none.
void PmixRelay::answer_request(std::uint64_t serial, int status, const std::string& data)
{
    const auto serving = serving_.extract(serial);
    if (!serving.empty()) {
        const ModexRequest& asked = serving.mapped().request;
        head_.send(FrameType::modex_answer, encode(ModexAnswer{asked.number, asked.asker, status, data}));
    }
}

}  // namespace tutti::launcher
