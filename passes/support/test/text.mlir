// SPDX-License-Identifier: Apache-2.0
// Text that could crash or hang MLIR's parser is refused before the parser runs.
// RUN: printf 'ML\357R\r\001' | not cutset-opt - 2>&1 | FileCheck %s --check-prefix=BYTECODE
// RUN: printf '\n#a = affine_map<(d0) -> (d0)>\n' | not cutset-opt - 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: printf 'module attributes {a = affine_map<(d0) -> (----d0)>} {}' | not cutset-opt - 2>&1 | FileCheck %s --check-prefix=AFFINE
// RUN: printf 'module attributes {a = array<index: 2, 3>} {}' | not cutset-opt - 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: printf 'module attributes {a = array< index i64: 0>} {}' | not cutset-opt - 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: printf '%%0300d' 0 | tr 0 '(' | not cutset-opt - 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: printf 'module attributes {a = %%05000d} {}' 7 | not cutset-opt - 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not cutset-opt %s.absent 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: cutset-opt %s | FileCheck %s

// BYTECODE: cutset-opt: error: -: the input is MLIR bytecode; cutset-opt reads text only
// ALIAS: line 2: an alias
// AFFINE: line 1: an affine map or set
// ARRAY: line 1: the element type of an array must be i1, i8, i16, i32, i64, f32 or f64
// DEEP: line 1: brackets nest deeper than 200
// LONG: line 1: a word has 5000 bytes; the limit is 4096
// ABSENT: cutset-opt: error: {{.*}}text.mlir.absent
// CHECK: attributes {cutset.array = array<i64: 1>, cutset.text = "# affine_map ({[<"}
module attributes {cutset.array = array<i64: 1>, cutset.text = "# affine_map ({[<"} {}
