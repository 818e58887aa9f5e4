// Which files of configuration there are, and what is in them: see configuration.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::settings {

struct NamedFile {
    enum class Owner {
        site,   // the administrator's
        user,   // in the user's folder
        anyone  // named by TUTTI_CONF, and so trusted
    };
    std::string path;
    Owner owner = Owner::anyone;
};

/// The files to read, the one with precedence over all others last. They need not exist.
std::vector<NamedFile> configuration_files();

/// The folder of the site's file, for a program or library in `folder`: PREFIX/etc/tutti, and /etc/tutti
/// where PREFIX is /usr. An installation that was moved takes its folder along.
std::string site_folder(const std::string& folder);

/// The text of a file; nothing where there is none, but one that TUTTI_CONF names has to exist. Throws
/// ConfigurationError.
std::optional<std::string> contents(const NamedFile& file);

}  // namespace tutti::settings
