/* The C types that cross the device ABI and that the generated attribute structs consist of.
 *
 * The header is plain C99 and includes only the standard library, so that a device written in C can include it through
 * runtime/abi/cutset_device.h. */
#ifndef CUTSET_IR_CORE_ABI_TYPES_H
#define CUTSET_IR_CORE_ABI_TYPES_H
#include <stddef.h>
#include <stdint.h>

/* Element types. The numbers are part of the ABI and of saved programs: new types are appended, and no type is ever
 * renumbered. The integers are signed except u8. */
typedef enum {
  CUTSET_F32 = 0,
  CUTSET_BF16 = 1,
  CUTSET_F16 = 2,
  CUTSET_F64 = 3,
  CUTSET_I8 = 4,
  CUTSET_U8 = 5,
  CUTSET_I32 = 6,
  CUTSET_I64 = 7,
  CUTSET_I1 = 8 /* a bool: one byte per element, 0 or 1 */
} cutset_dtype;

/* A list of integers, such as the axes of a reduction. The code that fills in the enclosing struct owns the
 * memory that `data` points to. The memory is valid as long as that struct exists. */
typedef struct {
  const int64_t* data;
  size_t size;
} cutset_i64s;

#endif
