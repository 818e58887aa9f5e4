// What a rank tells the others of its failure.
#pragma once

#include <algorithm>
#include <array>
#include <exception>
#include <string>

#include "lib/foundation/base/error_detail.hpp"

namespace tutti::detail {

/// Why a rank cannot go on. Travels between ranks. Plain bytes.
struct FailureWords {
    bool has_failed = false;
    std::array<char, 391> sentence{};

    FailureWords() = default;
    /// nullptr: the rank has not failed.
    explicit FailureWords(const std::exception_ptr& failure) : has_failed(failure != nullptr)
    {
        if (!failure)
            return;
        const std::string words = words_of(failure);
        std::copy_n(words.begin(), std::min(words.size(), sentence.size() - 1), sentence.begin());
    }

private:
    static std::string words_of(const std::exception_ptr& failure)
    {
        try {
            std::rethrow_exception(failure);
        } catch (const Error& error) {
            return std::string(base::detail_of(error));
        } catch (const std::exception& error) {
            return error.what();
        } catch (...) {
            return "an exception of a type of its own";
        }
    }
};

}  // namespace tutti::detail
