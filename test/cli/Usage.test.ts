import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { temporaryHome } from "../databases.ts"
import { svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const packaged = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string
} // npm's own format

const commands = [
  "serve",
  "check",
  "doctor",
  "status",
  "version",
  "completion",
  "init",
  "config show",
  "config validate",
  "bootstrap-admin",
  "createsuperuser",
  "changepassword",
  "reset-mfa",
  "auth reset-link",
  "reset-setup",
  "vouch",
  "secret-key show",
  "secret-key rotate",
  "secret-key activate",
  "secret-key reseal",
  "migrate upgrade",
  "migrate current",
  "migrate history",
  "migrate downgrade",
  "migrate search-indexes",
  "reset",
  "upgrade",
  "backup verify",
  "restore",
  "login",
  "logout",
  "whoami",
  "api-keys list",
  "api-keys create",
  "api-keys revoke",
  "queues list",
  "queues show",
  "queues pause",
  "queues resume",
  "queues target",
  "workers list",
  "schedules list",
  "schedules show",
  "schedules preview",
  "schedules trigger",
  "schedules enable",
  "schedules disable",
  "schedules pause",
  "schedules resume",
  "schedules resync",
  "schedules schedulers",
  "schedules import",
  "schedules diff",
  "misfires",
  "channels list",
  "channels show",
  "channels create",
  "channels test",
  "channels enable",
  "channels disable",
  "channels delete",
  "subscriptions list",
  "subscriptions show",
  "subscriptions create",
  "subscriptions mute",
  "subscriptions unmute",
  "subscriptions delete",
  "alerts list",
  "alerts show",
  "alerts ack",
  "alerts snooze",
  "approvals list",
  "approvals show",
  "approvals approve",
  "approvals reject",
  "agents create",
  "agents list",
  "agents show",
  "agents delete",
  "tasks list",
  "tasks logs",
  "tasks runs",
  "tasks show",
  "tasks tail",
  "failures list",
  "failures show",
  "failures assign",
  "failures mute",
  "failures resolve",
  "failures reopen",
  "failures note",
  "issues list",
  "issues show",
  "issues assign",
  "issues mute",
  "issues resolve",
  "issues reopen",
  "issues note",
  "stats",
  "bulk-retry create",
  "bulk-retry list",
  "bulk-retry show",
  "bulk-retry items",
  "bulk-retry pause",
  "bulk-retry resume",
  "bulk-retry cancel",
  "bulk-jobs delete",
  "bulk-jobs cancel",
  "bulk-jobs list",
  "bulk-jobs show",
  "bulk-jobs stop",
  "commands list",
  "commands show",
  "commands withdraw",
  "commands retry",
  "commands cancel",
  "commands requeue",
  "commands bulk-retry",
  "commands purge",
  "commands restart",
  "commands pool-resize",
  "commands add-consumer",
  "commands cancel-consumer",
  "commands rate-limit",
  "audit verify",
  "audit export-head",
  "audit public-key",
  "audit rotate-chain-key",
  "audit activate-chain-state",
  "audit retire-chain-key",
  "audit reseal-watermark",
  "audit export-and-delete-frozen",
  "audit fork-cleanup"
]

const run = (...args: ReadonlyArray<string>) =>
  Effect.scoped(Effect.flatMap(temporaryHome, (home) => svcHere(args, { SVC_HOME: home })))

const runProcess = (...args: ReadonlyArray<string>) =>
  Effect.scoped(Effect.flatMap(temporaryHome, (home) => svc(args, { SVC_HOME: home })))

