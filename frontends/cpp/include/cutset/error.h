// cutset::Error, the one exception that the functions and values of the public headers throw.
#pragma once
#include "ir/core/error.h"
