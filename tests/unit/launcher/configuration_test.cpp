// Files of configuration: what is a line, which files count, and what goes before what.
#include "lib/foundation/settings/configuration.hpp"

#include <sys/stat.h>

#include <algorithm>

#include <catch2/catch.hpp>

#include "launcher/command_line/grammar.hpp"
#include "lib/foundation/settings/configuration_files.hpp"
#include "lib/foundation/settings/known_settings.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using tutti::settings::ConfigurationError;
using tutti::settings::contents;
using tutti::settings::NamedFile;
using tutti::settings::parse_configuration;

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// "name=value@origin" for each.
std::vector<std::string> said_by(std::string_view text)
{
    std::vector<std::string> all;
    for (const auto& setting : parse_configuration(text, "f"))
        all.push_back(setting.name + "=" + setting.value + "@" + setting.origin);
    return all;
}

std::string complaint_about(std::string_view text)
{
    try {
        parse_configuration(text, "/etc/tutti/tutti.conf");
    } catch (const ConfigurationError& error) {
        return error.what();
    }
    return "none";
}

/// The site's file and the user's, as long as it exists.
class TwoFiles {
public:
    TwoFiles(std::string_view site, std::string_view user)
        : named_("TUTTI_CONF",
                 folder_.write("site", site).string() + ":" + folder_.write("user", user).string())
    {
    }
    std::string site() const { return folder_.path() / "site"; }
    std::string user() const { return folder_.path() / "user"; }

private:
    TemporaryFolder folder_;
    WithVariable named_;
};

Variables variables_of_job(const std::vector<std::string>& words)
{
    return parse(words).apps.at(0).environment;
}

}  // namespace

TEST_CASE("A file has a key and a value a line, blanks and comments")
{
    CHECK(said_by("").empty());
    CHECK(said_by("# nothing\n\n   \t\n#\n").empty());
    CHECK(said_by("bind-to = core\n\n  TUTTI_CORES=4\r\nlaunch-agent = ssh -p 2222   # another port\n") ==
          std::vector<std::string>{"bind-to=core@f:1", "TUTTI_CORES=4@f:3",
                                   "TUTTI_LAUNCH_AGENT=ssh -p 2222@f:4"});
    CHECK(said_by("fabric = tcp") == std::vector<std::string>{"TUTTI_FABRIC=tcp@f:1"});
    CHECK(said_by("prefix = /opt/a#b") == std::vector<std::string>{"prefix=/opt/a#b@f:1"});
    CHECK(said_by("timeout =") == std::vector<std::string>{"MPIEXEC_TIMEOUT=@f:1"});
    CHECK(said_by("genv = A=1\ngenv = B = 2") == std::vector<std::string>{"genv=A=1@f:1", "genv=B = 2@f:2"});
}

