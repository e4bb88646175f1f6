// SPDX-License-Identifier: Apache-2.0
// This header is included before every file of the compiler in a build with AddressSanitizer. The allocator
// of LLVM, whose code is in headers, marks memory that is not in use as inaccessible. libMLIR is not built
// with AddressSanitizer, so it does not take the mark off when it writes there. Without this header, each
// such write would be reported.
#pragma once
#include <llvm/Support/Compiler.h>
#define __asan_poison_memory_region(memory, size) static_cast<void>(size)
