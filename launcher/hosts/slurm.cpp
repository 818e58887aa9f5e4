
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "launcher/base/values.hpp"
#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/hosts.hpp"

namespace tutti::launcher {
namespace {

constexpr const char* kNodes = "SLURM_JOB_NODELIST";
constexpr const char* kTasks = "SLURM_TASKS_PER_NODE";
constexpr const char* kCpus = "SLURM_JOB_CPUS_PER_NODE";

/// Reads a list from its front; every function removes what it has read.
class ListReader {
public:
    ListReader(std::string_view variable, std::string_view text)
        : variable_(variable), whole_(text), rest_(text)
    {
    }

    std::vector<std::string> hosts()
    {
        std::vector<std::string> result;
        do {
            for (std::string& name : one_entry()) {
                result.push_back(std::move(name));
                limit(result.size());
            }
        } while (take(','));
        expect_end();
        return result;
    }

    std::vector<int> counts()
    {
        std::vector<int> result;
        do {
            const int count = number();
            int times = 1;
            if (take('(')) {
                expect('x');
                times = number();
                expect(')');
            }
            result.insert(result.end(), static_cast<std::size_t>(times), count);
            limit(result.size());
        } while (take(','));
        expect_end();
        return result;
    }

private:
    [[noreturn]] void reject(std::string_view why) const
    {
        throw UsageError(
            fmt::format("{}: '{}' is not understood at position {}: {}; a list reads node[01-03,7],login",
                        variable_, whole_, whole_.size() - rest_.size() + 1, why));
    }

    void limit(std::size_t count) const
    {
        if (count > static_cast<std::size_t>(kMaxRanks))
            reject(fmt::format("it names more than {} hosts", kMaxRanks));
    }

    bool take(char letter)
    {
        const bool found = rest_.starts_with(letter);
        rest_.remove_prefix(found ? 1 : 0);
        return found;
    }

    void expect(char letter)
    {
        if (!take(letter))
            reject(fmt::format("a '{}' is missing", letter));
    }

    void expect_end() const
    {
        if (!rest_.empty())
            reject("there is more than a list");
    }

    std::string_view digits()
    {
        const std::size_t length = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        const std::string_view result = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return result;
    }

    int number()
    {
        const std::string_view text = digits();
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (text.empty() || error != std::errc{} || value < 1 || value > kMaxRanks)
            reject(fmt::format("a number from 1 to {} is missing", kMaxRanks));
        return value;
    }

    /// Reads text and brackets up to the next comma outside of brackets: all names that they make.
    std::vector<std::string> one_entry()
    {
        std::vector<std::string> names = {""};
        bool empty = true;
        while (!rest_.empty() && rest_.front() != ',') {
            const std::vector<std::string> parts = take('[') ? ranges() : std::vector{plain()};
            std::vector<std::string> longer;
            for (const std::string& name : names) {
                for (const std::string& part : parts) {
                    longer.push_back(name + part);
                    limit(longer.size());
                }
            }
            names = std::move(longer);
            empty = false;
        }
        if (empty)
            reject("a name is missing");
        return names;
    }

    std::string plain()
    {
        const std::size_t length = std::min(rest_.find_first_of("[],()"), rest_.size());
        if (length == 0)
            reject(fmt::format("'{}' cannot stand here", rest_.front()));
        const std::string result(rest_.substr(0, length));
        check_host_name(variable_, result);
        rest_.remove_prefix(length);
        return result;
    }

    /// Reads "01-03,7]". Numbers keep the width of the first one: 08-10 is 08, 09, 10.
    std::vector<std::string> ranges()
    {
        std::vector<std::string> result;
        do {
            const std::string_view first = digits();
            const std::string_view last = take('-') ? digits() : first;
            long long from = 0;
            long long to = 0;
            const auto read = [](std::string_view text, long long& value) {
                return !text.empty() &&
                       std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
            };
            if (first.size() > 18 || !read(first, from) || !read(last, to) || to < from)
                reject("a range such as 01-04 is missing");
            for (; from <= to; ++from) {
                result.push_back(fmt::format("{:0{}}", from, first.size()));
                limit(result.size());
            }
        } while (take(','));
        expect(']');
        return result;
    }

    std::string_view variable_;
    std::string_view whole_;
    std::string_view rest_;
};

/// Tasks on each node or, where Slurm does not tell, processors.
std::vector<int> slots_per_node(std::size_t nodes)
{
    for (const char* variable : {kTasks, kCpus}) {
        const std::string text = environment_variable(variable);
        if (text.empty())
            continue;
        std::vector<int> counts = expand_counts(variable, text);
        if (counts.size() != nodes) {
            throw UsageError(
                fmt::format("{} has {} hosts, but {}='{}' counts for {}: was one of them changed "
                            "by hand? Name the hosts by -H",
                            kNodes, nodes, variable, text, counts.size()));
        }
        return counts;
    }
    return std::vector<int>(nodes, 1);
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view variable, std::string_view text)
{
    return ListReader(variable, text).hosts();
}

std::vector<int> expand_counts(std::string_view variable, std::string_view text)
{
    return ListReader(variable, text).counts();
}

std::optional<std::vector<Host>> slurm_allocation()
{
    const std::string nodes = environment_variable(kNodes);
    if (environment_variable("SLURM_JOB_ID").empty() || nodes.empty())
        return std::nullopt;
    std::vector<Host> hosts;
    for (std::string& name : expand_host_list(kNodes, nodes))
        hosts.push_back({std::move(name)});
    const std::vector<int> slots = slots_per_node(hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i)
        hosts[i].slots = slots[i];
    return hosts;
}

bool is_this_slurm_node(std::string_view name)
{
    const std::string own = environment_variable("SLURMD_NODENAME");
    return own.empty() ? is_this_host(name) : name == own;
}

}  // namespace tutti::launcher
