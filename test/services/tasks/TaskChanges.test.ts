import { assert, layer } from "@effect/vitest"
import { Chunk, Effect, Fiber, Stream } from "effect"
import { ProjectId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { TaskChanges } from "../../../src/services/tasks/TaskChanges.ts"
import { brainOn } from "../../brain.ts"

const change = (number: number) => ({
  project_id: ProjectId.make("01912345-0000-7000-8000-000000000001"),
  id: String(number),
  engine: "celery",
  task_id: String(number),
  name: "shop.pay",
  state: "started",
  previous_state: null,
  updated_at: Timestamp.fromEpochMicros(1_795_243_586_000_000)
})

layer(brainOn("SQLite"), { excludeTestServices: true })((it) => {
  it.scoped("a listener that takes nothing keeps no change from another", () =>
    Effect.gen(function*() {
      const { changes, publish } = yield* TaskChanges
      const isLast = ({ id }: { readonly id: string }) => id === "9999"
      const first = Stream.runHead(changes)
      yield* Effect.forkScoped(Stream.runForEach(changes, () => Effect.never)) // holds one and takes no other
      const reader = yield* Effect.forkScoped(Stream.runHead(Stream.filter(changes, isLast)))
      const both = yield* Effect.forkScoped(first)
      yield* Effect.repeat(Effect.zipRight(publish([], () => [change(0)]), Effect.sleep("10 millis")), {
        until: () => both.unsafePoll() !== null
      })
      for (let number = 1; number < 10_000; number += 100) {
        yield* publish([], () => Chunk.range(number, Math.min(number + 99, 9999)).pipe(Chunk.map(change)))
        yield* Effect.yieldNow()
      }
      assert.isTrue((yield* Fiber.join(reader))._tag === "Some")
    }))
})
