import { Effect } from "effect"
import type { ActivityItem } from "../../../domain/audit/Activity.ts"
import { namedByIds, targetNameOf } from "../../../domain/commands/Command/TargetName.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { isKnownName } from "../../../domain/tasks/UnknownName.ts"
import { isUuid } from "../../kernel/Ids.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"

type Row = Pick<ActivityItem, "project_id" | "target_type" | "target_id" | "metadata">

/** Members of the metadata that name the target, in this order. */
const naming = ["name", "title", "email", "slug", "channel_name"] as const

const recordedName = ({ metadata, target_id, target_type }: Row): string | null => {
  if (namedByIds.has(target_type)) return target_id
  const name = naming.map((member) => metadata[member]).find((value) => typeof value === "string" && value !== "")
  return typeof name === "string" ? name : null
}

interface TaskKey {
  readonly project_id: ProjectId
  readonly engine: string
  readonly task_id: string
}

const taskOf = ({ metadata, project_id, target_id, target_type }: Row): TaskKey | null =>
  target_type === "task" && project_id !== null && target_id !== null && typeof metadata.engine === "string"
    ? { project_id, engine: metadata.engine, task_id: target_id }
    : null

const keyOf = ({ engine, project_id, task_id }: TaskKey): string => JSON.stringify([project_id, engine, task_id])

interface CommandTarget {
  readonly id: string
  readonly target_type: string
  readonly target_id: string | null
  readonly task_name: string | null
  readonly payload: string
}

/**
 * Names what the rows of the feed are about: by the row's own metadata, else by the record as it is now. A statement for each
 * kind of target that a page has, by keys.
 */
export const makeTargetNames = Effect.gen(function*() {
  const read = yield* Reader

  /** Names by the ids of rows that have none of their own. */
  const idsOf = (rows: ReadonlyArray<Row>, type: string): ReadonlyArray<string> =>
    rows.flatMap(({ target_id, target_type }) =>
      target_type === type && target_id !== null && isUuid(target_id) ? [target_id] : []
    )

  const findTasks = Effect.fnUntraced(function*(rows: ReadonlyArray<Row>) {
    const keys = rows.flatMap((row) => taskOf(row) ?? [])
    if (keys.length === 0) return []
    const columns = { project_id: "uuid", engine: "text", task_id: "text" } as const
    const found = yield* read<TaskKey & { readonly name: string }>`
      SELECT t.project_id, t.engine, t.task_id, t.name FROM ${recordset(read, "r", columns, keys)}
      JOIN tasks t ON t.project_id = r.project_id AND t.engine = r.engine AND t.task_id = r.task_id`
    return found.flatMap((task) => (isKnownName(task.name) ? [[keyOf(task), task.name] as const] : []))
  })

  const findCommands = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
    if (ids.length === 0) return []
    // the payload names a schedule; that of a task's command may have a megabyte of ids
    const found = yield* read<CommandTarget>`
      SELECT c.id, c.target_type, c.target_id, t.name AS task_name,
        CASE WHEN c.target_type = 'task' THEN '{}' ELSE c.payload END AS payload
      FROM commands c
      LEFT JOIN tasks t ON c.target_type = 'task'
        AND t.project_id = c.project_id AND t.engine = c.engine AND t.task_id = c.target_id
      WHERE ${idIn(read, ids, "c.id")}`
    return found.flatMap((command) => {
      const name = targetNameOf(command, command)
      return name === null ? [] : [[command.id, name] as const]
    })
  })

  const findNames = (table: "agents" | "bulk_jobs", column: "name" | "target_name", ids: ReadonlyArray<string>) =>
    ids.length === 0 ? Effect.succeed([]) : Effect.map(
      read<{ readonly id: string; readonly name: string | null }>`
        SELECT id, ${read(column)} AS name FROM ${read(table)} WHERE ${idIn(read, ids)}`,
      (found) => found.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const]))
    )

  /** Null for a target without a name, and for one that is gone. */
  return Effect.fnUntraced(function*(rows: ReadonlyArray<Row>) {
    const unnamed = rows.filter((row) => recordedName(row) === null)
    const found = new Map([
      ...(yield* findTasks(unnamed)),
      ...(yield* findCommands(idsOf(unnamed, "command"))),
      ...(yield* findNames("agents", "name", idsOf(unnamed, "agent"))),
      ...(yield* findNames("bulk_jobs", "target_name", idsOf(unnamed, "bulk_retry")))
    ])
    return (row: Row): string | null => {
      const task = taskOf(row)
      return recordedName(row) ?? found.get(task === null ? row.target_id ?? "" : keyOf(task)) ?? null
    }
  })
})
