#ifndef HF_TEST_SUPPORT_MAIN_H
#define HF_TEST_SUPPORT_MAIN_H

/*
 * Included by the compiler before each test file of a folder's program: the
 * file's main() is one function of many there.  HF_MAIN is the file's name.
 */
int HF_MAIN(void);
#define main HF_MAIN

#endif
