import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"

/** What names a failure group, in an event or an alert that may be about none. */
interface GroupName {
  readonly project_id: ProjectId
  readonly fingerprint: string | null
}

const keyOf = ({ fingerprint, project_id }: GroupName): string => `${project_id} ${fingerprint}`

/** Finds which of the failure groups are muted; returns the test of it. */
export const makeFindMuted = Effect.map(
  SqlClient.SqlClient,
  (sql) =>
    Effect.fnUntraced(function*(names: ReadonlyArray<GroupName>) {
      const keys = [...new Map(names.map((name) => [keyOf(name), name])).values()].flatMap((
        { fingerprint, project_id }
      ) => fingerprint === null ? [] : [{ project_id, fingerprint }])
      const muted = keys.length === 0 ? [] : yield* sql<GroupName>`
      SELECT g.project_id, g.fingerprint FROM ${
        recordset(sql, "r", { project_id: "uuid", fingerprint: "text" }, keys)
      } JOIN failure_groups g ON g.project_id = r.project_id AND g.fingerprint = r.fingerprint
      WHERE g.triage = 'muted'`
      const found = new Set(muted.map(keyOf))
      return (name: GroupName): boolean => found.has(keyOf(name))
    })
)
