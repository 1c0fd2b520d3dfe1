import { assert, it } from "@effect/vitest"
import type { CommandAction } from "../../../../src/domain/commands/Command.ts"
import { type WorkerFacts, writeWorkerNote } from "../../../../src/domain/commands/Command/WorkerNote.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"

const completed_at = Timestamp.fromEpochMicros(1_790_000_000_000_000)
const later = Timestamp.addSeconds(completed_at, 10)

const worker = (facts: Partial<WorkerFacts> = {}): WorkerFacts => ({
  name: "w1",
  isOnline: true,
  queues: ["celery"],
  concurrency: 2,
  process_ids: [11, 12],
  implementation: "celery.concurrency.prefork:TaskPool",
  described_at: later,
  before: { concurrency: 2, process_ids: [1, 2] },
  ...facts
})

const note = (action: CommandAction, parameters: object, facts: Partial<WorkerFacts> = {}) =>
  writeWorkerNote({ action, payload: JSON.stringify(parameters), completed_at }, worker(facts))

it("the worker's next report proves a resize, or says what did not change", () => {
  assert.isNull(note("pool_grow", { delta: 2 }, { concurrency: 4 }))
  assert.isNull(note("pool_shrink", { delta: 1 }, { concurrency: 1 }))
  assert.strictEqual(
    note("pool_grow", { delta: 2 }),
    "The worker w1 was asked to have 4 processes; its last report has 2."
  )
  for (const [module, name] of [["solo", "solo"], ["thread", "threads"]]) {
    assert.strictEqual(
      note("pool_grow", { delta: 1 }, { implementation: `celery.concurrency.${module}:TaskPool` }),
      `The worker w1 was asked to have 3 processes; its last report has 2. A ${name} pool cannot be resized: ` +
        "start the worker with another concurrency."
    )
  }
  assert.isNull(note("pool_grow", { delta: 1 }, { before: null }), "nothing to compare with")
})

it("and consumers and restarts, and says so before it comes", () => {
  assert.isNull(note("add_consumer", { queue: "celery" }))
  assert.match(note("add_consumer", { queue: "slow" }) ?? "", /its last report does not list that queue/)
  assert.isNull(note("cancel_consumer", { queue: "slow" }))
  assert.match(note("cancel_consumer", { queue: "celery" }) ?? "", /its last report still lists that queue/)
  assert.isNull(note("restart_worker", {}))
  assert.match(note("restart_worker", {}, { process_ids: [2, 13] }) ?? "", /worker_pool_restarts = True/)
  assert.match(note("pool_grow", { delta: 1 }, { described_at: completed_at }) ?? "", /next report will show/)
  assert.match(note("pool_grow", { delta: 1 }, { described_at: completed_at, isOnline: false }) ?? "", /it is offline/)
  assert.isNull(note("add_consumer", { queue: "slow" }, { described_at: null }), "no agent describes the worker")
  assert.match(note("rate_limit", { rate: "1/s" }) ?? "", /do not report their rate limits/)
})
