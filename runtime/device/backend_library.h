// SPDX-License-Identifier: Apache-2.0
// Finds and loads backends, which are shared libraries, and checks their tables before any of their functions
// is called. A backend is never unloaded.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "ir/core/result.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {

struct BackendFile {
  std::filesystem::path path;
  std::filesystem::path
      hidden;  // the backend of this kind in this library's folder that `path` replaces; empty: none
};

// Returns the backends that are installed, by the kind of their devices. They are the files
// libcutset_device_KIND.so in the folders of the environment variable CUTSET_BACKEND_PATH (separated by
// colons) and in the folder of this library. If several folders have a backend of the same kind, the backend
// in the first folder is used.
std::map<std::string, BackendFile> find_backends();
// Returns the same, with an empty path for each kind whose backend is part of this project and is not
// installed.
std::map<std::string, BackendFile> find_backends_and_expected();

// Returns the backend for devices of `kind`. It is loaded when it is first needed. Any thread may call this
// function. Fails if there is no such backend or if it cannot be loaded or is not complete (check_backend).
Result<const cutset_backend*> load_backend(const std::string& kind);

// Fails, naming the file and the field, if the table of a backend has another version, is too short, or has a
// null or wrong field. `kind` is the kind in the name of the file.
Status check_backend(const cutset_backend& backend, const std::string& kind, const std::string& file);

// Checks the result `info` of `describe`, which was called with `asked`. Fails, naming the device and the
// field, on a value that cutset_device_info does not allow.
Status check_description(const cutset_device_info& asked, const cutset_device_info& info,
                         const std::string& device);

}  // namespace cutset
