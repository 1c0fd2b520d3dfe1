import { Array as Arr } from "effect"
import type { Consumer } from "../../../domain/kernel/Consumer.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { type Timestamp, toEpochMillis } from "../../../domain/kernel/Timestamp.ts"
import { maxOccurrences, type TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import * as Ids from "../../kernel/Ids.ts"
import type { Interests } from "./Interests.ts"
import type { TriggerEventRow } from "./Repo.ts"

/** One row for each consumer of each event. An event with too many occurrences becomes several. */
export const makeRows = (
  events: ReadonlyArray<TriggerEvent>,
  interests: ReadonlyMap<ProjectId, Interests>,
  at: Timestamp
): ReadonlyArray<TriggerEventRow> =>
  events.flatMap((event) => {
    const consumers = interests.get(event.project_id)?.consumersOf(event).filter((consumer) => takes(consumer, event))
    return consumers === undefined || consumers.length === 0 ? [] : rowsOf(event, consumers, at)
  })

/** The rows of one consumer. */
export const makeRowsFor = (
  consumer: Consumer,
  events: ReadonlyArray<TriggerEvent>,
  at: Timestamp
): ReadonlyArray<TriggerEventRow> => events.flatMap((event) => rowsOf(event, [consumer], at))

const rowsOf = (
  event: TriggerEvent,
  consumers: ReadonlyArray<Consumer>,
  at: Timestamp
): ReadonlyArray<TriggerEventRow> =>
  Arr.chunksOf(event.occurrences, maxOccurrences).flatMap((occurrences) => {
    const payload = JSON.stringify({ ...event, occurrences })
    return consumers.map((consumer) => ({
      id: Ids.uuidv7(toEpochMillis(at)),
      consumer,
      project_id: event.project_id,
      payload,
      due_at: at,
      created_at: at
    }))
  })

const takes = (consumer: Consumer, { recovered }: TriggerEvent): boolean => consumer !== "rules" || recovered !== true
