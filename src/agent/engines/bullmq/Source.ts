import { Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { ActionFailed } from "../../runtime/Engine.ts"
import { runScript } from "./Backend.ts"
import { write } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"

/** The name that the key has, after this call at the latest. */
const NAME_SOURCE = {
  name: "svcNameSource",
  lua: `redis.call("SET", KEYS[1], ARGV[1], "NX")
return redis.call("GET", KEYS[1])`
}

/**
 * What names the Redis and the prefix of the queues: job ids are unique only within these, and every host's Redis may be
 * called `redis:6379`. The first agent writes the key; agents with one Redis read the same. Waits until the engine has
 * started.
 */
export const sourceOf = (context: EngineContext): Effect.Effect<string, ActionFailed> =>
  Effect.suspend(() => {
    const [queue] = context.queues.values()
    if (queue === undefined) return Effect.fail(new ActionFailed({ message: "the engine has not started yet" }))
    const key = `${queue.opts.prefix ?? "bull"}:svc:source`
    return write(async () => String(await runScript(queue, NAME_SOURCE, key, randomUUID())))
  }).pipe(Effect.retry(Schedule.spaced("100 millis")))
