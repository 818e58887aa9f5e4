#include "benchmarks/tune/starts.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "benchmarks/record/fields.hpp"

namespace tutti::bench {

namespace {

constexpr const char* kFormat = "tutti-bench-tune";

std::string job_text(const nlohmann::ordered_json& document)
{
    return fmt::format("{} ranks on {} nodes{}", document["ranks"].get<int>(), document["nodes"].get<int>(),
                       document["crowded"].get<bool>() ? ", more than cores" : "");
}

}  // namespace

Starts::Starts(const Surroundings& where)
    : document_{{"format", kFormat},        {"version", 1},
                {"ranks", where.ranks},     {"nodes", where.nodes()},
                {"crowded", where.crowded}, {"starts", nlohmann::ordered_json::array()}}
{
}

Starts::Starts(const Surroundings& where, const std::string& file) : Starts(where)
{
    if (!std::filesystem::exists(file))
        return;
    const std::string remedy = "remove it, or name another with --starts";
    const nlohmann::json found = record::read_json(file);
    const auto member = [&](const char* name) {
        return found.is_object() && found.contains(name) ? found[name] : nlohmann::json();
    };
    if (member("format") != kFormat || member("version") != 1 || !member("starts").is_array())
        throw std::runtime_error(
            fmt::format("{}: holds no starts of tune of this version: {}", file, remedy));
    for (const char* const name : {"ranks", "nodes", "crowded"}) {
        if (member(name) != nlohmann::json(document_[name]))
            throw std::runtime_error(fmt::format("{}: its starts were not of this job, {}: {}", file,
                                                 job_text(document_), remedy));
    }
    document_["starts"] = nlohmann::ordered_json::parse(found["starts"].dump());
}

void Starts::begin()
{
    document_["starts"].push_back(nlohmann::ordered_json::object());
}

void Starts::add(std::string_view collective, std::size_t size_bytes, const Trial& trial, double us)
{
    document_["starts"].back()[std::string(collective)][std::to_string(size_bytes)][to_string(trial)] = us;
}

int Starts::count() const
{
    return static_cast<int>(document_["starts"].size());
}

Times Starts::times(std::string_view collective, std::size_t size_bytes, std::vector<Trial> trials) const
{
    Times times{.size_bytes = size_bytes, .trials = std::move(trials), .us = {}};
    const auto pointer = nlohmann::ordered_json::json_pointer(fmt::format("/{}/{}", collective, size_bytes));
    for (const Trial& trial : times.trials) {
        Rounds& rounds = times.us.emplace_back();
        for (int start = 0; start < count(); ++start) {
            const auto& all = document_["starts"][static_cast<std::size_t>(start)];
            if (!all.contains(pointer))
                continue;
            const auto& own = all.at(pointer);
            if (const auto found = own.find(to_string(trial)); found != own.end() && found->is_number())
                rounds[start] = found->template get<double>();
        }
    }
    return times;
}

}  // namespace tutti::bench
