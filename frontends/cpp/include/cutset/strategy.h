// SPDX-License-Identifier: Apache-2.0
// Strategies as values: cutset::Strategy and its terms Data, Pipeline, Model, TensorParallel and OneDevice.
#pragma once
#include "graph/config/strategy.h"
