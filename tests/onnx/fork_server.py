# SPDX-License-Identifier: Apache-2.0
"""Starts many processes of a program without loading its libraries again (fork_server.cc)."""
import os
import struct
import subprocess

SIZE = struct.Struct("q")
RESULT = struct.Struct("qqq")  # Result in fork_server.cc


class ForkServer:
    """A process of `program` that has loaded `libraries` and forks a process for each call of run().
    `preload` is the library that fork_server.cc is built to."""

    def __init__(self, program, preload, libraries):
        self.environment = dict(os.environ)
        variables = dict(self.environment, LD_PRELOAD=preload, FORK_SERVER_LIBRARIES=":".join(libraries))
        self.server = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       env=variables)

    def run(self, arguments, folder, out, error, cpu_seconds=0, memory=0, file_size=0, seconds=0,
            **variables):
        """Runs the program in a folder, with limits that are 0 for none. Returns its exit code, or minus the
        number of the signal that ended it, its CPU time in seconds, and the bytes of its largest resident
        set. The pages of libraries that it shares with the server do not count. A process that reaches the
        limit `seconds` is killed, and its code is -SIGALRM."""
        environment = [f"{name}={value}" for name, value in {**self.environment, **variables}.items()]
        texts = [folder, out, error, cpu_seconds, memory, file_size, seconds, len(arguments), *arguments,
                 *environment]
        request = b"".join(os.fsencode(str(text)) + b"\0" for text in texts)
        try:
            self.server.stdin.write(SIZE.pack(len(request)) + request)
            self.server.stdin.flush()
            answer = self.server.stdout.read(RESULT.size)
        except BrokenPipeError:
            answer = b""
        if len(answer) != RESULT.size:
            raise RuntimeError(f"the fork server ended with {self.server.wait()} before it answered the "
                               f"request {arguments}")
        status, microseconds, peak = RESULT.unpack(answer)
        return os.waitstatus_to_exitcode(status), microseconds / 1e6, peak

    def close(self):
        """Ends the server, and returns its exit code."""
        self.server.communicate()
        return self.server.returncode
