#include "lib/core/windows/window_loans.hpp"

#include <fmt/format.h>

#include <utility>

#include "lib/core/process/process.hpp"
#include "lib/core/windows/make_window_request.hpp"
#include "lib/core/windows/window_waits.hpp"

namespace tutti::detail {

namespace {

// More operations of one epoch are not watched: a loan takes some hundred bytes.
constexpr std::size_t kMostLoans = std::size_t{1} << 16;

ConstView view_of(const OriginBlock& block) noexcept
{
    return {block.base, block.type == nullptr ? block.count : block.count * block.type->size_bytes(), block.type};
}

}  // namespace

WindowLoans::WindowLoans(const WindowIdentity& window)
    : window_(window), loans_(watches_frees(window.process()) ? static_cast<std::size_t>(window.size()) : 0)
{
}

void WindowLoans::note(std::string_view operation, int rank, std::span<const OriginBlock> origins,
                       const OriginBlock& result, RequestState** begun)
{
    if (!are_watched() || (begun == nullptr && !includes_all_)) [[likely]]
        return;
    std::vector<ConstView> lent{view_of(result)};
    for (const OriginBlock& origin : origins)
        lent.push_back(view_of(origin));
    const std::size_t bytes = lent.back().size_bytes;
    if (bytes == 0 && begun == nullptr)
        return;
    std::string words = fmt::format("{} of {} bytes, rank {} of {}", operation, bytes, rank, window_.name());
    const auto lock = window_.process().engine().lock();
    if (begun != nullptr) {
        if (*begun == nullptr) {
            WindowRequest* place = nullptr;
            *begun = &make_request(window_, operation, {.target = rank, .bytes = bytes}, place);
            place->succeed();
        }
        return lend(window_.process(), **begun, lent, std::move(words));
    }
    std::vector<Loan>& loans = loans_[static_cast<std::size_t>(rank)];
    if (loans.size() < kMostLoans)
        loans.emplace_back(window_.process(), lent, std::move(words));
}

void WindowLoans::end(int rank)
{
    if (!are_watched()) [[likely]]
        return;
    std::vector<Loan>& loans = loans_[static_cast<std::size_t>(rank)];
    for (const Loan& loan : loans)
        loan.look("the access was complete",
                  "free it after the flush, or the end of the epoch, that completes the access");
    loans.clear();
}

void WindowLoans::note_memory(const std::byte* base, std::size_t size_bytes)
{
    if (!are_watched()) [[likely]]
        return;
    const ConstView lent{base, size_bytes, nullptr};
    memory_.emplace(base, Loan(window_.process(), {&lent, 1},
                               fmt::format("memory of {} bytes of a window", size_bytes)));
}

void WindowLoans::end_memory(const std::byte* base)
{
    if (!are_watched()) [[likely]]
        return;
    const auto [begin, end] =
        base == nullptr ? std::pair(memory_.begin(), memory_.end()) : memory_.equal_range(base);
    for (auto each = begin; each != end; ++each)
        each->second.look("the end of the window", "free it after the window, or when it has been detached");
    memory_.erase(begin, end);
}

}  // namespace tutti::detail
