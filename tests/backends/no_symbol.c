// SPDX-License-Identifier: Apache-2.0
/* A library that has the name of a backend and exports no symbol. */
extern const int cutset_no_symbol;
const int cutset_no_symbol = 1;
