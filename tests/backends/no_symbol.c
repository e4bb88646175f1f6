/* A library with the name of a backend that exports nothing. */
extern const int cutset_no_symbol;
const int cutset_no_symbol = 1;
