/* What a program with more rights than its caller takes from the caller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <holdfast/holdfast.h>

enum { CALLER = 20001, OWNER = 20002, NOT_DONE = 99 };

static char here[] = "here";

/* This program, run as a setuid program is: by one user, as another. */
static void
run_as_another(void)
{
    char *const words[] = {here, here, NULL};
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    setenv("HOLDFAST_AT", "memory:callers", true);
    setenv("HOME", "/callers", true);
    if (setresgid(CALLER, OWNER, OWNER) == 0 &&
        setresuid(CALLER, OWNER, OWNER) == 0)
        fexecve(self, words, environ);
    _exit(NOT_DONE);
}

/* There, no place is found: neither the caller's, nor one of a user that has
 * no home. */
static int
open_by_default(void)
{
    struct hf_client *client = NULL;
    enum hf_status status = hf_client_new(NULL, &client, NULL);

    if (status == HF_OK)
        status = hf_client_open(client, NULL, NULL);
    (void)hf_client_close(client, HF_FOREVER);
    return (int)status;
}

static void
a_setuid_program_takes_no_place_from_its_caller(void **state)
{
    int status = -1;
    pid_t child;

    (void)state;
    if (geteuid() != 0) {
        print_message("needs root, to become two others\n");
        skip();
    }
    child = fork();
    if (child == 0)
        run_as_another();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), HF_E_INVALID);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setuid_program_takes_no_place_from_its_caller),
    };

    if (argc > 1 && strcmp(argv[1], here) == 0)
        _exit(open_by_default()); /* nothing is looked for at its end */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
