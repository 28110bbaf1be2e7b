#include <sys/epoll.h>

#include "base/alarm.h"
#include "client/table/state.h"

/* The loop: the thread of a client that tells the manager the time. */

#define EVENTS_MAX 64

/* Read under the mutex, so that each number is of a holder that is there, or of
 * none. */
static void
take_events(struct hf_table *table)
{
    struct epoll_event events[EVENTS_MAX];
    int count = epoll_wait(table->epoll_fd, events, EVENTS_MAX, 0);

    for (int i = 0; i < count; i++) {
        struct hf_holder *holder =
            hf_observer_find(&table->observer, events[i].data.u64);

        if (holder != NULL)
            hf_table_look_at(table, holder);
    }
}

static void
arm(struct hf_table *table)
{
    table->armed = hf_table_deadline(table);
    hf_alarm_set(table->alarm_fd, table->armed);
}

void *
hf_loop_main(void *arg)
{
    struct hf_table *table = arg;

    hf_monitor_enter(&table->client->monitor);
    while (!table->stopping) {
        arm(table);
        hf_client_sleep(table->client, table->epoll_fd, table->alarm_fd);
        take_events(table);
        hf_client_take_signals(table->client);
        hf_manager_tick(&table->manager, hf_now());
        hf_table_flush(table);
    }
    hf_monitor_leave(&table->client->monitor);
    return NULL;
}
