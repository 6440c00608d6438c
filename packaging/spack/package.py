"""The recipe of runcast for Spack: `spack repo create here`, this file as packages/runcast/package.py, RUNCAST_GIT=CLONE.

RUNCAST_GIT is the address or the folder of the repository.
"""

import os

from spack.package import *


class Runcast(CargoPackage):
    """Forecasts how parallel programs run on machines their users do not have."""

    git = os.environ.get("RUNCAST_GIT", "file:///opt/runcast.git")

    license("MIT OR Apache-2.0")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("mpi", default=False, description="Ranks of MPI as workers of the skeleton and of wavefront runs")
    variant("serve", default=True, description="The web application")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("rust@1.92:", type="build")
    depends_on("node-js@20.19:", type="build", when="+serve")
    depends_on("npm", type="build", when="+serve")
    depends_on("mpi", when="+mpi")
    depends_on("llvm+clang", type="build", when="+mpi")

    @property
    def build_args(self):
        features = ["methods", "parquet"]
        features += [name for name in ("serve", "mpi") if self.spec.satisfies(f"+{name}")]
        return ["--locked", "--path", "crates/cli", "--no-default-features", "--features", ",".join(features)]

    def install(self, spec, prefix):
        cargo("install", "--root", prefix, *self.build_args)
        runcast = Executable(prefix.bin.runcast)
        mkdirp(prefix.share.man.man1)
        runcast("man", prefix.share.man.man1)
        for shell, folder, name in (
            ("bash", "bash-completion/completions", "runcast"),
            ("zsh", "zsh/site-functions", "_runcast"),
            ("fish", "fish/vendor_completions.d", "runcast.fish"),
        ):
            mkdirp(join_path(prefix.share, folder))
            with open(join_path(prefix.share, folder, name), "w") as file:
                runcast("completions", shell, output=file)

    def check(self):
        cargo("test", "--lib", "-p", "runcast-formula", "-p", "runcast-core")
