import type { Actor, RequestSource } from "../../domain/kernel/Actor.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { toStorable } from "../../domain/kernel/Text.ts"
import type { ChainedRow } from "./Chain.ts"

/** An event for the audit log. `action` is `noun.verb_in_past`, such as `project.created`. */
export interface AuditEntry {
  readonly action: string
  readonly target_type: string
  readonly target_id?: string | null
  readonly project_id?: ProjectId | null
  readonly metadata?: Readonly<Record<string, unknown>>
  /** `allow` (default) or `deny`. */
  readonly outcome?: "allow" | "deny"
  /** `success` (default) or `failure`. */
  readonly result?: "success" | "failure"
  /** The client's address and user agent of a request without a session; else the actor's are used. */
  readonly source?: RequestSource
  /** Id of the agent's event that this row records. */
  readonly event_id?: string | null
}

/** An entry by what all of them have: what was done, and to what. */
export const auditEntry = (
  action: string,
  target_type: string,
  target_id: string | null,
  rest: Omit<AuditEntry, "action" | "target_type" | "target_id"> = {}
): AuditEntry => ({ action, target_type, target_id, ...rest })

/** An entry and its actor. */
export interface ActorEntry {
  readonly actor: Actor
  readonly entry: AuditEntry
}

/** The text as both databases store it, so that the hash covers the stored text. */
const toStorableOrNull = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : toStorable(text)

/** The row of an entry at its `seq`. */
export const rowOf = (
  { actor, entry }: ActorEntry,
  place: Pick<ChainedRow, "id" | "seq" | "occurred_at">
): ChainedRow => {
  const person = actor.kind === "person" ? actor : null
  const source = person ?? entry.source ?? null
  return {
    ...place,
    project_id: entry.project_id ?? null,
    user_id: person?.user_id ?? null,
    api_key_id: person?.via.kind === "api_key" ? person.via.api_key_id : null,
    action: entry.action,
    target_type: entry.target_type,
    target_id: toStorableOrNull(entry.target_id),
    result: entry.result ?? "success",
    outcome: entry.outcome ?? "allow",
    metadata: JSON.stringify({ ...(actor.kind === "system" ? { by: actor.name } : {}), ...entry.metadata }),
    source_ip: toStorableOrNull(source?.source_ip),
    user_agent: toStorableOrNull(source?.user_agent),
    event_id: toStorableOrNull(entry.event_id)
  }
}
