import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertTasks, storedTask } from "../../tasks.ts"

const start = Date.parse("2026-06-01T12:00:00Z")

describe.each(laneEngines)("what runs now on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("lists what runs, the longest first", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const running = (seconds: number, name: string) =>
          storedTask(project.id, start, {
            name,
            state: "started",
            worker_name: "w1@box",
            started_at: `2026-06-01T12:00:${String(seconds).padStart(2, "0")}.000000Z`,
            finished_at: null,
            runtime_ms: null
          })
        yield* insertTasks([running(30, "young"), running(10, "old"), storedTask(project.id, start, { name: "ended" })])
        const { json } = yield* request("GET", `/projects/${project.slug}/running-tasks`, { token })
        const { items, total } = json
        assert.deepStrictEqual([items[0].name, items[1].name, items.length, total], ["old", "young", 2, 2])
        assert.hasAllKeys(items[0], [
          "id",
          "engine",
          "task_id",
          "name",
          "queue",
          "priority",
          "worker_name",
          "started_at"
        ])
      }))
  })
})
