#include "lib/core/requests/lend.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>
#include <vector>

#include "lib/core/check/borrowed_memory.hpp"
#include "lib/core/check/checker.hpp"
#include "lib/core/requests/request_access.hpp"

namespace tutti::detail {

namespace {

using check::BorrowedMemory;

void lend_to(Process& process, const Request& request, std::span<const ConstView> buffers, std::string access)
{
    if (!request.active())
        return;
    const auto lock = process.engine().lock();
    process.checker()->lend(*RequestAccess::state(request), buffers, std::move(access));
}

/// A persistent request: each start uses the buffers, which must still be there.
class LendingStarter final : public Starter {
public:
    LendingStarter(Process& process, std::unique_ptr<Starter> inner, std::span<const ConstView> buffers)
        : process_(process),
          inner_(std::move(inner)),
          buffers_(buffers.begin(), buffers.end()),
          between_starts_(check::lowest_bytes(buffers), BorrowedMemory::Freed::given_back)
    {
        for (const ConstView& buffer : buffers)
            layouts_.emplace_back(buffer.layout);
    }

    Request start() override
    {
        look();
        inner_->keep = keep;
        Request request = inner_->start();
        lend_to(process_, request, buffers_, {});
        return request;
    }

private:
    void look() const
    {
        const auto mistake = between_starts_.mistake("the start", "free it after the last start has ended");
        if (!mistake)
            return;
        const std::size_t bytes =
            std::accumulate(buffers_.begin(), buffers_.end(), std::size_t{0},
                            [](std::size_t sum, const ConstView& each) { return sum + each.size_bytes; });
        const auto lock = process_.engine().lock();
        process_.checker()->add(check::Kind::buffer, site_,
                                fmt::format("persistent request of {} bytes: {}", bytes, *mistake));
    }

    Process& process_;
    const std::unique_ptr<Starter> inner_;
    const std::vector<ConstView> buffers_;
    std::vector<datatype::TypemapRef> layouts_;  // theirs
    const check::Site site_ = check::call_site();
    const BorrowedMemory between_starts_;
};

}  // namespace

bool watches_frees(const Process& process) noexcept
{
    return process.checker() != nullptr && process.checker()->looks_for().buffers;
}

CallHandle lend_checked(Process& process, CallHandle handle, std::span<const ConstView> buffers,
                        std::string access)
{
    if (std::unique_ptr<Starter> starter = handle.starter())
        return CallHandle(watches_frees(process)
                              ? std::make_unique<LendingStarter>(process, std::move(starter), buffers)
                              : std::move(starter));
    Request request = handle.request();
    lend_to(process, request, buffers, std::move(access));
    return CallHandle(std::move(request));
}

void lend(Process& process, RequestState& begun, std::span<const ConstView> buffers, std::string access)
{
    process.checker()->lend(begun, buffers, std::move(access));
}

struct Loan::Lent {
    Lent(Process& of, std::span<const ConstView> buffers, std::string words)
        : process(of),
          what(std::move(words)),
          borrowed(check::lowest_bytes(buffers), BorrowedMemory::Freed::kept)
    {
    }

    Process& process;
    const std::string what;
    const check::Site site = check::call_site();
    const BorrowedMemory borrowed;
};

Loan::Loan(Process& process, std::span<const ConstView> buffers, std::string what)
    : lent_(std::make_unique<const Lent>(process, buffers, std::move(what)))
{
}

Loan::Loan(Loan&&) noexcept = default;
Loan::~Loan() = default;

void Loan::look(std::string_view until, std::string_view remedy) const
{
    if (const auto mistake = lent_->borrowed.mistake(until, remedy))
        lent_->process.checker()->add(check::Kind::buffer, lent_->site,
                                      fmt::format("{}: {}", lent_->what, *mistake));
}

}  // namespace tutti::detail
