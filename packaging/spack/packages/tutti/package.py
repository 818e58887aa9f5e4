# spack repo add packaging/spack && spack install tutti
import os

from spack.package import *


class Tutti(MesonPackage):
    """Message passing for CPU clusters: a C++20 interface, MPI's standard ABI, and a launcher."""

    # Of the tree that the recipe lies in. A site that has a copy elsewhere writes its address here.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 4))
    version("main", branch="main")

    variant("top", default=True, description="The live view of tuttirun --top")
    variant("fortran", default=True, description="MPI's modules for the Fortran compiler")
    variant("fabric", default=True, description="RDMA networks through libfabric at run time")

    depends_on("meson@1.0:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("help2man", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("fmt@9:")
    depends_on("hwloc@2:")
    depends_on("libsodium")
    depends_on("pmix@4.2:")
    depends_on("elfutils")
    # Its headers are needed in any case.
    depends_on("libfabric@1.17:", type=("build", "run"), when="+fabric")
    depends_on("libfabric@1.17:", type="build", when="~fabric")
    depends_on("ncurses", when="+top")

    conflicts("%gcc@:11", msg="Tutti is written in C++20, which g++ 12 is the first to know well enough")

    def meson_args(self):
        fortran = self.compiler.fc if self.spec.satisfies("+fortran") else ""
        return ["-Dtests=disabled", "-Dtorch=disabled", "-Dfortran=" + (fortran or ""),
                "-Dtop=" + ("enabled" if self.spec.satisfies("+top") else "disabled"), "-Dwerror=false"]
