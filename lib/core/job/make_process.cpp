#include "lib/core/job/make_process.hpp"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/check/checker.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/diagnosis/rank_diagnosis.hpp"
#include "lib/core/files/file_worker.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/continuation.hpp"
#include "lib/core/windows/window_service.hpp"

namespace tutti::detail {

namespace {

void make_world_and_self(Process& process)
{
    std::vector<int> everybody(static_cast<std::size_t>(process.size()));
    std::iota(everybody.begin(), everybody.end(), 0);
    process.parts().world = std::make_shared<CommunicatorState>(
        process, kWorldContext, std::make_shared<const std::vector<int>>(std::move(everybody)),
        process.rank());
    process.parts().self = std::make_shared<CommunicatorState>(
        process, process.new_context(), std::make_shared<const std::vector<int>>(1, process.rank()), 0);
}

std::string communicator_in_words(Process& process, std::uint64_t context)
{
    std::string words;
    process.communicators().with(collective_context_of(context),
                                 [&](const CommunicatorState& state) { words = state.in_words(); });
    return words;
}

}  // namespace

std::shared_ptr<Process> make_process(std::unique_ptr<bootstrap::Bootstrap> bootstrap,
                                      const EnvironmentOptions& options,
                                      std::shared_ptr<transport::InprocHub> hub)
{
    const auto made = std::make_shared<Process>(std::move(bootstrap), options, hub == nullptr);
    Process& process = *made;
    Parts& parts = process.parts();
    parts.diagnosis = std::make_unique<RankDiagnosis>(process);
    parts.communicators = std::make_shared<CommunicatorTable>();
    parts.files = std::make_shared<FileWorker>(process.engine());
    parts.windows = std::make_shared<WindowService>(process);
    parts.continuations = std::make_shared<Continuations>(process);
    if (check::options().any())
        parts.checker = std::make_shared<check::Checker>(
            process, [&process](std::uint64_t context) { return communicator_in_words(process, context); });
    process.open(std::move(hub));
    make_world_and_self(process);
    return made;
}

}  // namespace tutti::detail
