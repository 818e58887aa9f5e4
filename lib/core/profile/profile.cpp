#include "lib/core/profile/profile.hpp"

#include <fmt/format.h>

#include <charconv>

#include "lib/foundation/settings/settings.hpp"
#include "tutti/error.hpp"

namespace tutti::profile {

namespace {

std::size_t events_wanted()
{
    const char* const variable = settings::value_of("TUTTI_TRACE_EVENTS");
    const std::string_view text = variable == nullptr ? "" : variable;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (!text.empty() && (error != std::errc() || end != text.data() + text.size() ||
                          number > observe::ProfileHeader::kMostEvents))
        throw Error(
            ErrorCode::invalid_argument, "environment",
            fmt::format("TUTTI_TRACE_EVENTS={}{} is not a number of at most {} events", text,
                        settings::origin_of("TUTTI_TRACE_EVENTS"), observe::ProfileHeader::kMostEvents));
    return number;
}

bool is_wanted()
{
    const char* const variable = settings::value_of("TUTTI_PROFILE");
    const std::string_view text = variable == nullptr ? "" : variable;
    if (text != "" && text != "0" && text != "1" && text != "off" && text != "on")
        throw Error(ErrorCode::invalid_argument, "environment",
                    fmt::format("TUTTI_PROFILE={}{} is neither on nor off", text,
                                settings::origin_of("TUTTI_PROFILE")));
    return text == "1" || text == "on";
}

}  // namespace

std::unique_ptr<Profile> Profile::wanted(int ranks, bool many_threads, control::Channel* daemon)
{
    if (daemon == nullptr || !is_wanted())
        return nullptr;
    observe::ProfileMemory memory =
        observe::ProfileMemory::create(static_cast<std::size_t>(ranks), events_wanted());
    if (!memory)
        return nullptr;
    const base::UniqueFd descriptor = memory.take_descriptor();
    if (!daemon->show_profile(descriptor.get()))
        return nullptr;
    return std::make_unique<Profile>(std::move(memory), many_threads);
}

void Profile::begins(observe::CallWords call, int peer, std::uint64_t begin_ticks) noexcept
{
    if (begin_ticks == 0)
        begin_ticks = writer_.now();
    const std::uint64_t caller = callers_.find(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
                                               reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()));
    writer_.begins(call, peer, caller, begin_ticks);
}

void Profile::left() noexcept
{
    writer_.memory()->left_ticks.store(writer_.now(), std::memory_order_relaxed);
}

void Profile::add_communicator(std::uint64_t context, int members) noexcept
{
    for (observe::ProfileCommunicator& entry : writer_.memory()->communicators)
        if (const auto other = entry.context.load(std::memory_order_relaxed);
            other == 0 || other == context + 1) {
            entry.members.store(static_cast<std::uint64_t>(members), std::memory_order_relaxed);
            entry.context.store(context + 1, std::memory_order_relaxed);
            return;
        }
}

void Profile::name_communicator(std::uint64_t context, std::string_view name) noexcept
{
    for (observe::ProfileCommunicator& entry : writer_.memory()->communicators)
        if (entry.context.load(std::memory_order_relaxed) == context + 1)
            observe::store_text(entry.name.data(), observe::StatusCommunicator::kNameBytes, name);
}

}  // namespace tutti::profile
