# SPDX-License-Identifier: Apache-2.0
"""The files of the project, for the checks of this folder."""
import os
import subprocess


def source_files(source, endings):
    """Returns the sorted paths, relative to `source`, of the files with one of the endings. Files that git
    ignores are left out."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True).stdout.split("\n")
    if not any(listed):  # an exported tree has no index
        listed = [os.path.relpath(os.path.join(at, name), source) for at, _, names in os.walk(source)
                  for name in names if "/build" not in at]
    return sorted(path for path in listed if path.endswith(endings)
                  and os.path.exists(os.path.join(source, path)))
