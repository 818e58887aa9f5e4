#!/usr/bin/env python3
"""Writes Fortran's interface of MPI: generate.py STANDARD_TABLE OUT_FOLDER.

STANDARD_TABLE is lib/mpi/table, which has C's functions and constants. Out come mpif.h, the modules' sources mpi.f90 and
mpi_f08.f90, which have declarations only, and entries.cpp, the functions that programs call. procedures.py has the facts
of Fortran.
"""
import pathlib
import sys

# The sources' folder stays as it is.
sys.dont_write_bytecode = True

import entries
import modules
import procedures


def main():
    table, out = map(pathlib.Path, sys.argv[1:])
    found = procedures.read_procedures(table)
    (out / "entries.cpp").write_text(entries.entries(found))
    for name, text in modules.sources(table, found).items():
        (out / name).write_text(text)


if __name__ == "__main__":
    main()
