// SPDX-License-Identifier: Apache-2.0
// The interface between a compiled kernel source and the emulator of blocks. The compiler double appends a
// KernelLibrary to every source; the driver double finds it in the loaded library by its name.
//
// Each kernel source includes this header, so the header includes nothing and compiles fast.
#pragma once

namespace cutset::cuda::doubles {

inline constexpr int kKernelInterface = 1;  // the version of the declarations below

struct Index3 {
  unsigned x, y, z;
};
// threadIdx, blockIdx, blockDim and gridDim of a CUDA thread.
struct Position {
  Index3 thread, block, block_size, grid_size;
};

enum class Shuffle : int { kIndex, kUp, kDown, kXor };
// The functions with which a CUDA thread waits for other threads of its block. `line` is the line of the
// source.
struct Synchronization {
  void (*sync_block)(int line);
  void (*sync_warp)(unsigned mask, int line);
  // Returns the bits of the source lane. `operand` is the lane, the distance, or the pattern, depending on
  // the kind.
  unsigned long long (*shuffle)(Shuffle kind, unsigned mask, unsigned long long bits, int operand, int width,
                                int line);
  // Returns the lanes of the mask whose vote is true.
  unsigned (*ballot)(unsigned mask, bool vote, int line);
};

// A kernel. `call` gets one pointer per parameter, as cuLaunchKernel does; `sizes` are the parameters' sizes
// in bytes.
struct KernelEntry {
  const char* name;
  void (*call)(void** parameters);
  const unsigned* sizes;
  unsigned parameters;
};

// The kernels of one source. The emulator sets the last two members: `position` before it runs a thread.
struct KernelLibrary {
  int version;  // kKernelInterface
  unsigned kernel_count;
  const KernelEntry* kernels;
  char *shared_begin, *shared_end;  // all __shared__ variables of the source
  const Synchronization* synchronization;
  const Position* position;
};
#define CUTSET_KERNEL_LIBRARY cutset_cuda_kernel_library  // the symbol of the KernelLibrary

}  // namespace cutset::cuda::doubles
