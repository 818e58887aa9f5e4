"""A port for a program that listens a little later: none that the system gives to others meanwhile."""
import random
import socket


def free_port():
    # The system's own choices lie in a range, mostly from 32768 on.
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        lowest = int(file.read().split()[0])
    below = range(10_000, lowest) if lowest > 12_000 else range(61_000, 65_536)
    while True:
        port = random.choice(below)
        with socket.socket() as tried:
            try:
                tried.bind(("", port))
                return port
            except OSError:
                continue


if __name__ == "__main__":
    print(free_port())
