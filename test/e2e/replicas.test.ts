import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { signedIn } from "./brainProcess.ts"
import { celeryWorker } from "./celery.ts"
import { site } from "./site.ts"

const ready = await has("Redis", "Python")

describe.skipIf(!ready)("two brains over one PostgreSQL", () => {
  it.scopedLive(
    "a command posted at one reaches the Celery agent at the other, and both show its end",
    () =>
      Effect.gen(function*() {
        const shared = yield* site("PostgreSQL")
        const one = yield* shared.brain
        const other = yield* shared.brain
        const callAt = yield* signedIn(one)
        const [atOne, atOther] = [callAt(one), callAt(other)]
        const created = yield* atOne("POST", "/projects/default/agents", { name: "celery" })
        const agentId = String(created.json.agent.id)
        const celery = yield* celeryWorker({
          brainUrl: one.url,
          project: "default",
          agentId,
          token: created.json.token,
          hmacSecret: created.json.hmac_secret,
          redisDatabase: 15,
          node: "w1@replicas"
        })
        // presence is what every replica sees
        yield* until(atOther("GET", "/projects/default/agents"), ({ json }) => json[0]?.state === "online").pipe(
          Effect.tapError(() => Effect.log(celery.log()))
        )
        const [added = ""] = yield* celery.send("add")
        yield* until(atOther("GET", `/projects/default/tasks/celery/${added}`), ({ json }) => json.state === "success")
        const posted = yield* atOther("POST", "/projects/default/commands/retry-task", {
          agent_id: agentId,
          engine: "celery",
          task_id: added,
          override_args: [40, 2],
          override_kwargs: {}
        })
        assert.strictEqual(posted.status, 202)
        for (const callOne of [atOne, atOther]) {
          const ended = yield* until(
            callOne("GET", `/projects/default/commands/${posted.json.id}`),
            ({ json }) => !["pending", "dispatched"].includes(json.status)
          )
          assert.deepInclude(ended.json, { status: "completed", error: null })
        }
      })
  )
})
