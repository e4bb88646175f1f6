/* A library that has the name of a backend and exports no symbol. */
extern const int cutset_no_symbol;
const int cutset_no_symbol = 1;
