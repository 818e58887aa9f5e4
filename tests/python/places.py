"""Waits for ever, or crashes, at places whose lines the test knows by their comments. usage: places.py LIBMPI_ABI CASE"""
import ctypes
import sys
import threading
import time

mpi = ctypes.CDLL(sys.argv[1])
WORLD = ctypes.c_void_p(0x101)  # MPI_COMM_WORLD
case = sys.argv[2]


def frame_at(frame):
    """The interpreter's own frame of a Python frame."""
    return ctypes.c_uint64.from_address(id(frame) + 24).value


def damage():
    code, previous = (32, 48) if sys.version_info < (3, 12) else (0, 8)
    frame = sys._getframe(1)
    if case == "circle":
        ctypes.c_uint64.from_address(frame_at(frame) + previous).value = frame_at(frame)
    if case == "wild":
        ctypes.c_uint64.from_address(frame_at(frame.f_back) + code).value = 0x5eed


def descend(depth):
    if depth > 0:
        return descend(depth - 1)
    damage()
    if case == "crash":
        ctypes.string_at(8)  # line of crash
    mpi.MPI_Barrier(WORLD)  # line of barrier


class Größe:
    def tauscht(
            self):
        # The table of lines has entries of all kinds for this.
        values = [value for value in range(10)
                  if value % 2]
        try:
            with open("/dev/null"):
                descend(
                    len(values))  # line of exchange, or that above
        finally:
            pass


mpi.MPI_Init(None, None)
rank = ctypes.c_int()
mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
if rank.value == 0:
    def linger():
        time.sleep(1000)  # line of thread
    threading.Thread(target=linger, daemon=True).start()
    Größe().tauscht()  # line of module
else:
    message = ctypes.create_string_buffer(8)
    mpi.MPI_Recv(message, 1, ctypes.c_void_p(0x247), 0, 5, WORLD, None)  # line of receive
