/* truth.h - whether a condition of a rule holds for a call. */
#ifndef CR_TRUTH_H
#define CR_TRUTH_H

/*
 * UNCLEAR: the server could read the value in another way than we do, or it cannot be looked up. A
 * rule that allows needs YES; a rule that asks or denies also applies if the answer is UNCLEAR.
 */
enum cr_truth { CR_TRUTH_NO, CR_TRUTH_UNCLEAR, CR_TRUTH_YES };

#endif
