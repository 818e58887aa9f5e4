"""A build backend for pip that makes the package torch_tutti by Meson.

    pip install .
    pip install --config-settings build-dir=build .    # from a build folder that is there

It needs Meson, Ninja and a compiler, the torch of the Python that pip runs in, and no network.
"""
import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def _environment():
    environment = dict(os.environ)
    # pip hides the installed packages from build backends, and torch is one of them.
    if "pip-build-env" in environment.get("PYTHONPATH", ""):
        del environment["PYTHONPATH"]
    # Meson looks for a python3 that has torch.
    environment["PATH"] = f"{os.path.dirname(sys.executable)}:{environment['PATH']}"
    return environment


def _run(*command):
    done = subprocess.run([str(word) for word in command], env=_environment(), stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-4000:]}\ntorch_tutti: failed: {' '.join(str(word) for word in command)}")
    return done.stdout


def _require_torch():
    """Meson would take another Python that has torch."""
    asked = subprocess.run([sys.executable, SOURCE / "lib/torch/find_torch"], env=_environment(), text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if asked.returncode != 0:
        sys.exit(f"torch_tutti: there is no torch to build for in the Python of this pip, {sys.prefix}: "
                 f"{asked.stderr.strip()}. On Debian: scripts/install-dependencies --torch, and a virtual environment "
                 "that sees it: python3 -m venv --system-site-packages DIR, DIR/bin/pip install .")


def _files(build, scratch):
    """The contents of the package's folder, by name."""
    _require_torch()
    if not (build / "build.ninja").exists():
        _run("meson", "setup", build, SOURCE, "-Dtorch=enabled", "-Dtests=disabled")
    _run("ninja", "-C", build, "torch")
    _run("meson", "install", "-C", build, "--no-rebuild", "--tags", "torch", "--destdir", scratch)
    files = {file.name: file.read_bytes() for file in scratch.glob("**/torch_tutti/*")}
    # The module finds it beside itself.
    library = next((build / "lib/core").glob("libtutti.so.?.?"))
    files[library.name] = library.read_bytes()
    return files


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        build = pathlib.Path((config_settings or {}).get("build-dir", scratch / "build")).absolute()
        files = {f"torch_tutti/{file}": data for file, data in _files(build, scratch / "installed").items()}
        version = json.loads(_run("meson", "introspect", build, "--projectinfo"))["version"]
    python = "cp{}{}".format(*sys.version_info)
    tag = f"{python}-{python}-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    about = f"torch_tutti-{version}.dist-info"
    files[f"{about}/METADATA"] = (f"Metadata-Version: 2.1\nName: torch-tutti\nVersion: {version}\n"
                                  "Summary: Tutti as a backend of torch.distributed\nLicense: BSD-3-Clause\n").encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tutti\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    for file, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{file},sha256={digest},{len(data)}\n"
    files[f"{about}/RECORD"] = (record + f"{about}/RECORD,,\n").encode()
    wheel = f"torch_tutti-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, data in files.items():
            archive.writestr(file, data)
    return wheel
