import { Array as Arr } from "effect"
import type { ProjectId } from "../../domain/Id.ts"
import { type Timestamp, toEpochMillis } from "../../domain/Timestamp.ts"
import { type Consumer, maxOccurrences, type TriggerEvent } from "../../domain/Trigger.ts"
import * as Ids from "../Ids.ts"
import type { Interests } from "./Interests.ts"
import type { TriggerEventRow } from "./Repo.ts"

/** One row for each consumer of each event. An event with too many occurrences becomes several. */
export const makeRows = (
  events: ReadonlyArray<TriggerEvent>,
  interests: ReadonlyMap<ProjectId, Interests>,
  at: Timestamp
): ReadonlyArray<TriggerEventRow> => {
  const rows: Array<TriggerEventRow> = []
  const millis = toEpochMillis(at)
  for (const event of events) {
    const consumers = interests.get(event.project_id)?.consumersOf(event).filter((consumer) => takes(consumer, event))
    if (consumers === undefined || consumers.length === 0) continue
    for (const occurrences of Arr.chunksOf(event.occurrences, maxOccurrences)) {
      const payload = JSON.stringify({ ...event, occurrences })
      for (const consumer of consumers) {
        rows.push({
          id: Ids.uuidv7(millis),
          consumer,
          project_id: event.project_id,
          payload,
          due_at: at,
          created_at: at
        })
      }
    }
  }
  return rows
}

const takes = (consumer: Consumer, { recovered }: TriggerEvent): boolean => consumer !== "rules" || recovered !== true
