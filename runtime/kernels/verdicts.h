// SPDX-License-Identifier: Apache-2.0
// Whether the kernels of a device compute what the reference kernels compute. Our own machines cannot show
// this for every GPU, driver and version of a library, so the first use of a kernel on such a device checks
// it: the kernel and the reference kernel run the fixed test problems of the op, and their results are
// compared.
//
// The verdict is kept in a file, by the identity that the kernel reports (cutset_kernel::identity), the name
// of the kernel, and the size and time of the library that contains it. The files lie in `cutset/verdicts`
// below XDG_CACHE_HOME or ~/.cache. The environment variable CUTSET_VERDICTS names another folder; if it is
// empty, nothing is kept and every process checks again. If a file cannot be read or written, the kernel is
// checked again.
#pragma once
#include <string>

#include "runtime/device/open_device.h"

namespace cutset {

// Returns why the kernel must not be used on the device: its results differ. Returns an empty string if the
// kernel may be used: its results are correct, or it reports no identity, or it supports none of the test
// problems. The comparison runs on `queue`, a queue of the device that is not in use. Fails if the device
// cannot tell the identity, or if a test problem cannot be run, for example without memory; the device may
// not be usable afterwards, so no other kernel is tried. Any thread may call it.
Result<std::string> find_fault(OpenDevice& device, cutset_queue queue, const cutset_kernel* kernel);

}  // namespace cutset
