import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { type Actor, system } from "../src/domain/kernel/Actor.ts"
import { SessionId, UserId } from "../src/domain/kernel/Id.ts"
import { Audit, type AuditEntry } from "../src/services/audit/Audit.ts"
import { idOf } from "./ids.ts"

/** Appends a row for each to the audit log, all at one moment. */
export const appendAudit = (entries: ReadonlyArray<AuditEntry>, actor: Actor = system("test")) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    yield* sql.withTransaction(audit.recordAll(entries.map((entry) => ({ actor, entry }))))
  }).pipe(Effect.orDie)

/** A person of these roles by project id, at an address. */
export const person = (user_id: string, options: Partial<Extract<Actor, { kind: "person" }>> = {}): Actor => ({
  kind: "person",
  user_id: idOf(UserId, user_id),
  email: "person@example.com",
  is_admin: false,
  roles: new Map(),
  refused_projects: new Set(),
  via: {
    kind: "session",
    session_id: idOf(SessionId, user_id),
    enrolled: false,
    factor_pending: false,
    is_fresh: true,
    overdue_since: null
  },
  source_ip: "192.0.2.1",
  user_agent: "test",
  ...options
})
