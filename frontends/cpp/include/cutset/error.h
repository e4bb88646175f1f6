// SPDX-License-Identifier: Apache-2.0
// cutset::Error, the only exception type of the public headers.
#pragma once
#include "ir/core/error.h"
