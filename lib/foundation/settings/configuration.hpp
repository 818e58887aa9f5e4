// Files of configuration: the site's, PREFIX/etc/tutti/tutti.conf of this installation (/etc/tutti/tutti.conf
// where PREFIX is /usr), then the user's, $XDG_CONFIG_HOME/tutti.conf or ~/.config/tutti.conf. TUTTI_CONF
// names others in their place, separated by ':', or is "none".
//
// A line is "key = value", or a comment that begins with '#'. Which files count: the site's, which lies where
// only the administrator writes; the user's, if it belongs to the user who runs the program, or to root, and
// not everybody may write to it. Programs that run with more rights than their user's (setuid) read the
// site's file and nothing else. Whoever names a file by TUTTI_CONF trusts it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::settings {

/// A line of a file.
struct Setting {
    std::string name;    // KnownSetting::name(): of "fabric" and TUTTI_FABRIC it is the latter
    std::string value;   // empty: takes back what files before this one say
    std::string origin;  // "/etc/tutti/tutti.conf:3"
};

struct ConfigurationFile {
    std::string path;
    bool is_there = false;
    std::vector<Setting> settings{};  // no two of one name, but for several "genv"
};

/// A file that cannot be read, or says what cannot be meant. what() has file, line and remedy.
struct ConfigurationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The files as they are now, the one with precedence over all others last. Throws ConfigurationError.
std::vector<ConfigurationFile> read_configuration();

/// What `text` says, the contents of the file `path`. Throws ConfigurationError for what is no such line, and
/// for a key that is unknown, refused or given twice.
std::vector<Setting> parse_configuration(std::string_view text, const std::string& path);

/// The last setting of `name`; nullptr where there is none, or where it is taken back.
const Setting* find_last(const std::vector<ConfigurationFile>& files, std::string_view name);

}  // namespace tutti::settings
