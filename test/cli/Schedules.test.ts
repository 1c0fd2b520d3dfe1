import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { MUTATION, STABLE_SNAPSHOT } from "../../src/domain/schedules/Schedule/External.ts"
import type { ScheduleRow } from "../../src/protocol/ScheduleSnapshot.ts"
import type { Result } from "../agent.ts"
import { serverOn } from "../brain.ts"
import { activatePublisher, row, schedulerHello } from "../schedulePublisher.ts"
import { assertRefused, ok, visitor } from "./remote.ts"

const snapshot = `
# of the shop's repository
mode: replace
source_filter: git
schedules:
  - &report
    name: nightly report
    engine: celery
    kind: cron
    expression: 0 3 * * *
    timezone: Europe/Berlin
    task_name: shop.report
    args: [12345678901234567890, 1.0]
    kwargs: {currency: EUR}
    source: git
  - <<: *report
    name: weekly report
    expression: '@weekly'
`

/** A project, `svc` of its admin, and files of that admin. */
const withFiles = Effect.gen(function*() {
  const here = yield* visitor()
  const write = (name: string, text: string): string => {
    const file = join(String(here.settings.SVC_HOME), name)
    writeFileSync(file, text)
    return file
  }
  return { ...here, write }
})

layer(serverOn("SQLite"), { excludeTestServices: true })("svc schedules", (it) => {
  it.scoped("imports a snapshot, and shows what differs from it", () =>
    Effect.gen(function*() {
      const { run, write } = yield* withFiles
      const file = write("schedules.yaml", snapshot)
      const before = yield* run("schedules", "diff", file)
      assert.strictEqual(before.code, 1)
      assert.strictEqual(
        before.stdout,
        "+ nightly report\n+ weekly report\n2 new, 0 changed, 0 deleted, 0 unchanged\n"
      )
      assert.strictEqual(before.stderr, `svc: the project's schedules differ from ${file}\n`)
      assert.strictEqual(
        ok(yield* run("schedules", "import", file)),
        "imported: 2 new, 0 changed, 0 deleted, 0 unchanged\n"
      )
      assert.strictEqual(ok(yield* run("schedules", "diff", file)), "0 new, 0 changed, 0 deleted, 2 unchanged\n")
      assert.include(ok(yield* run("schedules", "show", "nightly report")), "[12345678901234567890,1.0]")
      const other = write("other.yaml", snapshot.replace("0 3 * * *", "0 4 * * *").replace("890, 1.0", "891, 1.0"))
      assert.strictEqual(
        (yield* run("schedules", "diff", other)).stdout,
        "~ nightly report\n    args: [12345678901234567890,1.0] -> [12345678901234567891,1.0]\n" +
          `    expression: "0 3 * * *" -> "0 4 * * *"\n` +
          "~ weekly report\n    args: [12345678901234567890,1.0] -> [12345678901234567891,1.0]\n" +
          "0 new, 2 changed, 0 deleted, 0 unchanged\n"
      )
      const shown = JSON.parse((yield* run("schedules", "diff", other, "--json")).stdout)
      assert.deepStrictEqual(shown.summary, { inserted: 0, updated: 2, unchanged: 0, deleted: 0 })
    }))

  it.scoped("names the schedule that is wrong, and the file that is none", () =>
    Effect.gen(function*() {
      const { run, write } = yield* withFiles
      const invalidFile = write(
        "wrong.json",
        JSON.stringify({ schedules: [nightly, { ...nightly, expression: "0 3 * *" }] })
      )
      assertRefused(yield* run("schedules", "import", invalidFile), "schedules.1.expression")
      assertRefused(yield* run("schedules", "import", write("open.yaml", "schedules: [")), "open.yaml is not YAML")
      assertRefused(yield* run("schedules", "import", write("other.yaml", "crons: []")), "has no list named schedules")
      assertRefused(yield* run("schedules", "import", "/no/such/file"), "cannot be read")
      for (
        const [file, message] of [[invalidFile, "schedules.1.expression"], ["/no/such/file", "cannot be read"]] as const
      ) {
        const { code, stderr } = yield* run("schedules", "diff", file)
        assert.strictEqual(code, 2, "a difference is 1")
        assert.include(stderr, message)
      }
    }))

  it.scoped("lists the next tick on the clocks of its zone, and none for a schedule that does not fire", () =>
    Effect.gen(function*() {
      const { project, run } = yield* withFiles
      const add = (name: string, expression: string, ...options: ReadonlyArray<string>) =>
        run("schedules", "add", name, expression, "--engine", "celery", "--task", "shop.report", ...options)
      ok(yield* add("in Kolkata", "2199-06-01T12:00", "--kind", "clocked", "--timezone", "Asia/Kolkata"))
      for (const name of ["paused", "disabled"]) {
        ok(yield* add(name, "0 3 * * *"))
        ok(yield* run("schedules", name === "paused" ? "pause" : "disable", name))
      }
      ok(yield* add("once", "2199-06-01T12:00", "--kind", "clocked"))
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE schedules SET next_run_at = NULL, due_at = NULL
        WHERE name = 'once' AND project_id = ${project.id}` // as after its tick
      const listed = ok(yield* run("schedules", "list"))
      assert.match(listed, /^in Kolkata +enabled +\S+ +2199-06-01 12:00 +Asia\/Kolkata /m)
      assert.match(listed, /^paused +paused +0 3 \* \* \* +- +UTC /m)
      assert.match(listed, /^disabled +disabled +0 3 \* \* \* +- +UTC /m)
      assert.match(listed, /^once +ended +\S+ +- +UTC /m)
      assert.notMatch(ok(yield* run("schedules", "show", "paused")), /^next /m)
    }))

  it.scoped("lists, shows and steers schedules by name or id", () =>
    Effect.gen(function*() {
      const { connect, run, write } = yield* withFiles
      ok(yield* run("schedules", "import", write("one.json", JSON.stringify({ schedules: [nightly] }))))
      const listed = ok(yield* run("schedules", "list"))
      assert.match(listed, /^NAME +STATE +WHEN +NEXT +ZONE +TASK +ID\nnightly report +enabled +0 3 \* \* \* +\d{4}-/)
      const { id } = JSON.parse(ok(yield* run("schedules", "show", "nightly report", "--json")))
      assert.match(
        ok(yield* run("schedules", "show", id)),
        /\ncron +0 3 \* \* \*\nwhen +At 03:00 every day\ntimezone +Europe\/Berlin\n/
      )
      assert.strictEqual(ok(yield* run("schedules", "pause", id)), `paused nightly report (${id})\n`)
      assert.include(ok(yield* run("schedules", "list")), "paused")
      assert.match(ok(yield* run("schedules", "resume", "nightly report")), /^resumed nightly report .*, next at 20/)
      assert.strictEqual(ok(yield* run("schedules", "disable", id)), `disabled nightly report (${id})\n`)
      assert.match(ok(yield* run("schedules", "list")), /DRIFTED.*\n.*disabled.* yes /)
      assert.match(ok(yield* run("schedules", "enable", id)), /^enabled nightly report/)
      assertRefused(yield* run("schedules", "trigger", id), "No agent of the project serves celery")
      yield* connect("shop")
      assert.match(
        ok(yield* run("schedules", "trigger", id)),
        /^triggered nightly report .*: svc commands show [0-9a-f-]{36} shows its outcome\n$/
      )
      assertRefused(yield* run("schedules", "show", "no such"), "no such schedule: no such")
      const fleet = ok(yield* run("schedules", "schedulers"))
      assert.match(fleet, /^SCHEDULER +WORKS +FIRED BY.*\nsvc-scheduler +(yes|no) +the brain/)
      assert.match(ok(yield* run("misfires")), /^SCHEDULE +TICK +TICKS +CAUSE +SEEN\n$/)
      const found = JSON.parse(ok(yield* run("misfires", "--schedule", id, "--json")))
      assert.deepStrictEqual(Object.keys(found), ["project", "misfires"])
      assert.deepStrictEqual(found.misfires, [])
      for (const invalidOptions of [["--project", "no-such"], ["--project", "No Slug"], ["--limit", "0"]]) {
        const { code, stderr, stdout } = yield* run("misfires", ...invalidOptions)
        assert.deepStrictEqual([code, stdout, stderr.slice(0, 5)], [2, "", "svc: "], invalidOptions.join(" "))
      }
    }))

  it.scoped("adds and changes a schedule, lists its fires, and exports what an import reads", () =>
    Effect.gen(function*() {
      const { run, write } = yield* withFiles
      const args = "[12345678901234567890,1.0]"
      const options = ["--engine", "celery", "--task", "shop.report", "--args", args, "--timezone", "Europe/Berlin"]
      const added = yield* run("schedules", "add", "nightly", "0 3 * * *", ...options)
      assert.match(ok(added), /^added nightly \(.*, next at 20/)
      assert.strictEqual(
        added.stderr,
        "svc: no connected agent runs celery: each run waits 1 h for one, and is missed then\n"
      )
      assertRefused(yield* run("schedules", "add", "nightly", "0 3 * * *", ...options), "name")
      assertRefused(
        yield* run("schedules", "add", "other", "0 3 * * *", ...options, "--kwargs", "{"),
        "--kwargs is not JSON",
        2
      )
      assertRefused(yield* run("schedules", "edit", "nightly"), "say what to change", 2)
      const edited = ["--expression", "0 4 * * *", "--catch-up", "skip", "--jitter-seconds", "30"]
      assert.match(ok(yield* run("schedules", "edit", "nightly", ...edited)), /^changed nightly/)
      const shown = ok(yield* run("schedules", "show", "nightly"))
      assert.include(shown, args)
      assert.match(shown, /\ncron +0 4 \* \* \*\n.*\njitter +30 s\ncatch up +skip\n/s)
      assert.match(ok(yield* run("schedules", "history", "nightly")), /^TICK +STATUS +FIRED/)
      const snapshot = ok(yield* run("schedules", "export"))
      assert.include(snapshot, args)
      const file = write("exported.json", snapshot)
      assert.include(ok(yield* run("schedules", "import", file)), "imported: 0 new, 1 changed")
      assert.include(ok(yield* run("schedules", "diff", file)), "0 new, 0 changed, 0 deleted, 1 unchanged")
      assert.include(ok(yield* run("schedules", "export", "--source", "imported")), args)
      assert.notInclude(ok(yield* run("schedules", "export", "--source", "git")), args)
      const certain = { ...nightly, name: "billing", on_unknown_outcome: "quarantine", source: "git", grace_seconds: 7 }
      ok(yield* run("schedules", "import", write("certain.json", JSON.stringify({ schedules: [certain] }))))
      const exported = JSON.parse(ok(yield* run("schedules", "export", "--source", "git")))
      assert.deepInclude(exported.schedules[0], certain)
    }))

  it.scoped("shows when an expression fires", () =>
    Effect.gen(function*() {
      const { run } = yield* visitor()
      const options = ["--timezone", "Europe/Berlin", "--from", "2026-03-28T12:00:00Z", "--count", "1"]
      assert.strictEqual(
        ok(yield* run("schedules", "preview", "30 2 * * *", ...options)),
        "At 02:30 every day\nLOCAL                      UTC                  DST\n" +
          "2026-03-29T03:00:00+02:00  2026-03-29 01:00:00  gap\n"
      )
      const before = ["--timezone", "Europe/Berlin", "--from", "2026-03-27T12:00:00Z", "--count", "1"]
      assert.strictEqual(
        ok(yield* run("schedules", "preview", "30 2 * * *", ...before)).split("\n").at(-2),
        "next change of clocks: 2026-03-29T03:00:00+02:00; clocks go forward: this local time does not exist that day, " +
          "so it fires at the first moment after it"
      )
      assertRefused(yield* run("schedules", "preview", "0 0 30 2 *"), "expression")
      assertRefused(yield* run("schedules", "preview", "@daily", "--count", "0"), "--count", 2)
    }))

  it.scoped("changes another scheduler's schedules, and waits for what its agent publishes", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* withFiles
      const actions = ["list", "delete", "update", "enable", "disable", "trigger_now"]
      const capabilities = { "celery-beat": [...actions, MUTATION, STABLE_SNAPSHOT] }
      const agent = yield* connect("beat", schedulerHello(["celery-beat"], { capabilities }))
      const publisher = yield* activatePublisher(agent)
      const nightly = row({ source_key: "dcb:1", name: "nightly" })
      yield* publisher.publish([nightly])
      const { id } = JSON.parse(ok(yield* run("schedules", "show", "nightly", "--json")))
      /** Sets the result of the next change, and what the agent publishes then; null: nothing. */
      const setResult = (result: Result, rows: ReadonlyArray<ScheduleRow> | null) => {
        agent.onCommand = (command) => {
          agent.sendResult(
            command,
            command.action === "schedule.external.mutate" ? result : { status: "success", result: {} }
          )
          if (rows !== null) void Effect.runPromise(publisher.publish(rows))
        }
      }
      setResult({ status: "success", result: { sequence: 2 } }, [{ ...nightly, is_enabled: false }])
      assert.strictEqual(
        ok(yield* run("schedules", "disable", "nightly")),
        `disabled nightly (${id}) at its scheduler\n`
      )
      assert.include(ok(yield* run("schedules", "list")), "disabled")
      setResult({ status: "failed", error: "The database is locked." }, null)
      assertRefused(yield* run("schedules", "enable", id), `enable of dcb:1 (${id}) failed: The database is locked.`)
      setResult({ status: "failed", error: "No broker.", result: { indeterminate: true } }, null)
      const unknown = yield* run("schedules", "trigger", "nightly")
      assert.include(unknown.stderr, `the outcome of trigger of dcb:1 (${id}) is unknown: No broker.`)
      assert.notInclude([0, 1], unknown.code)
      assertRefused(yield* run("schedules", "delete", "nightly"), "add --yes", 2)
      setResult({ status: "success", result: { sequence: 3 } }, [])
      assert.strictEqual(
        ok(yield* run("schedules", "delete", "nightly", "--yes")),
        `deleted nightly (${id}) at its scheduler\n`
      )
      assertRefused(yield* run("schedules", "show", id), "schedule")
    }))
})
const nightly = {
  name: "nightly report",
  engine: "celery",
  kind: "cron",
  expression: "0 3 * * *",
  timezone: "Europe/Berlin",
  task_name: "shop.report",
  args: [12345678901234567000, 1.5],
  source: "git"
}
