/* The few C types that cross the device ABI and that generated attribute structs are made of.
 * Plain C99, no dependency: a device written in C includes this through runtime/abi/cutset_device.h. */
#ifndef CUTSET_IR_CORE_ABI_TYPES_H
#define CUTSET_IR_CORE_ABI_TYPES_H
#include <stddef.h>
#include <stdint.h>

/* Element types. The numbers are part of the ABI and of saved programs: append, never renumber. */
typedef enum {
  CUTSET_F32 = 0,
  CUTSET_BF16 = 1,
  CUTSET_F16 = 2,
  CUTSET_F64 = 3,
  CUTSET_I8 = 4,
  CUTSET_U8 = 5,
  CUTSET_I32 = 6,
  CUTSET_I64 = 7,
  CUTSET_I1 = 8 /* one byte an element, 0 or 1 */
} cutset_dtype;

/* A list of integers; borrowed from whoever filled the struct it stands in. */
typedef struct {
  const int64_t* data;
  size_t size;
} cutset_i64s;

#endif
