#include "lib/foundation/network/host_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace tutti::network {

namespace {

/// Reads a list from its front; every function removes what it has read.
class ListReader {
public:
    explicit ListReader(std::string_view text) : whole_(text), rest_(text) {}

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
        throw std::invalid_argument(
            fmt::format("'{}' is not understood at position {}: {}; a list reads node[01-03,7],login", whole_,
                        whole_.size() - rest_.size() + 1, why));
    }

    void limit(std::size_t count) const
    {
        if (count > kMostListed)
            reject(fmt::format("it names more than {} hosts", kMostListed));
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
        if (text.empty() || error != std::errc{} || value < 1 || value > static_cast<int>(kMostListed))
            reject(fmt::format("a number from 1 to {} is missing", kMostListed));
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
        if (!is_host_name(result))
            throw std::invalid_argument(fmt::format("'{}' is no name of a host", result));
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

    std::string_view whole_;
    std::string_view rest_;
};

}  // namespace

bool is_host_name(std::string_view name)
{
    // '%' precedes the scope of a link-local address, ':' is part of IPv6 addresses.
    return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
               std::string_view(".-_:%").find(letter) != std::string_view::npos;
    });
}

std::vector<std::string> expand_host_list(std::string_view text)
{
    return ListReader(text).hosts();
}

std::vector<int> expand_counts(std::string_view text)
{
    return ListReader(text).counts();
}

}  // namespace tutti::network
