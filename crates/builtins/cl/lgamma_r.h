// lgamma_r of floats, for an lgamma_of. To be included for each WIDTH.

#define LGAMMA_R(SPACE) \
  OVERLOAD F lgamma_r(F x, SPACE I *sign) { \
    F below = __builtin_elementwise_floor(x), half_below = 0.5f * below; \
    I minus = (x < 0.0f) & (below != x) & (__builtin_elementwise_floor(half_below) != half_below); \
    *sign = minus != 0 ? (I)-1 : (I)1; \
    return lgamma_of(x); \
  }
ADDRESS_SPACES(LGAMMA_R)
#undef LGAMMA_R
