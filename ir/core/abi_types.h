// SPDX-License-Identifier: Apache-2.0
/* The C types that cross the device ABI and that the generated attribute structs consist of.
 *
 * The header is plain C99 and includes only the standard library, so that a device written in C can include
 * it through runtime/abi/cutset_device.h. */
#ifndef CUTSET_IR_CORE_ABI_TYPES_H
#define CUTSET_IR_CORE_ABI_TYPES_H
#include <stddef.h>
#include <stdint.h>

/* Element types. The numbers are part of the ABI and of saved programs: new types are appended, and no type
 * is ever renumbered. I and U are signed and unsigned integers. */
typedef enum {
  CUTSET_F32 = 0,
  CUTSET_BF16 = 1,
  CUTSET_F16 = 2,
  CUTSET_F64 = 3,
  CUTSET_I8 = 4,
  CUTSET_U8 = 5,
  CUTSET_I32 = 6,
  CUTSET_I64 = 7,
  CUTSET_I1 = 8, /* a bool: one byte per element, 0 or 1 */
  CUTSET_I16 = 9,
  CUTSET_U16 = 10,
  CUTSET_U32 = 11,
  CUTSET_U64 = 12
} cutset_dtype;

/* A list of integers, such as the axes of a reduction, a list of numbers, and a text, which may contain any
 * byte. The code that fills in the enclosing struct owns the memory that `data` points to. The memory is
 * valid as long as that struct exists. */
typedef struct {
  const int64_t* data;
  size_t size;
} cutset_i64s;
typedef struct {
  const double* data;
  size_t size;
} cutset_f64s;
typedef struct {
  const char* data;
  size_t size;
} cutset_string;

#endif
