// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/uninitialized.h"

#include <cstring>

#include "runtime/files/host_pool.h"

namespace cutset {

HostTensor uninitialized(TensorType type, std::source_location source) {
  return HostTensor::undefined(std::move(type), HostPool::current(), source);
}

HostTensor copied(const HostTensor& tensor) {
  HostTensor copy = uninitialized(tensor.type());
  if (!tensor.bytes().empty()) std::memcpy(copy.data(), tensor.data(), tensor.bytes().size());
  return copy;
}

}  // namespace cutset
