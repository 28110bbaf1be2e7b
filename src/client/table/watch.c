#include "client/table/state.h"

/* Watching: what is known of a holder, as a view; why nothing is, the place
 * itself says. */

struct hf_view *
hf_table_watch(struct hf_table *table, const struct hf_driver *driver)
{
    struct hf_view *view = hf_view_new(table->client->alloc, HF_VIEW_DIAGNOSIS);
    struct hf_diagnosis *diagnosis;

    if (view == NULL)
        return NULL;
    diagnosis = &view->diagnosis;
    if (!hf_manager_diagnose(&table->manager, driver, hf_now(), diagnosis)) {
        hf_view_free(view);
        return NULL;
    }
    if (driver->kind == HF_DRIVER_EXAMINE)
        view->cleared = hf_examine_at(driver)->examiner.cleared;
    if (!driver->ended && table->store != NULL && !diagnosis->record.corrupt &&
        hf_manager_is_unanswered(driver))
        hf_trouble_tell(&table->manager.trouble, table->store,
                        table->client->place, &diagnosis->error);
    return view;
}
