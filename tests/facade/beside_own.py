"""Runs a program of another MPI library under that library's own mpirun and under tuttirun.

The program's first argument is a folder, in which each rank reports what its calls have answered, a line a call.
"""
import difflib
import os
import pathlib
import shutil
import subprocess
import sys


def skip_without(test, *commands):
    for command in commands:
        if shutil.which(command) is None:
            print(f"{test}: skipped: there is no {command}")
            sys.exit(77)


def reports(command, program, folder, arguments, ranks, expect_failure=False):
    """What each rank reported; an error where the program ended badly."""
    folder.mkdir()
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader",
                       # A job of Open MPI's that aborts leaves its shared memory.
                       OMPI_MCA_btl_vader_backing_directory=str(folder.parent))
    # Tests run with the folders of the facades in it, which are tuttirun's to put in.
    environment.pop("LD_LIBRARY_PATH", None)
    try:
        result = subprocess.run([*command, "-n", str(ranks), program, folder, *arguments], env=environment,
                                capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
        ending, words = result.returncode, (result.stdout + result.stderr)[-3000:]
    except subprocess.TimeoutExpired as error:
        ending, words = "none in 100 seconds", str(error.output)[-3000:]
    said = {path.name: path.read_text(errors="replace").splitlines() for path in sorted(folder.iterdir())}
    if (ending != 0) != expect_failure:
        last = "".join(f"\nrank {rank} reported last: {lines[-1] if lines else 'nothing'}"
                       for rank, lines in said.items())
        return said, f"{command[0]} -n {ranks} {program.name} {' '.join(arguments[:3])}: status {ending}: {words}{last}"
    return said, None


def compared(family, tuttirun, program, folder, arguments, ranks):
    """Where the reports differ, and how the programs ended badly."""
    place = folder / f"{program.name}_{ranks}"
    theirs, error = reports([f"mpirun.{family}"], program, place.with_suffix(".own"), arguments, ranks)
    wrong = [error] if error else []
    mine, error = reports([tuttirun], program, place.with_suffix(".tutti"), arguments, ranks)
    wrong += [error] if error else []
    for rank in sorted(theirs.keys() | mine.keys()):
        lines = list(difflib.unified_diff(theirs.get(rank, []), mine.get(rank, []), "own", "on Tutti", lineterm="",
                                          n=1))
        wrong += [f"{program.name}, rank {rank} of {ranks}:"] + lines if lines else []
    return wrong


def both_abort(family, tuttirun, program, folder, arguments):
    wrong = []
    for command in (f"mpirun.{family}", tuttirun):
        place = folder / f"{program.name}_abort_{pathlib.Path(command).name}"
        _, error = reports([command], program, place, arguments, 2, expect_failure=True)
        wrong += [f"MPI_Abort: {error}"] if error else []
    return wrong
