#ifndef HF_SERVER_BROWSER_H
#define HF_SERVER_BROWSER_H

#include "net/http.h"

/*
 * Browser: was a request made by a page that somebody looks at?  Whoever wrote
 * that page would act with the reach of who looks at it, which is this server's
 * loopback.  No page of a browser has anything to ask here.
 *
 * Three things give one away, each without the others: an Origin; a
 * Sec-Fetch-Site that is not the browser's own, "none" or "same-origin"; and a
 * body of one of the three types that a form can send, and a script without
 * being asked for (Fetch, 2.2.2: a safelisted content type).  The last is also
 * what `curl -d` says of any body: so it is let pass where curl itself asks,
 * for no page chooses how its browser calls itself.
 *
 * Plain functions.  Any thread.
 */

/* Why it is one, for people; NULL: nothing says so. */
const char *hf_browser_why(const struct hf_http_request *request);

#endif