TEST_CASE("What is no line of a file is reported with file, line and remedy")
{
    const auto [text, message] = GENERATE(table<std::string, std::string>({
        {"\nbindto = core",
         "/etc/tutti/tutti.conf:2: unknown key 'bindto'; did you mean 'bind-to'? "
         "tutti-info --config lists all"},
        {"tutti_eager_limit = 1", "unknown key 'tutti_eager_limit'; did you mean 'TUTTI_EAGER_LIMIT'?"},
        {"TUTTI_EAGER_LIMITS = 1", "did you mean 'TUTTI_EAGER_LIMIT'?"},
        {"--bind-to = core", "unknown key '--bind-to'; did you mean 'bind-to'?"},
        {"quantum = 1", "unknown key 'quantum'; tutti-info --config lists all"},
        {"mca = btl self", "unknown key 'mca'"},
        {"np = 4", ":1: 'np' cannot stand in a file: it belongs to one program"},
        {"x = A=1",
         "'x' cannot stand in a file: it belongs to one program; for all write 'genv = NAME=VALUE'"},
        {"help = yes", "'help' cannot stand in a file: it is something else to do"},
        {"status = 1", "'status' cannot stand in a file"},
        {"debug = 1", "'debug' cannot stand in a file: it is for one job"},
        {"TUTTI_LOCAL_RANK = 1", "'TUTTI_LOCAL_RANK' cannot stand in a file: tuttirun sets it"},
        {"TUTTI_CONF = none", "'TUTTI_CONF' cannot stand in a file: it says which files are read"},
        {"tag-output", "'tag-output' is not understood; write 'key = value', as in 'tag-output = yes'"},
        {"[hosts]", "'[hosts]' is not understood; write 'key = value'"},
        {"= 3", "'= 3' is not understood"},
        {"bind-to = \"core\"", "bind-to: write the value without quotes"},
        {"bind-to = core\nbind-to = core", ":2: 'bind-to' is given twice, first in line 1; keep one"},
        {"fabric = tcp\n\nTUTTI_FABRIC = tcp", ":3: 'TUTTI_FABRIC' is given twice, first in line 1"},
        {"genv = A=1\ngenv = A=2", ":2: 'genv = A' is given twice, first in line 1"},
        {"genv = A", "genv: 'A' is not understood; write 'genv = NAME=VALUE'"},
        {std::string("\x7f\x45\x4c\x46\0\1", 6), "the line has bytes that are no text"},
        {std::string(50000, 'k'), "'" + std::string(60, 'k') + "...' is not understood"},
    }));
    CAPTURE(text.substr(0, 100));
    CHECK_THAT(complaint_about(text), Catch::Contains(message));
    CHECK_THAT(complaint_about(text), Catch::StartsWith("/etc/tutti/tutti.conf:"));
}

TEST_CASE("The site's file belongs to the installation, wherever that is")
{
    using tutti::settings::site_folder;
    const std::string settings = TUTTI_TEST_SYSCONFDIR;
    const auto below = [&](const std::string& prefix) {
        return (settings.starts_with('/') ? settings : prefix + "/" + settings) + "/tutti";
    };
    CHECK(site_folder("/opt/tutti-1/bin") == below("/opt/tutti-1"));
    CHECK(site_folder("/opt/tutti-1/" TUTTI_TEST_LIBDIR) == below("/opt/tutti-1"));
    CHECK(site_folder("/usr/bin") == "/etc/tutti");
    CHECK(site_folder("/usr/" TUTTI_TEST_LIBDIR) == "/etc/tutti");
    // A folder of a build has none of its own.
    CHECK(site_folder("/src/build/launcher") == below(TUTTI_TEST_PREFIX));
}

TEST_CASE("Which files are read is said by TUTTI_CONF, XDG_CONFIG_HOME and HOME")
{
    const auto paths = [] {
        std::vector<std::string> all;
        for (const NamedFile& file : tutti::settings::configuration_files())
            all.push_back(file.path);
        return all;
    };
    const WithVariable home("HOME", "/home/me");
    const WithVariable xdg("XDG_CONFIG_HOME", std::nullopt);
    {
        const WithVariable named("TUTTI_CONF", "none");
        CHECK(paths().empty());
    }
    {
        const WithVariable named("TUTTI_CONF", "/a::b:");
        CHECK(paths() == std::vector<std::string>{"/a", "b"});
    }
    const WithVariable unnamed("TUTTI_CONF", GENERATE(as<std::optional<std::string>>(), std::nullopt, ""));
    REQUIRE(paths().size() == 2);
    CHECK_THAT(paths().front(), Catch::EndsWith("/tutti/tutti.conf"));
    CHECK(paths().back() == "/home/me/.config/tutti.conf");
    {
        const WithVariable elsewhere("XDG_CONFIG_HOME", "/home/me/settings");
        CHECK(paths().back() == "/home/me/settings/tutti.conf");
    }
    const WithVariable relative("XDG_CONFIG_HOME", "settings");
    CHECK(paths().back() == "/home/me/.config/tutti.conf");
    const WithVariable homeless("HOME", GENERATE(as<std::optional<std::string>>(), std::nullopt, "", "."));
    CHECK(paths().size() == 1);
}

