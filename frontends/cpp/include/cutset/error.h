// cutset::Error, the only exception type of the public headers.
#pragma once
#include "ir/core/error.h"
