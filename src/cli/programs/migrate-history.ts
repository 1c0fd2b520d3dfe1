import { Console, Effect } from "effect"
import { migrations } from "../../../migrations/index.ts"
import { type AppliedMigration, Migrations } from "../../services/Migrations.ts"
import { layerInspection } from "../Inspection.ts"

const noSteps: ReadonlyArray<AppliedMigration> = []

const listApplied = Effect.flatMap(Migrations, (service) => service.applied).pipe(
  Effect.provide(layerInspection),
  Effect.catchTag("DatabaseMissing", () => Effect.succeed(noSteps))
)

export const run = ({ json }: { readonly json: boolean }) =>
  Effect.gen(function*() {
    const rows = yield* listApplied
    const known = migrations.map(({ id, name }) => ({ id, name }))
    const newer = rows.filter((row) => !known.some(({ id }) => id === row.id)).map(({ id, name }) => ({ id, name }))
    const steps = [...known, ...newer].map((step) => ({
      ...step,
      applied_at: rows.find(({ id }) => id === step.id)?.applied_at ?? null
    }))
    yield* Console.log(
      json
        ? JSON.stringify(steps)
        : steps.map(({ applied_at, id, name }) => `${id} ${name}  ${applied_at ?? "not applied"}`).join("\n")
    )
  })