TEST_CASE("A file is read only where it is one, and the user's only where nobody else decides what it says")
{
    using Owner = NamedFile::Owner;
    const TemporaryFolder folder;
    const auto complaint = [](const NamedFile& file) -> std::string {
        try {
            return contents(file) ? "none" : "not there";
        } catch (const ConfigurationError& error) {
            return error.what();
        }
    };
    const std::string path = folder.write("tutti.conf", "bind-to = core\n").string();
    CHECK(contents({path, Owner::user}) == "bind-to = core\n");
    CHECK(complaint({path + "2", Owner::site}) == "not there");
    CHECK(complaint({path + "2", Owner::user}) == "not there");
    CHECK(complaint({path + "/below", Owner::user}) == "not there");
    CHECK_THAT(complaint({path + "2", Owner::anyone}),
               Catch::Contains("2: cannot read it: No such file or directory; TUTTI_CONF names it"));
    CHECK_THAT(complaint({folder.path(), Owner::site}), Catch::Contains("this is no file with lines"));
    const std::string pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THAT(complaint({pipe, Owner::anyone}), Catch::Contains("this is no file with lines"));
    CHECK_THAT(complaint({"/dev/zero", Owner::anyone}), Catch::Contains("this is no file with lines"));
    const std::string large = folder.write("large", std::string(65536, '#')).string();
    CHECK(complaint({large, Owner::user}) == "none");
    folder.write("large", std::string(65537, '#'));
    CHECK_THAT(complaint({large, Owner::user}), Catch::Contains("large: it has more than 65536 bytes"));
    REQUIRE(::chmod(path.c_str(), 0666) == 0);
    CHECK(complaint({path, Owner::user}) ==
          path + ": everybody may write to it, and so decide what this program starts; 'chmod o-w " + path +
              "' ends that");
    CHECK(complaint({path, Owner::anyone}) == "none");
    REQUIRE(::chmod(path.c_str(), 0664) == 0);
    CHECK(complaint({path, Owner::user}) == "none");
    if (::geteuid() == 0) {  // nobody else can give a file away
        REQUIRE(::chown(path.c_str(), 12345, 12345) == 0);
        CHECK_THAT(complaint({path, Owner::user}),
                   Catch::Contains("it belongs to the user 12345, and this program runs as 0"));
        CHECK(complaint({path, Owner::site}) == "none");
    }
}

TEST_CASE("Every option of tuttirun may stand in a file, or is refused with a reason")
{
    CommandLine line;
    std::vector<std::string> options;
    for (const OptionDefinition& option : define_options(line)) {
        if (option.group.starts_with("Options of other launchers"))
            continue;
        // Its first long name, or its only one.
        std::string name = option.names.front();
        for (auto each = option.names.rbegin(); each != option.names.rend(); ++each)
            if (each->starts_with("--"))
                name = *each;
        name.erase(0, name.find_first_not_of('-'));
        CAPTURE(name);
        REQUIRE(option.setting != nullptr);
        CHECK(option.setting->option == name);
        options.push_back(name);
    }
    for (const tutti::settings::KnownSetting& known : tutti::settings::known_settings()) {
        CAPTURE(known.name());
        CHECK((known.option.empty() || std::ranges::find(options, known.option) != options.end()));
        CHECK_FALSE(known.otherwise.empty());
    }
}

