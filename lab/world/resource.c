#include "lab/world/resource.h"

#include "lab/world/promise.h"

/* Of the resource, and of each worker. */
enum { OWN_BYTES = 2, WRITE_BYTES = 4 };

void
resource_grant(struct world *world, unsigned worker)
{
    struct world_resource *r = &world->resource;

    if (world->config->resource != RESOURCE_NONE)
        r->writes[worker].holds = ++r->grants;
}

bool
resource_may_send(const struct world *world, unsigned worker)
{
    const struct world_worker *w = &world->workers[worker];

    return world->config->resource != RESOURCE_NONE && w->alive && !w->frozen &&
           w->in_section && !world->resource.writes[worker].out;
}

void
resource_send(struct world *world, unsigned worker)
{
    struct world_write_out *write = &world->resource.writes[worker];

    write->out = true;
    write->grant = write->holds;
    write->fence = world->workers[worker].contender.keeper.token;
}

bool
resource_may_arrive(const struct world *world, unsigned worker)
{
    return worker < world->config->workers &&
           world->resource.writes[worker].out;
}

bool
resource_takes(const struct world *world, unsigned worker)
{
    return world->config->resource == RESOURCE_UNFENCED ||
           world->resource.writes[worker].fence >= world->resource.fence;
}

void
resource_arrive(struct world *world, unsigned worker)
{
    struct world_resource *r = &world->resource;
    struct world_write_out *write = &r->writes[worker];
    bool taken = resource_takes(world, worker);

    promise_resource(world, write->grant, taken);
    if (taken && write->fence > r->fence)
        r->fence = write->fence;
    if (taken && write->grant > r->grant)
        r->grant = write->grant;
    *write = (struct world_write_out){.holds = write->holds};
}

/* ---- Packing ------------------------------------------------------------ */

size_t
resource_size(const struct world_config *config)
{
    if (config->resource == RESOURCE_NONE)
        return 0;
    return OWN_BYTES + config->workers * WRITE_BYTES;
}

/* Is anybody known whose write would come after one that was taken? */
static bool
is_behind(const struct world *world, unsigned worker)
{
    const struct world_resource *r = &world->resource;
    const struct world_write_out *write = &r->writes[worker];

    return (write->out &&
            (write->grant < r->grant || write->fence < r->fence)) ||
           (write->holds != 0 &&
            (write->holds < r->grant ||
             world->workers[worker].contender.keeper.token < r->fence));
}

void
resource_strip(struct world *world)
{
    struct world_resource *r = &world->resource;
    bool behind = false;

    if (world->config->resource == RESOURCE_NONE)
        return;
    for (unsigned i = 0; i < world->config->workers; i++) {
        if (!world->workers[i].in_section)
            r->writes[i].holds = 0;
        behind = behind || is_behind(world, i);
    }
    if (!behind)
        r->fence = r->grant = 0;
}

void
resource_collect(const struct world *world, struct names *names)
{
    const struct world_resource *r = &world->resource;

    if (world->config->resource == RESOURCE_NONE)
        return;
    ranks_add(&names->versions, r->fence);
    ranks_add(&names->grants, r->grant);
    for (unsigned i = 0; i < world->config->workers; i++) {
        ranks_add(&names->versions, r->writes[i].fence);
        ranks_add(&names->grants, r->writes[i].grant);
        ranks_add(&names->grants, r->writes[i].holds);
    }
}

static unsigned
most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

void
resource_code(struct coder *coder, struct world *world)
{
    struct world_resource *r = &world->resource;

    if (world->config->resource == RESOURCE_NONE)
        return;
    CODE_VERSION(coder, r->fence);
    CODE_RANK(coder, grants, r->grant);
    r->grants = r->grant;
    for (unsigned i = 0; i < world->config->workers; i++) {
        struct world_write_out *write = &r->writes[coder_worker(coder, i)];

        CODE(&coder->codec, write->out);
        CODE_VERSION(coder, write->fence);
        CODE_RANK(coder, grants, write->grant);
        CODE_RANK(coder, grants, write->holds);
        r->grants = most(r->grants, most(write->grant, write->holds));
    }
}
