/* No pragma of ours: comes out byte for byte. */
#include <stdio.h>
#pragma STDC FP_CONTRACT OFF
#if 0
#pragma cll F F[0]
don't
#endif
/* #pragma cll F F[0] */
static const char text[] = "\n#pragma cll F F[0]\n";
int main(void) { return puts(text) < 0; }