TEST_CASE("The command line goes before the environment, that before the user's file, that before the site's")
{
    const WithVariable unset("TUTTI_FABRIC", std::nullopt);
    const WithVariable no_timeout("MPIEXEC_TIMEOUT", std::nullopt);
    const TwoFiles files(
        "fabric = ofi\nbind-to = socket\ntimeout = 60\nTUTTI_CORES = 4\ngenv = A=site\ngenv = B=site\nstdin "
        "= 1\n",
        "TUTTI_FABRIC = ofi:verbs\nbind-to = numa\ngenv = A=user\nTUTTI_PROGRESS = thread\nstdin = none\n");
    const JobOptions options = parse({"a"});
    CHECK(options.binding == MachineLevel::numa);
    CHECK(options.timeout_seconds == 60);
    CHECK(options.stdin_target == StdinTarget::none);
    CHECK(options.apps[0].environment == Variables{{"TUTTI_FABRIC", "ofi:verbs"},
                                                   {"A", "user"},
                                                   {"TUTTI_PROGRESS", "thread"},
                                                   {"TUTTI_CORES", "4"},
                                                   {"B", "site"}});
    {
        const WithVariable fabric("TUTTI_FABRIC", "tcp");
        const WithVariable timeout("MPIEXEC_TIMEOUT", "7");
        const WithVariable a("A", "");
        const JobOptions nearer = parse({"a"});
        CHECK(nearer.timeout_seconds == 7);
        CHECK(nearer.apps[0].environment == Variables{{"TUTTI_FABRIC", "tcp"},
                                                      {"TUTTI_PROGRESS", "thread"},
                                                      {"TUTTI_CORES", "4"},
                                                      {"B", "site"}});
        // Whatever says it on the command line goes before the environment, an option or a variable.
        CHECK(parse({"-genv", "TUTTI_FABRIC", "ofi", "a"}).apps[0].environment.front() ==
              std::pair<std::string, std::string>{"TUTTI_FABRIC", "ofi"});
        const JobOptions nearest =
            parse({"--fabric", "ofi:net", "--timeout", "9", "-genv", "TUTTI_CORES", "2", "a"});
        CHECK(nearest.timeout_seconds == 9);
        CHECK(nearest.apps[0].environment == Variables{{"TUTTI_FABRIC", "ofi:net"},
                                                       {"TUTTI_CORES", "2"},
                                                       {"TUTTI_PROGRESS", "thread"},
                                                       {"B", "site"}});
    }
    {
        const WithVariable fabric("TUTTI_FABRIC", "tcp");
        const WithVariable no_files("TUTTI_CONF", "none");
        CHECK(parse({"-genv", "TUTTI_FABRIC", "ofi", "a"}).apps[0].environment ==
              Variables{{"TUTTI_FABRIC", "ofi"}});
    }
    CHECK(parse({"--bind-to", "none", "a"}).binding == MachineLevel::none);
    CHECK(parse({"-x", "B=mine", "-n", "1", "a", ":", "-n", "1", "b"}).apps[0].environment.back() ==
          std::pair<std::string, std::string>{"B", "mine"});
}

TEST_CASE("A nearer level takes back what a farther one says")
{
    const WithVariable no_timeout("MPIEXEC_TIMEOUT", std::nullopt);
    const TwoFiles files("timeout = 60\ntag-output = yes\nverbose = yes\nstats = yes\nTUTTI_CORES = 4\n",
                         "timeout =\nTUTTI_CORES =\n");
    const JobOptions options = parse({"a"});
    CHECK(options.timeout_seconds == 0);
    CHECK(options.output.tag);
    CHECK(options.verbosity == 1);
    CHECK(options.stats == "");
    CHECK(variables_of_job({"a"}) == Variables{{"TUTTI_PROFILE", "on"}, {"TUTTI_VERBOSE", "1"}});
    const JobOptions without = parse({"--tag-output=no", "--verbose=no", "--stats=no", "a"});
    CHECK_FALSE(without.output.tag);
    CHECK(without.verbosity == 0);
    CHECK_FALSE(without.stats);
    CHECK(without.apps[0].environment.empty());
    CHECK(parse({"-q", "a"}).quiet);
    const TwoFiles flags("tag-output = yes\nquiet = no\n", "tag-output = no\n");
    CHECK_FALSE(parse({"a"}).output.tag);
    CHECK(parse({"--output", "tag", "a"}).output.tag);
}

