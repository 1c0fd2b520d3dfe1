import { assert, describe, it } from "@effect/vitest"
import { arrangeBoard, type RunningTask } from "../../web/src/workers/board.ts"
import type { Worker } from "../../web/src/workers/workers.ts"

const task = (id: string, worker_name: string | null): RunningTask => ({
  id,
  engine: "celery",
  task_id: id,
  name: "shop.pay",
  queue: null,
  priority: "normal",
  worker_name,
  started_at: null
})

/** Only these fields are read. */
const worker = (name: string, state: string) => ({ engine: "celery", name, state, concurrency: 4 }) as Worker

describe("the board of what runs now", () => {
  it("groups by worker in the order of the longest task, marks those of absent workers, and ends with idle workers", () => {
    const tasks = [task("1", "b"), task("2", "a"), task("3", "b"), task("4", null)]
    const lines = arrangeBoard(tasks, [
      worker("a", "online"),
      worker("b", "offline"),
      worker("c", "online"),
      worker("d", "gone")
    ], false)
    assert.deepStrictEqual(
      lines.map((line) => line.kind === "worker" ? [line.name, line.busy] : [line.task.id, line.isStale]),
      [["b", 2], ["1", true], ["3", true], ["a", 1], ["2", false], [null, 1], ["4", false], ["c", 0]]
    )
  })

  it("counts by the worker's own report where more tasks run than are loaded", () => {
    const [first, , idle] = arrangeBoard(
      [task("1", "a")],
      [{ ...worker("a", "online"), active_tasks: 7 }, { ...worker("b", "online"), active_tasks: null }],
      true
    )
    assert.deepInclude(first, { name: "a", busy: 7 })
    assert.deepInclude(idle, { name: "b", busy: null })
  })
})
