import { assert, describe, it } from "@effect/vitest"
import { JsonArray, type JsonNode, JsonObject, parse } from "../../src/domain/kernel/CanonicalJson.ts"
import type { AgentEvent } from "../../src/domain/kernel/TaskEvent.ts"
import type { Publication } from "../../src/domain/schedules/Schedule/External.ts"
import { readEvent } from "../../src/protocol/Event.ts"
import {
  PublicationRefused,
  readSnapshotPart,
  readUpdate,
  SnapshotAssembly,
  verifySnapshot
} from "../../src/protocol/SchedulePublication.ts"
import { recordedFrames, vectorText } from "./Vectors.ts"

const run = (steps: Generator<void, Publication | PublicationRefused, void>) => {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

const eventOf = (node: JsonNode | undefined): AgentEvent => {
  const event = readEvent(node ?? "null", 0)
  if (typeof event === "string") throw new Error(event)
  return event
}

/** The events of a recorded session of the published agent that are about schedules. */
const recordedEvents = (name: string): ReadonlyArray<AgentEvent> => {
  const found: Array<AgentEvent> = []
  const search = (node: JsonNode): void => {
    if (node instanceof JsonArray) node.items.forEach(search)
    if (!(node instanceof JsonObject)) return
    const event = node.get("event")
    if (event !== undefined) found.push(eventOf(event))
    else node.values.forEach(search)
  }
  const parsed = parse(vectorText(`sequences/${name}.json`))
  if (parsed instanceof JsonObject || parsed instanceof JsonArray) search(parsed)
  return found.filter(({ kind }) => kind.startsWith("schedule."))
}

/** The publications of these events. */
const publicationsOf = (events: ReadonlyArray<AgentEvent>) => {
  const assemblies = new Map<string, SnapshotAssembly>()
  return events.flatMap((event): ReadonlyArray<Publication | PublicationRefused> => {
    if (event.kind === "schedule.updated") return [run(readUpdate(event))]
    const part = readSnapshotPart(event.data)
    if (part instanceof PublicationRefused) return [part]
    const assembly = assemblies.get(part.snapshotId) ?? new SnapshotAssembly(part, "s", 0, event.occurredAt)
    assemblies.set(part.snapshotId, assembly)
    assembly.add(part)
    return assembly.isComplete ? [run(verifySnapshot(assembly))] : []
  })
}

describe("what the published agents send", () => {
  it.each(["scheduler-celerybeat-static", "scheduler-apscheduler"])("%s is read and its digests agree", (name) => {
    const publications = publicationsOf(recordedEvents(name))
    assert.isAbove(publications.length, 0)
    for (const publication of publications) {
      if (publication instanceof PublicationRefused) throw new Error(publication.detail)
      assert.isAbove(publication.schedules.length, 0)
      assert.match(publication.digest, /^[0-9a-f]{64}$/)
    }
  })

  it("a change of one schedule is read", () => {
    const vector = recordedFrames.find(({ name }) => name === "event_batch.sched2.schedule.updated")
    const frame = parse(vector?.frame_json ?? "")
    const payload = frame instanceof JsonObject ? frame.get("payload") : undefined
    const events = payload instanceof JsonObject ? payload.get("events") : undefined
    const [publication] = publicationsOf([eventOf(events instanceof JsonArray ? events.items[0] : undefined)])
    if (publication === undefined || publication instanceof PublicationRefused) throw new Error(publication?.detail)
    assert.strictEqual(publication.operationId, "88888888-8888-4888-8888-888888888881")
    assert.isFalse(publication.isComplete)
    assert.deepInclude(publication.schedules[0], { source_key: "aps1", is_enabled: false, expression: "3600.0" })
  })
})