TEST_CASE("What one level says in two ways leaves room for the rest of another")
{
    const TwoFiles files("ppn = 2\nmap-by = socket\nlaunch-agent = rsh\nhost = a,b\n",
                         "map-by = ppr:3:node\n");
    CHECK(parse({"a"}).ranks_per.ranks == 3);
    CHECK(parse({"a"}).hosts.size() == 2);
    CHECK(parse({"a"}).hosts_by_file);
    CHECK(parse({"-N", "4", "a"}).ranks_per.ranks == 4);
    const WithVariable no_agent("TUTTI_LAUNCH_AGENT", std::nullopt);
    CHECK(parse({"a"}).launch_agent == std::vector<std::string>{"rsh"});
    CHECK(parse({"--launcher", "slurm", "a"}).launch_agent.empty());
    CHECK(parse({"--launcher", "ssh", "a"}).launch_agent == std::vector<std::string>{"rsh"});
    const TemporaryFolder folder;
    const JobOptions own = parse({"--hostfile", folder.write("hosts", "c\n").string(), "a"});
    REQUIRE(own.hosts.size() == 1);
    CHECK(own.hosts[0].name == "c");
    CHECK_FALSE(own.hosts_by_file);
}

TEST_CASE("A value that is wrong is reported with file and line")
{
    const auto [text, message] = GENERATE(table<std::string, std::string>({
        {"\nbind-to = cor", ":2: bind-to: unknown value 'cor'; did you mean 'core'? (known: none, core, "},
        {"hang-report = soon", ":1: hang-report: 'soon' is not a time"},
        {"fabric = tpc", ":1: fabric: 'tpc' is not understood; write tcp"},
        {"TUTTI_FABRIC = tpc", ":1: fabric: 'tpc' is not understood; write tcp"},
        {"interface = eth0,10.0.0.0/99", ":1: interface=eth0,10.0.0.0/99: '10.0.0.0/99' is neither"},
        {"tag-output = maybe", ":1: tag-output: unknown value 'maybe' (known: no, yes)"},
        {"verbose = 2", ":1: verbose: unknown value '2'"},
        {"hostfile = /nonexistent/hosts", "/nonexistent/hosts"},
        {"ppn = 2\nmap-by = ppr:3:node", "the number of ranks on each host is given twice"},
        {"bindto = core", ":1: unknown key 'bindto'; did you mean 'bind-to'?"},
    }));
    CAPTURE(text);
    const WithVariable no_fabric("TUTTI_FABRIC", std::nullopt);
    const WithVariable no_interface("TUTTI_INTERFACE", std::nullopt);
    const WithVariable no_report("TUTTI_HANG_REPORT", std::nullopt);
    const TwoFiles files(text, "");
    const std::string said = parse_error({"a"});
    CHECK_THAT(said, Catch::Contains(message));
    if (message.starts_with(":"))
        CHECK_THAT(said, Catch::Contains(files.site() + message));
    // Questions about running jobs, and for help, need no file.
    CHECK(parse_error({"--status"}).empty());
}

TEST_CASE("The doctor takes hosts and networks from files, too")
{
    const WithVariable no_interface("TUTTI_INTERFACE", std::nullopt);
    const TwoFiles files("interface = eth0\n", "host = a,b\n");
    const JobOptions options = parse({"--doctor"});
    CHECK(options.interface == "eth0");
    CHECK(options.hosts.size() == 2);
}

TEST_CASE("A timeline has as many events as somebody says")
{
    const WithVariable unset("TUTTI_TRACE_EVENTS", std::nullopt);
    using Variable = std::pair<std::string, std::string>;
    CHECK(variables_of_job({"--trace", "t.json", "a"}).back() == Variable{"TUTTI_TRACE_EVENTS", "16384"});
    const TwoFiles files("TUTTI_TRACE_EVENTS = 7\n", "");
    CHECK(variables_of_job({"--trace", "t.json", "a"}).back() == Variable{"TUTTI_TRACE_EVENTS", "7"});
    const WithVariable set("TUTTI_TRACE_EVENTS", "8");
    CHECK(variables_of_job({"--trace", "t.json", "a"}) == Variables{{"TUTTI_PROFILE", "on"}});
}
