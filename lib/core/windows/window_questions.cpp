#include "lib/core/windows/window_questions.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "lib/core/process/process.hpp"
#include "lib/foundation/datatype/runs.hpp"

namespace tutti::detail {

using What = WindowHeader::What;

namespace {

// So many questions of one operation are under way: they take the time of a round trip together.
constexpr unsigned kMostUnderWay = 16;

}  // namespace

// The questions of one operation to one target.
class WindowQuestions::Conversation {
public:
    Conversation(WindowQuestions& all, EngineLock& lock, std::string_view operation, const WindowAim& aim)
        : all_(all), lock_(lock), operation_(operation), aim_(aim)
    {
    }
    ~Conversation()
    {
        if (open_ != 0)
            std::erase_if(all_.unanswered_, [this](const auto& each) { return each.second.of == this; });
    }
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    int rank() const noexcept { return aim_.target; }

    /// The payload is copied; `answer` must live as long as this object.
    void ask(What what, std::size_t offset, std::span<const std::byte> payload, std::span<std::byte> answer)
    {
        await(kMostUnderWay - 1);
        const std::uint64_t id = ++all_.asked_;
        all_.unanswered_.emplace(id, Question{this, answer});
        ++open_;
        try {
            all_.window_.send(rank(), what, id, offset, payload);
        } catch (const Error&) {
            all_.waits_.throw_unsent(operation_, rank());
        }
    }
    /// Returns when all but `open` are answered.
    void await(unsigned open = 0)
    {
        all_.waits_.await(lock_, operation_, rank(), aim_,
                          [&] { return open_ <= open || refused_.bytes != 0; });
        if (refused_.bytes != 0)
            all_.attachments_.refuse(operation_, rank(), refused_.offset, refused_.bytes);
    }
    void answered() noexcept { --open_; }
    void refused(const TargetRun& run) noexcept { refused_ = run; }

private:
    WindowQuestions& all_;
    EngineLock& lock_;
    const std::string_view operation_;
    const WindowAim aim_;
    unsigned open_ = 0;
    TargetRun refused_{0, 0};
};

// Runs of bytes at the target, as many to a frame as it takes. Their data lie in a row here: `from` and
// `before` are as in an update; get has only `before`.
class WindowQuestions::Transfer {
public:
    Transfer(Conversation& conversation, std::size_t most_payload_bytes, const std::byte* from,
             std::byte* before, const Update* update)
        : conversation_(conversation),
          most_bytes_(std::min(kMostWindowBytes, most_payload_bytes) - sizeof(WindowTransfer)),
          from_(from),
          before_(before),
          update_(update)
    {
    }

    void run(std::size_t offset, std::size_t bytes)
    {
        while (bytes != 0) {
            const std::size_t used = (runs_.size() + 1) * sizeof(TargetRun) + frame_bytes_;
            const std::size_t room = used < most_bytes_ ? (most_bytes_ - used) / kUnit * kUnit : 0;
            const std::size_t part = std::min(room, bytes);
            if (part != 0) {
                runs_.push_back({offset, part});
                frame_bytes_ += part;
                offset += part;
                bytes -= part;
            } else
                send();
        }
    }
    /// What the last runs have left.
    void send()
    {
        if (runs_.empty())
            return;
        const WindowTransfer head{update_ != nullptr ? *update_ : Update{}, before_ != nullptr,
                                  static_cast<std::uint32_t>(runs_.size()), frame_bytes_};
        const std::size_t runs_bytes = runs_.size() * sizeof(TargetRun);
        payload_.resize(sizeof head + runs_bytes + (from_ != nullptr ? frame_bytes_ : 0));
        std::memcpy(payload_.data(), &head, sizeof head);
        std::memcpy(payload_.data() + sizeof head, runs_.data(), runs_bytes);
        if (from_ != nullptr)
            std::memcpy(payload_.data() + sizeof head + runs_bytes, from_ + sent_bytes_, frame_bytes_);
        const What what = update_ != nullptr ? What::update : from_ != nullptr ? What::put : What::get;
        const std::span<std::byte> answer =
            before_ != nullptr ? std::span(before_ + sent_bytes_, frame_bytes_) : std::span<std::byte>();
        sent_bytes_ += std::exchange(frame_bytes_, 0);
        runs_.clear();
        conversation_.ask(what, 0, payload_, answer);
    }

private:
    static constexpr std::size_t kUnit = 64;  // whole elements

    Conversation& conversation_;
    const std::size_t most_bytes_;
    const std::byte* const from_;
    std::byte* const before_;
    const Update* const update_;
    std::vector<TargetRun> runs_;
    std::size_t frame_bytes_ = 0;
    std::size_t sent_bytes_ = 0;
    std::vector<std::byte> payload_;
};

void WindowQuestions::ask(EngineLock& lock, std::string_view operation, const WindowAim& aim, What what,
                          std::size_t offset, std::span<const std::byte> payload, std::span<std::byte> answer)
{
    Conversation conversation(*this, lock, operation, aim);
    conversation.ask(what, offset, payload, answer);
    conversation.await();
}

void WindowQuestions::transfer(EngineLock& lock, std::string_view operation, const TargetBlock& there,
                               const TargetBytes& place, const std::byte* from, std::byte* before,
                               const Update* update)
{
    try {
        Conversation conversation(*this, lock, operation, place.aim);
        Transfer transfer(conversation,
                          window_.process().protocol().most_service_bytes(window_.world_rank(there.rank)),
                          from, before, update);
        const auto run = [&](std::ptrdiff_t offset, std::size_t bytes) {
            transfer.run(static_cast<std::size_t>(place.offset + offset), bytes);
        };
        if (there.type == nullptr)
            run(0, there.count);
        else
            datatype::for_each_run(*there.type, there.count, run);
        transfer.send();
        conversation.await();
    } catch (const Error&) {
        waits_.throw_unsent(operation, there.rank);  // the first question connects to it
    }
}

void WindowQuestions::take_answer(int rank, const WindowHeader& header, std::span<const std::byte> payload)
{
    const auto found = unanswered_.find(header.id);
    if (found == unanswered_.end())
        return;  // its wait has failed
    const Question question = found->second;
    const bool refused = header.what == What::refusal;
    if (question.of->rank() != rank ||
        payload.size() != (refused ? sizeof(TargetRun) : question.answer.size()))
        protocol::corrupt(window_.world_rank(rank), "an answer that was not asked for");
    unanswered_.erase(found);
    question.of->answered();
    if (!refused) {
        std::copy(payload.begin(), payload.end(), question.answer.begin());
        return;
    }
    TargetRun run;
    std::memcpy(&run, payload.data(), sizeof run);
    question.of->refused(run);
}

}  // namespace tutti::detail
