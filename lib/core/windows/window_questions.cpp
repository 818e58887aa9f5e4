#include "lib/core/windows/window_questions.hpp"

#include "lib/core/process/process.hpp"

namespace tutti::detail {

void WindowQuestions::ask(EngineLock& lock, std::string_view operation, const WindowAim& aim,
                          WindowHeader::What what, std::uint64_t detail)
{
    const std::uint64_t id = ++ids_;
    const auto question = asked_.emplace(id, Question{aim.target, false}).first;
    try {
        window_.send(aim.target, what, id, detail);
        waits_.await(lock, operation, aim.target, aim, [&] { return question->second.answered; });
    } catch (const Error&) {
        asked_.erase(question);
        waits_.throw_unsent(operation, aim.target);  // the question may connect to it
    }
    asked_.erase(question);
}

void WindowQuestions::take_answer(int rank, const WindowHeader& header)
{
    const auto found = asked_.find(header.id);
    if (found == asked_.end())
        return;  // its wait has failed
    if (found->second.rank != rank)
        protocol::corrupt(window_.world_rank(rank), "an answer that was not asked for");
    found->second.answered = true;
}

}  // namespace tutti::detail
