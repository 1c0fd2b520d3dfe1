import { Console, Effect, Layer } from "effect"
import { headRevision, MigrationList } from "../../../../migrations/MigrationList.ts"
import * as Catalog from "../../../layers/Catalog.ts"
import * as DatabaseLayer from "../../../layers/Database.ts"
import { whileNoBrainRuns } from "../../../services/kernel/RunningBrains.ts"
import { type AppliedMigration, Migrations } from "../../../services/kernel/sql/Migrations.ts"
import { SearchIndexes } from "../../../services/tasks/SearchIndexes.ts"
import { CliError } from "../../program/Explain.ts"
import { type HandlersOf, handleWith } from "../../program/Group.ts"
import { layerInspection } from "../../program/ReadOnlyDatabase.ts"
import { settings } from "../../program/Settings.ts"
import { listLosses, type Loss } from "../DowngradeLosses.ts"
import { inspect } from "../Inspection.ts"
import type { definitions } from "../migrate.ts"
import { linesOfRows } from "../RowCounts.ts"

/** A revision as `svc migrate` takes it: a step's number, such as 3; 0 is the empty database. */
const parseRevision = (text: string): Effect.Effect<number, CliError> =>
  /^\d{1,6}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new CliError({ usage: true, message: `a revision is a number, but is "${text}"` }))

/** The named revision, which an upgrade must be able to reach. */
const parseRevisionAhead = (target: string, current: number, head: number) =>
  Effect.gen(function*() {
    const revision = yield* parseRevision(target)
    if (revision > head) {
      return yield* new CliError({
        usage: true,
        message: `there is no revision ${revision}: this program's head is ${head}`
      })
    }
    if (revision < current) {
      return yield* new CliError({
        usage: true,
        message: `the database is at revision ${current} already: svc migrate downgrade goes back to ${revision}`
      })
    }
    return revision
  })

/** The database for changes of its schema. */
const layerUnmigrated = Layer.provide(DatabaseLayer.layerUnmigrated, settings())

const noSteps: ReadonlyArray<AppliedMigration> = []

const listApplied = Effect.flatMap(Migrations, (service) => service.applied).pipe(
  Effect.provide(layerInspection),
  Effect.catchTag("DatabaseMissing", () => Effect.succeed(noSteps))
)

/** Fails where there is no database. Opening one for writing would create it. */
const requireDatabase = Effect.provide(Migrations, layerInspection)

/** A line for each table and column that goes, with its rows. */
const describeLosses = (losses: ReadonlyArray<Loss>): ReadonlyArray<string> =>
  losses.length === 0
    ? ["nothing but indexes and empty tables is lost"]
    : ["this is lost for good:", ...linesOfRows(losses.map(({ rows, what }) => [what, rows] as const))]

export const handlers: HandlersOf<typeof definitions> = {
  upgrade: handleWith(layerUnmigrated)(function*({ target }) {
    const { current, head, upgrade } = yield* Migrations
    const applied = yield* upgrade(target === "head" ? head : yield* parseRevisionAhead(target, yield* current, head))
    for (const { id, name } of applied) yield* Console.log(`applied ${id} ${name}`)
    yield* Console.log(`revision: ${yield* current}${applied.length === 0 ? " (nothing to do)" : ""}`)
  }),
  current: Effect.fnUntraced(function*({ checkHeads, json }) {
    const head = yield* headRevision
    const { revision } = yield* inspect
    yield* Console.log(
      json ? JSON.stringify({ revision, head }) : `${revision ?? "none"}${revision === head ? " (head)" : ""}`
    )
    if (checkHeads && revision !== head) {
      return yield* new CliError({
        message: `the database is at revision ${revision ?? "none"}, this program's head is ${head}`
      })
    }
  }),
  history: Effect.fnUntraced(function*({ json }) {
    const rows = yield* listApplied
    const known = (yield* MigrationList).map(({ id, name }) => ({ id, name }))
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
  }),
  downgrade: Effect.fnUntraced(function*({ force, json, revision }) {
    const target = yield* parseRevision(revision)
    const { database_url } = yield* inspect
    const losses = yield* listLosses(target).pipe(Effect.provide(Layer.merge(layerInspection, Catalog.layer))) // fails where there is no database
    const summary = { database_url, revision: target, lost: losses.map(({ rows, what }) => ({ what, rows: rows.n })) }
    if (losses.length > 0 && !force) {
      yield* Console.log(
        json
          ? JSON.stringify({ ...summary, reverted: [] })
          : [`database: ${database_url}`, ...describeLosses(losses)].join("\n")
      )
      return yield* new CliError({
        usage: true,
        message: `nothing was changed. Make a backup, then: svc migrate downgrade ${target} --force`
      })
    }
    const steps = yield* Effect.flatMap(Migrations, ({ downgrade }) => whileNoBrainRuns(downgrade(target))).pipe(
      Effect.provide(layerUnmigrated)
    )
    if (json) {
      return yield* Console.log(JSON.stringify({ ...summary, reverted: steps.map(({ id, name }) => ({ id, name })) }))
    }
    for (const { id, name } of steps) yield* Console.log(`reverted ${id} ${name}`)
    yield* Console.log(`revision: ${target}`)
  }),
  "search-indexes": Effect.fnUntraced(function*({ drop }) {
    yield* requireDatabase
    const changes = yield* Effect.gen(function*() {
      if ((yield* Effect.flatMap(Migrations, ({ current }) => current)) === 0) {
        return yield* new CliError({ message: "the database has no tables yet: run svc migrate upgrade first" })
      }
      const indexes = yield* SearchIndexes
      return yield* drop ? indexes.drop() : indexes.create()
    }).pipe(
      Effect.provide(
        SearchIndexes.layer.pipe(Layer.provideMerge(DatabaseLayer.layerUnmigrated), Layer.provide(settings()))
      )
    )
    for (const { change, name } of changes) yield* Console.log(`${change} ${name}`)
  })
}
