import { Effect } from "effect"
import type { ProjectId, UserId } from "../../domain/kernel/Id.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { recordset } from "../kernel/sql/Recordset.ts"

/** A person in a row of a project. */
export interface MemberKey {
  readonly project_id: ProjectId
  readonly user_id: UserId
}

const keyOf = ({ project_id, user_id }: MemberKey): string => `${project_id} ${user_id}`

/**
 * The names that the people in a project's rows have chosen for others to see: of members, and of global admins, who may
 * work in every project. All who see the project's rows may see them; e-mail addresses are for its admins.
 */
export class MemberNames extends Effect.Service<MemberNames>()("svc/MemberNames", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    /** Of these people, in one statement. Null for a person who is neither of the two, or has chosen no name. */
    const find = Effect.fnUntraced(function*(keys: ReadonlyArray<MemberKey>) {
      const wanted = [...new Map(keys.map((key) => [keyOf(key), key])).values()]
      const rows = wanted.length === 0 ? [] : yield* read<MemberKey & { readonly display_name: string | null }>`
        SELECT r.project_id, r.user_id, u.display_name
        FROM ${recordset(read, "r", { project_id: "uuid", user_id: "uuid" }, wanted)}
        JOIN users u ON u.id = r.user_id
        LEFT JOIN memberships m ON m.project_id = r.project_id AND m.user_id = r.user_id
        WHERE m.user_id IS NOT NULL OR u.is_admin = 1`
      const names = new Map(rows.map((row) => [keyOf(row), row.display_name]))
      return (key: MemberKey): string | null => names.get(keyOf(key)) ?? null
    })

    return { find } as const
  })
}) {
  static readonly layer = this.Default
}
