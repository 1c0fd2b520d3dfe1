import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { agents } from "./baseline/agents.ts"
import { alerting } from "./baseline/alerting.ts"
import { approvalGate } from "./baseline/approvalGate.ts"
import { audit } from "./baseline/audit.ts"
import { automation } from "./baseline/automation.ts"
import { commands } from "./baseline/commands.ts"
import { identity } from "./baseline/identity.ts"
import { kernel } from "./baseline/kernel.ts"
import { operations } from "./baseline/operations.ts"
import { schedules } from "./baseline/schedules.ts"
import { tasks } from "./baseline/tasks.ts"
import { triggers } from "./baseline/triggers.ts"
import type { Migration } from "./Migration.ts"

/** An area after those whose tables its own refer to. */
const areas = [
  kernel,
  identity,
  triggers,
  audit,
  approvalGate,
  agents,
  tasks,
  commands,
  alerting,
  automation,
  schedules,
  operations
]

const up = Effect.forEach(areas, ({ create }) => create, { discard: true })

const down = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.forEach(areas.flatMap(({ names }) => names).reverse(), (name) => sql`DROP TABLE ${sql(name)}`, {
      discard: true
    })
)

/** The schema of the first release, a file an area. */
export const m0001: Migration = { id: 1, name: "baseline", compatibleFrom: 1, up, down }
