#ifndef HF_SERVER_BROWSER_H
#define HF_SERVER_BROWSER_H

#include "net/http.h"

/*
 * Browser: was a request made by a page that a browser shows?  The author of
 * the page would act with the reach of the browser's user, which may include
 * this server's loopback.  No page has anything to ask here.
 *
 * Each of three things alone shows such a request: an Origin; a Sec-Fetch-Site
 * other than the browser's own, "none" or "same-origin"; and a body of one of
 * the three types that a form can send, and a script can send without a
 * preflight (Fetch, 2.2.2: a safelisted content type).  `curl -d` gives any
 * body such a type, so the last is allowed where the user agent is curl: no
 * page chooses its browser's name.
 *
 * Plain functions.  Any thread.
 */

/* Why it is such a request, for people; NULL: nothing shows that. */
const char *hf_browser_why(const struct hf_http_request *request);

#endif
