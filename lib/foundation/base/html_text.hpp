// Texts in pages that Tutti writes.
#pragma once

#include <string>
#include <string_view>

namespace tutti::base {

/// `text` as it stands in a page between tags and in quoted attributes, whatever it contains.
inline std::string html_text(std::string_view text)
{
    std::string escaped;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            case '\'':
                escaped += "&#39;";
                break;
            default:
                escaped += letter;
        }
    }
    return escaped;
}

}  // namespace tutti::base
