#include "base/list.h"

void
hf_list_add(struct hf_list *list, struct hf_link *link)
{
    link->next = NULL;
    link->previous = list->last;
    if (list->last != NULL)
        list->last->next = link;
    else
        list->first = link;
    list->last = link;
}

void
hf_list_remove(struct hf_list *list, struct hf_link *link)
{
    if (link->next != NULL)
        link->next->previous = link->previous;
    else
        list->last = link->previous;
    if (link->previous != NULL)
        link->previous->next = link->next;
    else
        list->first = link->next;
    link->next = link->previous = NULL;
}
