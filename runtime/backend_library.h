// Backends as files: where they lie, how they are loaded, and what is checked before any of their functions is called.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "ir/core/result.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {

struct BackendFile {
  std::filesystem::path path;
  std::filesystem::path hidden;  // the file beside this library that `path` stands in for; empty: none
};

// The backends that are here, by the kind of their devices: the libraries libcutset_device_KIND.so in the folders
// of CUTSET_BACKEND_PATH and beside this library. The first folder that has a kind wins.
std::map<std::string, BackendFile> find_backends();

// The backend for devices of `kind`, loaded once a process. Any thread may call this. A backend that is not here,
// that cannot be loaded, or that describes itself wrongly is an error that names the file and the field.
Result<const cutset_backend*> load_backend(const std::string& kind);

// Is what a backend says of itself complete? `kind` is the kind that its file's name promises.
Status check_backend(const cutset_backend& backend, const std::string& kind, const std::string& file);

// Is what `describe` made of `asked` sound? The error names the device and the field.
Status check_description(const cutset_device_info& asked, const cutset_device_info& info, const std::string& device);

}  // namespace cutset
