// lgamma_r of floats, by a call of lgamma.

#ifndef WIDTH
#include "../float_math.h"
#define SELF "without_double/lgamma_r.cl"
#include "../float_widths.h"
#else

OVERLOAD F lgamma(F x);
#define lgamma_of(x) lgamma(x)
#include "../lgamma_r.h"
#undef lgamma_of

#endif
