#!/usr/bin/env python3
"""ps-lite beside Tutti's ways to push and pull, by turns; prints a Markdown table.

    benchmarks/push_pull/compare.py --pslite FOLDER                  on this host; ps-lite over TCP and over its ipc
    benchmarks/push_pull/compare.py --pslite FOLDER --hosts          over TCP between two hosts made of namespaces (as root)

FOLDER has ps-lite's include/ and libps.a: github.com/dmlc/ps-lite, `make ps`, or its sources compiled with Debian's
libzmq3-dev and libprotobuf-dev. Servers are on the first host, workers on the second one. Each figure is the median over
the rounds; of a start with several workers, the slowest one's median counts. A row is SERVERS+WORKERS:KEYSxBYTES.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HOSTS = ROOT / "tests/cluster/hosts"
ROWS = ["1+1:4096x4K", "1+1:256x64K", "1+1:16x1M", "1+2:4096x4K", "1+2:256x64K", "1+2:16x1M",
        "2+2:4096x4K", "2+2:256x64K", "2+2:16x1M"]
WAYS = ["table", "sparse", "window", "messages"]
ANSWER = re.compile(r"push ([\d.]+) ms pull ([\d.]+) ms (ok|WRONG)$", re.M)


class Comparison:
    def __init__(self, options, folder):
        self.options = options
        self.peer = pathlib.Path(folder) / "pslite"
        self.ways = options.build / "benchmarks/push-pull-ways"
        pslite = options.pslite
        subprocess.run(["c++", "-O3", "-std=c++17", ROOT / "benchmarks/push_pull/pslite.cpp", "-o", self.peer,
                        f"-I{pslite}/include", f"{pslite}/libps.a", "-lprotobuf", "-lzmq", "-pthread"], check=True)

    def on(self, host, command):
        return [str(word) for word in ([HOSTS, "run", host] if self.options.hosts else []) + command]

    def run(self, commands, environment=None):
        """Starts all of them, and returns what they print together."""
        with tempfile.TemporaryFile("w+") as out:
            started = [subprocess.Popen(["timeout", "60", *command], env=environment, stdout=out, stderr=out)
                       for command in commands]
            for process in started:
                process.wait()
            out.seek(0)
            return out.read()

    def run_pslite(self, servers, workers, keys, floats, mode, ipc):
        address = {"a": "10.77.0.1", "b": "10.77.0.2"} if self.options.hosts else {"a": "127.0.0.1", "b": "127.0.0.1"}
        port = 20000 + os.getpid() % 10000
        environment = dict(os.environ, DMLC_NUM_SERVER=str(servers), DMLC_NUM_WORKER=str(workers),
                           DMLC_PS_ROOT_URI=address["a"], DMLC_PS_ROOT_PORT=str(port),
                           DMLC_INTERFACE="eth0" if self.options.hosts else "lo")
        if ipc:
            environment["DMLC_LOCAL"] = "1"

        def role(name, host):
            return self.on(host, ["env", f"DMLC_ROLE={name}", f"DMLC_NODE_HOST={address[host]}", self.peer, keys,
                                  floats, self.options.repetitions, mode])
        return self.run([role("scheduler", "a")] + [role("server", "a")] * servers + [role("worker", "b")] * workers,
                        environment)

    def run_tutti(self, servers, workers, keys, floats, way):
        where = ["-H", f"a:{servers},b:{workers}", "-x", "TUTTI_SHARED_CORES=1"] if self.options.hosts else \
                ["-n", servers + workers]
        command = [self.options.build / "launcher/tuttirun", *where, self.ways, way, "--servers", servers, "--keys", keys,
                   "--floats", floats, "--rounds", self.options.repetitions]
        return self.run([self.on("a", command)])

    def measure(self, row):
        """Milliseconds of push and pull by name."""
        servers, workers, keys, size, unit = re.fullmatch(r"(\d+)\+(\d+):(\d+)x(\d+)([KM])", row).groups()
        numbers = int(servers), int(workers), int(keys), int(size) * {"K": 1024, "M": 1 << 20}[unit] // 4
        peers = {f"{mode}{' ipc' if ipc else ''}": (mode, ipc)
                 for ipc in ([False] if self.options.hosts else [False, True]) for mode in ("batch", "each")}
        taken = {name: [] for name in [*peers, *self.options.ways]}
        for _ in range(self.options.rounds):
            for name, (mode, ipc) in peers.items():
                self.note(taken[name], name, numbers[1], self.run_pslite(*numbers, mode, ipc))
            for way in self.options.ways:
                self.note(taken[way], way, numbers[1], self.run_tutti(*numbers, way))
        return list(peers), {name: [statistics.median(each[i] for each in figures) if figures else float("nan")
                                    for i in (0, 1)] for name, figures in taken.items()}

    @staticmethod
    def note(figures, name, workers, text):
        found = ANSWER.findall(text)
        if len(found) != workers or any(word != "ok" for _, _, word in found):
            print(f"{name}: {len(found)} of {workers} workers answered rightly:\n{text[-1000:]}", file=sys.stderr)
        else:
            figures.append([max(float(each[i]) for each in found) for i in (0, 1)])


def both(values):
    return " / ".join(f"{value:.2f}" if value < 10 else f"{value:.1f}" for value in values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pslite", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="Tutti's (default: %(default)s)")
    parser.add_argument("--hosts", action="store_true", help="two hosts made of namespaces, in place of this one")
    parser.add_argument("--rounds", type=int, default=5, help="starts of each program (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=9, help="in a start (default: %(default)s)")
    parser.add_argument("--rows", nargs="+", default=ROWS)
    parser.add_argument("--ways", nargs="+", default=WAYS, choices=WAYS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(options, folder)
        if options.hosts:
            up = [HOSTS, "up", "--hosts", "2", "--share", folder, "--share", ROOT]
            os.environ["TUTTI_CLUSTER"] = subprocess.run(up, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        try:
            print_table(comparison, options)
        finally:
            if options.hosts:
                subprocess.run([HOSTS, "down"], check=False)


def print_table(comparison, options):
    ratios = [f"{way} / ps-lite" for way in options.ways if way in ("table", "sparse")]
    to_messages = [f"{way} / messages" for way in options.ways if way in ("table", "sparse") and "messages" in options.ways]
    print("| push / pull, ms | ps-lite's best | " + " | ".join(options.ways + ratios + to_messages) + " |")
    print("|---|---:|" + "---:|" * (len(options.ways) + len(ratios) + len(to_messages)))
    for row in options.rows:
        peers, median = comparison.measure(row)
        best = [min(median[name][i] for name in peers) for i in (0, 1)]
        cells = [both(best)] + [both(median[way]) for way in options.ways]
        cells += [both([median[each.split()[0]][i] / best[i] for i in (0, 1)]) for each in ratios]
        cells += [both([median[each.split()[0]][i] / median["messages"][i] for i in (0, 1)]) for each in to_messages]
        print(f"| {row} | " + " | ".join(cells) + " |", flush=True)


main()
