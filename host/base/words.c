/* words.c - the words of the library. */
#include "base/words.h"

#define WORD(name, library, command) library,
const char *const cr_words[CR_WORD_COUNT] = {CR_WORDS(WORD)};
