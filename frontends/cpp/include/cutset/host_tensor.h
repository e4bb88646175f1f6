// SPDX-License-Identifier: Apache-2.0
// cutset::HostTensor, a tensor in host memory: the inputs and the results of a session.
#pragma once
#include "runtime/files/host_tensor.h"
