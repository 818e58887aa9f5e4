#include "benchmarks/report/escape.hpp"

#include <filesystem>

namespace tutti::bench {

std::string markdown_text(std::string_view text)
{
    std::string escaped;
    for (const char letter : text) {
        if (letter == '<')
            escaped += "&lt;";
        else if (letter == '&')
            escaped += "&amp;";
        else if (static_cast<unsigned char>(letter) < ' ')
            escaped += ' ';
        else {
            if (std::string_view("\\`*_[]#|!~").find(letter) != std::string_view::npos)
                escaped += '\\';
            escaped += letter;
        }
    }
    return escaped;
}

std::string command_text(const std::vector<std::string>& command)
{
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,.:/@%";
    std::string text;
    for (const std::string& argument : command) {
        const std::string word =
            text.empty() ? std::filesystem::path(argument).filename().string() : argument;
        text += text.empty() ? "" : " ";
        if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char letter : word)
            text += letter == '\'' ? "'\\''" : std::string(1, letter);
        text += '\'';
    }
    return text;
}

}  // namespace tutti::bench
