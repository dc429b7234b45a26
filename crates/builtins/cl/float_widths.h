// Includes SELF for a scalar and for vectors of every width; see float_math.h.

#define WIDTH
#include SELF
#undef WIDTH
#define WIDTH 2
#include SELF
#undef WIDTH
#define WIDTH 3
#include SELF
#undef WIDTH
#define WIDTH 4
#include SELF
#undef WIDTH
#define WIDTH 8
#include SELF
#undef WIDTH
#define WIDTH 16
#include SELF
#undef WIDTH
