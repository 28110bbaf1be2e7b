#include <sys/eventfd.h>

#include "base/alarm.h"
#include "base/fail.h"
#include "client/table/state.h"

/* Flush: what an event of the manager's leads to, outside it. */

/* Observe the processes of the holder that is seen now, if they are here. */
static void
observe(struct hf_table *table, struct hf_queue *queue, bool wanted)
{
    struct hf_value value;
    bool here = false;

    hf_observer_leave(&table->observer, queue);
    if (wanted && hf_seen_value(&queue->seen, &value))
        here = hf_process_is_here(&table->self.host, value.owner.boot,
                                  value.owner.pidns);
    if (here)
        hf_observer_follow(&table->observer, queue, value.owner.processes,
                           value.owner.processes_count);
    hf_manager_observed(&table->manager, queue);
    if (wanted) /* else it may be gone */
        hf_manager_presence(&table->manager, queue, here,
                            queue->observed == NULL ? HF_PRESENCE_UNKNOWN
                                                    : queue->observed->presence,
                            hf_now());
}

void
hf_table_look_at(struct hf_table *table, struct hf_holder *holder)
{
    struct hf_link *link = holder->queues.first;

    if (!hf_observer_look(holder))
        return;
    while (link != NULL) {
        struct hf_queue *queue = HF_CONTAINER(link, struct hf_queue, peer);

        link = link->next;
        hf_manager_presence(&table->manager, queue, true, holder->presence,
                            hf_now());
    }
}

/* A clear spares a record that is not ours, unless it is forced. */
static bool
is_spared(const struct hf_query *query, const struct hf_driver *driver)
{
    const struct hf_examiner *examiner = &hf_examine_at(driver)->examiner;

    return query->kind == HF_CLEAR && !query->force &&
           examiner->found == HF_SIGHT_CORRUPT && !examiner->cleared;
}

static void
end_query(struct hf_query *query, const struct hf_driver *driver)
{
    struct hf_error error = {0};
    enum hf_status status = hf_manager_error(driver, &error);

    if (status == HF_OK && is_spared(query, driver))
        status = hf_fail(&error, HF_E_CORRUPT,
                         "lock %s: its record is not Holdfast's; only a forced "
                         "clear deletes it",
                         driver->settings->name);
    hf_query_ended(query, status, &error, NULL);
}

/* A driver that ends with its first look had no processes observed: look now.
 * Their end proves no death: no read was sent after this, so the record may be
 * another holder's by now. */
static void
look_at_processes(const struct hf_table *table, struct hf_result *result)
{
    struct hf_seen *seen = &result->seen;
    struct hf_observation observation = {.count = 0};
    struct hf_value value;

    if (seen->presence != HF_PRESENCE_UNKNOWN || !hf_seen_value(seen, &value))
        return;
    seen->here = hf_process_is_here(&table->self.host, value.owner.boot,
                                    value.owner.pidns);
    if (!seen->here)
        return;
    hf_process_observe(&observation, value.owner.processes,
                       value.owner.processes_count);
    seen->presence = hf_process_look(&observation);
    hf_process_forget(&observation);
    if (result->life == HF_LIFE_UNKNOWN && seen->presence == HF_PRESENCE_THERE)
        result->life = HF_LIFE_RUNNING;
}

static void
pass_on(const struct hf_table *table, struct hf_driver *driver)
{
    struct hf_handle *handle = driver->owner;
    unsigned news = driver->news;

    driver->news = 0;
    hf_handle_notify(handle, news & ~(unsigned)HF_NEWS_ENDED);
    if ((news & HF_NEWS_ENDED) == 0)
        return;
    if (driver->result != NULL)
        look_at_processes(table, driver->result);
    if (driver->kind == HF_DRIVER_LOCK)
        hf_client_ended(handle->client, handle);
    else
        end_query((struct hf_query *)handle, driver);
}

bool
hf_table_may_call(const struct hf_table *table)
{
    return table->calls_max == 1 ||
           table->calls - table->watching < table->calls_max - 1 ||
           hf_reached(hf_now(), hf_trouble_slow_at(&table->manager.trouble));
}

/* Beside one that watches. */
static bool
wants_call(const struct hf_table *table)
{
    return table->jobs.first != NULL || hf_batch_is_due(&table->manager) ||
           table->purge_due;
}

static bool
has_work(const struct hf_table *table)
{
    return (!table->watching && table->manager.watching_count > 0) ||
           (wants_call(table) && hf_table_may_call(table));
}

struct hf_instant
hf_table_deadline(const struct hf_table *table)
{
    struct hf_instant deadline = hf_manager_deadline(&table->manager);

    if (!wants_call(table) || hf_table_may_call(table))
        return deadline;
    return hf_earlier(deadline, hf_trouble_slow_at(&table->manager.trouble));
}

/* Is there an idle worker that may make a call? */
static bool
may_work(const struct hf_table *table)
{
    return table->idle > 0 && table->calls < table->calls_max;
}

void
hf_table_wake(struct hf_table *table)
{
    if (table->napping > 0 && may_work(table) && has_work(table))
        hf_monitor_notify(&table->client->monitor, &table->work);
}

/* A worker that naps finds the work by itself, if no caller does it first. */
static void
wake_worker(struct hf_table *table)
{
    bool news = table->manager.watches_added != table->watches_known;
    bool due = has_work(table);

    if (due && table->napping == 0 && may_work(table))
        hf_monitor_notify(&table->client->monitor, &table->work);
    else if (table->watching && (due || news))
        (void)eventfd_write(table->work_fd, 1);
}

void
hf_table_flush(struct hf_table *table)
{
    struct hf_manager *manager = &table->manager;
    struct hf_queue *queue;
    struct hf_driver *driver;
    bool wanted;

    while ((queue = hf_manager_take_observe(manager, &wanted)) != NULL)
        observe(table, queue, wanted);
    while ((driver = hf_manager_take_news(manager)) != NULL)
        pass_on(table, driver);
    if (hf_table_deadline(table).ms < table->armed.ms) {
        table->armed = hf_table_deadline(table);
        hf_alarm_set(table->alarm_fd, table->armed);
    }
    wake_worker(table);
}
