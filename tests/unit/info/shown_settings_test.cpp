// What tutti-info --config tells of each setting, and that all lists of variables agree.
#include "launcher/info/shown_settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "collectives/choice/catalogue.hpp"
#include "launcher/info/print.hpp"
#include "lib/foundation/settings/known_settings.hpp"
#include "tests/json.hpp"

namespace tutti::info {

namespace {

/// A file of settings, the only one as long as this lives.
class OnlyFile {
public:
    explicit OnlyFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("tutti-info-test-" + std::to_string(::getpid())))
    {
        std::ofstream(path_) << text;
        setenv("TUTTI_CONF", path_.c_str(), 1);
    }
    ~OnlyFile()
    {
        setenv("TUTTI_CONF", "none", 1);
        std::filesystem::remove(path_);
    }
    OnlyFile(const OnlyFile&) = delete;
    OnlyFile& operator=(const OnlyFile&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::vector<std::string> shown_of(const ShownConfiguration& all, const std::string& name)
{
    std::vector<std::string> values;
    for (const ShownSetting& setting : all.settings)
        if (setting.option == name || setting.variable == name)
            values.push_back(setting.value + " from " + setting.from);
    return values;
}

}  // namespace

TEST_CASE("files may set the variable of each collective, and all that tutti-info lists is known to them")
{
    for (const collectives::CollectiveEntry& entry : collectives::catalogue()) {
        const settings::KnownSetting* const known = settings::find_setting(entry.variable);
        REQUIRE(known != nullptr);
        CHECK(known->refusal.empty());
    }
    std::size_t of_collectives = 0;
    for (const settings::KnownSetting& known : settings::known_settings())
        of_collectives += known.otherwise == "the rules choose";
    CHECK(of_collectives == collectives::catalogue().size());
    for (const Variable& variable : overview([](const char*) -> const char* { return nullptr; }).variables) {
        CAPTURE(variable.name);
        CHECK(settings::find_setting(variable.name) != nullptr);
    }
}

TEST_CASE("each setting is reported with its value and where that comes from")
{
    using Values = std::vector<std::string>;
    const OnlyFile file(
        "bind-to = core\ngenv = A=1\ngenv = B=2\nTUTTI_FABRIC = ofi\nstdin =\nTUTTI_CORES = 2\n");
    setenv("TUTTI_CORES", "3", 1);
    setenv("TUTTI_EAGER_LIMIT", "", 1);
    const ShownConfiguration all = configuration();
    unsetenv("TUTTI_CORES");
    unsetenv("TUTTI_EAGER_LIMIT");
    REQUIRE(all.files.size() == 1);
    CHECK(all.files[0].is_there);
    const std::string at = " from " + file.path() + ":";
    CHECK(shown_of(all, "bind-to") == Values{"core" + at + "1"});
    CHECK(shown_of(all, "genv") == Values{"A=1" + at + "2", "B=2" + at + "3"});
    CHECK(shown_of(all, "fabric") == Values{"ofi" + at + "4"});
    CHECK(shown_of(all, "stdin") == Values{"0 from default"});
    CHECK(shown_of(all, "TUTTI_CORES") == Values{"3 from environment"});
    CHECK(shown_of(all, "TUTTI_EAGER_LIMIT").front().ends_with("from default"));
    CHECK(shown_of(all, "np").empty());
    CHECK(shown_of(all, "TUTTI_LOCAL_RANK").empty());
}

TEST_CASE("a value that is no text is a JSON string all the same")
{
    const OnlyFile file("prefix = /opt/\xff\n");
    const test::Json reported(as_json(configuration()));
    CHECK(reported["files"][0]["is_there"] == true);
    const std::vector<test::Json> found = those_with(reported["settings"], R"({"option": "prefix"})");
    REQUIRE(!found.empty());
    CHECK(found.front()["value"] == "/opt/\xef\xbf\xbd");
}

}  // namespace tutti::info
