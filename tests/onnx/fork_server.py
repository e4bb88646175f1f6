"""Starts many processes of a program without loading its libraries again (fork_server.cc)."""
import os
import struct
import subprocess


class ForkServer:
    """Processes of `program`, which has loaded the libraries of fork_server.cc's FORK_SERVER_LIBRARIES."""

    def __init__(self, program, preload, libraries):
        self.environment = dict(os.environ)
        variables = dict(self.environment, LD_PRELOAD=preload, FORK_SERVER_LIBRARIES=":".join(libraries))
        self.server = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables)

    def run(self, arguments, folder, out, error, core_seconds=0, memory=0, file_size=0, seconds=0, **variables):
        """Runs the program in a folder, with limits that are 0 for none. Returns its exit code, or minus the number of the signal that ended it,
        the seconds of a core that it used, and the largest number of bytes that it had in memory."""
        environment = [f"{name}={value}" for name, value in {**self.environment, **variables}.items()]
        texts = [folder, out, error, core_seconds, memory, file_size, seconds, len(arguments), *arguments, *environment]
        request = b"".join(os.fsencode(str(text)) + b"\0" for text in texts)
        self.server.stdin.write(struct.pack("q", len(request)) + request)
        self.server.stdin.flush()
        status, microseconds, peak = struct.unpack("qqq", self.server.stdout.read(24))
        return os.waitstatus_to_exitcode(status), microseconds / 1e6, peak

    def close(self):
        self.server.communicate()
        return self.server.returncode
