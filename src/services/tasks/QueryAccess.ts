import { Effect } from "effect"
import { Forbidden } from "../../domain/kernel/Errors.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { readQuery, readsPayload } from "../../domain/tasks/Task/Filter.ts"
import { canReadPayload, type CurrentActor, type CurrentProject } from "../kernel/CurrentActor.ts"

const payloadForbidden = new Forbidden({
  detail: "The query compares arguments or results, which need the project's payload_role."
})

/**
 * Fails where a query would tell the actor what a value is that `payload_role` hides from them. What only admins may do
 * needs no check: they read all values.
 */
export const checkQuery = (
  query: string | null | undefined
): Effect.Effect<void, Forbidden, CurrentActor | CurrentProject> =>
  Effect.gen(function*() {
    if (readsPayload(readQuery(query, yield* Timestamp.now)) && !(yield* canReadPayload)) return yield* payloadForbidden
  })