describe("the command line", () => {
  it.effect("prints the package's version", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* runProcess("version"), { code: 0, stdout: `${packaged.version}\n`, stderr: "" })
      const { stdout } = yield* runProcess("version", "--json")
      assert.deepStrictEqual(JSON.parse(stdout), { version: packaged.version })
    }))

  it.effect("lists every command in its help, without colours in a pipe", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* runProcess("--help")
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
      const words = stdout.split(/[\s,]+/)
      for (const command of commands) for (const word of command.split(" ")) assert.include(words, word)
      assert.notInclude(stdout, "\u001b")
      assert.isAtMost(Math.max(...stdout.split("\n").map(({ length }) => length)), 80)
    }))

  it.effect("shows its help when it is given nothing to do", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* run()
      assert.strictEqual(code, 0)
      assert.include(stdout, "Usage: svc <command>")
    }))

  it.effect("begins its help with operating tasks; running a brain follows", () =>
    Effect.gen(function*() {
      const { stdout } = yield* run()
      const names = stdout.split("\n").flatMap((line) => /^ {2}([a-z-]+)(?= {2})/.exec(line)?.[1] ?? [])
      assert.deepStrictEqual(names.slice(0, 8), [
        "tasks",
        "failures",
        "issues",
        "queues",
        "workers",
        "schedules",
        "misfires",
        "commands"
      ])
      assert.isAbove(names.indexOf("serve"), names.indexOf("users"))
    }))

  it.effect("explains each command in 80 columns, in words of its own", () =>
    Effect.gen(function*() {
      for (const command of commands) {
        const { stdout } = yield* run(...command.split(" "), "--help")
        const lines = stdout.split("\n")
        assert.include(stdout, `Usage: svc ${command}`)
        assert.isAtMost(Math.max(...lines.map(({ length }) => length)), 80, stdout)
        assert.notMatch(stdout, /user-defined|true or false|An integer|This (setting|option|argument)|USAGE/)
      }
      const { stdout } = yield* run("schedules", "add", "--help")
      assert.match(stdout, /^ {2}--engine <text> +Engine that runs its task, such as celery\.\n +Required\.$/m)
      assert.match(stdout, /^ {2}--jitter-seconds <number> /m)
      assert.match(stdout, /^ {2}--kind <choice> +Form of the [^]*?One\s+of: cron, interval, clocked\.$/m)
      assert.include((yield* run("support-bundle", "--help")).stdout, "  -o, --output <text> ")
    }))

  it.effect("says in the help of a group what each command is for, and in that of a command how it is typed", () =>
    Effect.gen(function*() {
      const group = yield* run("tasks")
      assert.strictEqual(group.code, 0)
      assert.match(group.stdout, /^ {2}show <task> {2,}Show a task/m)
      assert.deepStrictEqual(yield* run("tasks", "--help"), group)
      assert.include((yield* run("tasks", "show", "--help")).stdout, "\nUsage: svc tasks show [options] <task>\n")
      assert.include(
        (yield* run("commands", "add-consumer", "-h")).stdout,
        "\nUsage: svc commands add-consumer [options] <worker> <queue>\n"
      )
    }))

  it.effect.each(
    [
      [["bogus"], "svc has no command bogus; it has agent, agents, "],
      [["agents", "edit"], "svc agents has no command edit; it has create, delete, list, show\n"],
      [["commands", "rtry", "--wait", "x"], "svc commands has no command rtry; did you mean svc commands retry?"],
      [["serve", "--port", "many"], "--port takes a whole number, not 'many'"],
      [["tasks", "list", "--limit=1.5"], "--limit takes a whole number, not '1.5'"],
      [["completion", "tcsh"], "Expected one of the following cases: bash, zsh, fish"],
      [["serve", "--port", "70000"], "--port must be a whole number from 0 to 65535"],
      [["serve", "--workers", "0"], "--workers must be a whole number"],
      [["serve", "--bogus"], "unknown option --bogus"],
      [["serve", "--prot", "1"], "unknown option --prot; did you mean --port?"],
      [["tsks"], "svc has no command tsks; did you mean svc tasks?"],
      [
        ["tasks", "list", "--state", "nope"],
        "--state takes one of pending, received, started, success, failure, retry, revoked, rejected, unknown; not 'nope'"
      ],
      [
        ["commands", "list", "--status=nope"],
        "--status takes one of pending, dispatched, completed, failed, timeout, cancelled; not 'nope'"
      ],
      [
        ["tasks", "list", "--since", "tomorrow"],
        "--since takes a time such as 2026-11-21T08:00:00Z, an age such as 30m, 1h or 7d, today or yesterday; not 'tomorrow'"
      ],
      [["tasks", "list", "--limit", "0"], "--limit must be a whole number from 1 to 5000, not '0'"],
      [["--wizard"], "--wizard asks questions: run it in a terminal"],
      [["migrate", "upgrade", "99"], "there is no revision 99: this program's head is"],
      [["migrate", "downgrade", "head"], "a revision is a number"],
      [["bootstrap-admin", "--password-stdin"], "--email"],
      [["changepassword", "a@example.com"], "--password-stdin"],
      [["reset-setup"], "add --yes"]
    ] as const
  )("refuses %j in one line, with exit code 2", ([args, part]) =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* run(...args)
      assert.strictEqual(code, 2, stderr)
      assert.strictEqual(stdout, "")
      assert.match(stderr, /^svc: [^\n]+\n$/)
      assert.include(stderr, part)
      assert.notInclude(stderr, "\u001b")
    }))
})
