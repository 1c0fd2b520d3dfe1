import { Effect, Option } from "effect"

/** Entries that wait to be sent, oldest first: rows of a table (`Outbox/Table.ts`), or lines of a file (`audit/CheckpointSinks.ts`). */
export interface Outbox<Entry, Failure, E, R> {
  /** Claims the entry that is due first for this process alone; none when no entry is due. */
  readonly claim: Effect.Effect<Option.Option<Entry>, E, R>
  readonly send: (entry: Entry) => Effect.Effect<unknown, Failure, R>
  /** The entry was delivered. If the process dies before this, another one sends it a second time. */
  readonly remove: (entry: Entry) => Effect.Effect<unknown, E, R>
  /** Decides when the entry is sent again, if ever, and returns whether the entries after it are sent now. */
  readonly onFailure: (entry: Entry, failure: Failure) => Effect.Effect<boolean, E, R>
}

/** Sends the entries that are due, one after the other. A loop calls it. */
export const deliver = <Entry, Failure, E, R>(
  { claim, onFailure, remove, send }: Outbox<Entry, Failure, E, R>
): Effect.Effect<void, E, R> => {
  const deliverOne = (entry: Entry) =>
    Effect.flatMap(
      Effect.either(send(entry)),
      (sent) => sent._tag === "Right" ? Effect.as(remove(entry), true) : onFailure(entry, sent.left)
    )
  const deliverNext = Effect.flatMap(claim, Option.match({ onNone: () => Effect.succeed(false), onSome: deliverOne }))
  return Effect.asVoid(Effect.repeat(deliverNext, { while: (hasMore) => hasMore }))
}
