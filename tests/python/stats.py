"""Calls MPI at places whose lines the test knows by their comments. usage: stats.py LIBMPI_ABI"""
import ctypes
import sys

mpi = ctypes.CDLL(sys.argv[1])
WORLD = ctypes.c_void_p(0x101)  # MPI_COMM_WORLD


class Solver:
    def step(self):
        mpi.MPI_Barrier(WORLD)  # line of step

    def finish(self):
        for _ in range(3):
            self.step()
        mpi.MPI_Barrier(WORLD)  # line of finish


mpi.MPI_Init(None, None)
for _ in range(50):
    Solver().step()
Solver().finish()
# Code that is made again and again at the same address has lines of its own.
for number in range(20):
    exec(compile("\n" * number + "def made(): mpi.MPI_Barrier(WORLD)\nmade()", f"made{number % 2}.py", "exec"))
mpi.MPI_Barrier(WORLD)  # line of module
mpi.MPI_Finalize()
