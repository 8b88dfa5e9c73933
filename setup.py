"""Build the kernels: every Python file of src/rankwell/kernels becomes one extension module on the stable ABI.

The rest of the package is described by pyproject.toml. A compiled kernel is kept under build/kernels/, in a folder
named after everything that went into it (source, shared .pxd files, directives, flags, compiler, Cython), so an edited
kernel or a changed directive is always rebuilt, and nothing else ever is. RANKWELL_BOUNDSCHECK=1 builds kernels that
check their indices, in a folder of their own.

Cython's code of typed views is the same in all kernels. It is compiled once, as the module ``views``, which the kernels import.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sysconfig
from pathlib import Path

import Cython
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

KERNELS = "rankwell.kernels"
SOURCES = Path("src", "rankwell", "kernels")
CHECKED = os.environ.get("RANKWELL_BOUNDSCHECK") == "1"
VIEWS = f"{KERNELS}.views"
STORE = Path("build", "kernels", "checked" if CHECKED else "release")

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "initializedcheck": CHECKED,
    "wraparound": False,
    "cdivision": True,
    "show_performance_hints": not CHECKED,
}

# Free-threaded Python has no stable ABI before 3.15, so a build for it is an ordinary one.
STABLE_ABI = not sysconfig.get_config_var("Py_GIL_DISABLED")
MACROS = [("Py_LIMITED_API", "0x030B0000")] if STABLE_ABI else []


def kernel(source: Path) -> Extension:
    """The extension module of one kernel file, or of the C file that Cython makes; its path is relative, as setuptools demands."""
    return Extension(
        f"{KERNELS}.{source.stem}",
        [source.as_posix()],
        define_macros=list(MACROS),
        py_limited_api=STABLE_ABI,
    )


class BuildKernels(build_ext):
    """Compile the kernels, or take them from the store when exactly this one has been built before."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.force = True
        self.parallel = self.parallel or os.cpu_count()
        self.build_temp = str(STORE / "objects")

    def build_extensions(self) -> None:
        # products are rounded before they are added, as NumPy does it, also where one instruction would do both
        is_msvc = self.compiler.compiler_type == "msvc"
        fast = ["/O2"] if is_msvc else ["-O3", "-ffp-contract=off"]
        checked = [] if is_msvc else ["-O0", "-g0"]  # compiled in a third of the time
        for ext in self.extensions:
            # A checked kernel is run by tests only: there the time to compile it counts.
            ext.extra_compile_args = checked if CHECKED else fast
        wanted = {ext.name: self.stored(ext) for ext in self.extensions}
        kept = [ext for ext in self.extensions if wanted[ext.name].exists()]
        new = [ext for ext in self.extensions if ext not in kept]
        for ext in kept:
            target = Path(self.get_ext_fullpath(ext.name))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(wanted[ext.name], target)
        self.extensions[:] = [self.translated(ext, wanted[ext.name].parent) for ext in new]
        super().build_extensions()
        for ext in new:
            shutil.copyfile(self.get_ext_fullpath(ext.name), wanted[ext.name])
        self.extensions[:] = kept + new

    def stored(self, ext: Extension) -> Path:
        """Where the store keeps this kernel, built from this source in this way."""
        recipe = (
            DIRECTIVES,
            VIEWS,
            ext.define_macros,
            ext.extra_compile_args,
            Cython.__version__,
            platform.python_version() if not STABLE_ABI else "abi3",
            sysconfig.get_platform(),
            getattr(self.compiler, "compiler_so", self.compiler.compiler_type),
            getattr(self.compiler, "linker_so", ""),
        )
        own = [] if ext.name == VIEWS else [Path(ext.sources[0]), *sorted(SOURCES.glob("*.pxd"))]
        text = repr((recipe, [path.read_bytes() for path in own])).encode()
        name = ext.name.rpartition(".")[2]
        return (
            STORE / name / hashlib.sha256(text).hexdigest()[:16] / Path(self.get_ext_filename(ext.name)).name
        )

    def translated(self, ext: Extension, folder: Path) -> Extension:
        """The extension with C for its source; older builds of the same kernel are dropped."""
        shutil.rmtree(folder.parent, ignore_errors=True)
        [in_c] = cythonize(
            [ext],
            build_dir=str(folder),
            compiler_directives={} if ext.name == VIEWS else DIRECTIVES,
            shared_utility_qualified_name=VIEWS,
            force=True,
            quiet=True,
        )
        in_c.py_limited_api = ext.py_limited_api
        in_c._needs_stub = False  # noqa: SLF001 - setuptools sets it on what it was given, and asks for it again
        return in_c


class BuildModules(build_py):
    """Put every module into the wheel but the kernels' sources, for a wheel holds them compiled."""

    def run(self) -> None:
        # setuptools never empties this folder, so a module that is gone would still be packed.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found = super().find_package_modules(package, package_dir)
        return [row for row in found if package != KERNELS or row[1] == "__init__"]


setup(
    ext_modules=[
        kernel(SOURCES / "views.c"),
        *(kernel(path) for path in sorted(SOURCES.glob("*.py")) if path.stem != "__init__"),
    ],
    cmdclass={"build_ext": BuildKernels, "build_py": BuildModules},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE_ABI else {},
)
