import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { temporaryHome } from "../databases.ts"
import { svc } from "./svc.ts"

const packaged = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { readonly version: string } // npm's own format

const commands = [
  "serve", "check", "doctor", "status", "version", "init", "config show", "config validate", "bootstrap-admin",
  "createsuperuser", "changepassword", "reset-mfa", "auth reset-link", "reset-setup",
  "secret-key show", "secret-key rotate", "secret-key activate", "secret-key reseal", "migrate upgrade", "migrate current", "migrate history", "migrate downgrade",
  "login", "logout", "agents create", "agents list", "agents delete", "tasks list", "tasks show", "tasks tail", "commands list",
  "commands show", "commands withdraw", "commands retry", "commands cancel", "commands requeue", "commands bulk-retry",
  "commands purge", "commands restart", "commands pool-resize", "commands add-consumer", "commands cancel-consumer",
  "commands rate-limit", "audit verify", "audit export-head", "audit public-key", "audit rotate-chain-key",
  "audit activate-chain-state", "audit retire-chain-key", "audit reseal-watermark", "audit export-and-delete-frozen",
  "audit fork-cleanup"
]

const run = (...args: ReadonlyArray<string>) =>
  Effect.scoped(Effect.flatMap(temporaryHome, (home) => svc(args, { SVC_HOME: home })))

describe("the command line", () => {
  it.effect("prints the package's version", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* run("version"), { code: 0, stdout: `${packaged.version}\n`, stderr: "" })
      const { stdout } = yield* run("version", "--json")
      assert.deepStrictEqual(JSON.parse(stdout), { version: packaged.version })
    }))

  it.effect("lists every command in its help, without colours in a pipe", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* run("--help")
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
      for (const command of commands) assert.include(stdout, `- ${command}`)
      assert.notInclude(stdout, "\u001b")
      assert.match(stdout, /^ {2}- logout\S*\n {6}\S.*\n {2}- /m, "what a command is for stands below it")
    }))

  it.effect("shows its help when it is given nothing to do", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* run()
      assert.strictEqual(code, 0)
      assert.include(stdout, "COMMANDS")
    }))

  it.effect.each([
    [["bogus"], "svc has no command bogus; it has agent, agents, "],
    [["agents", "show"], "svc agents has no command show; it has create, delete, list\n"],
    [["commands", "rtry", "--wait", "x"], "svc commands has no command rtry"],
    [["serve", "--port", "many"], "--port takes a whole number, and 'many' is none"],
    [["tasks", "list", "--limit=1.5"], "--limit takes a whole number, and '1.5' is none"],
    [["--completions", "tcsh"], "--completions takes the name of a shell: bash, fish, sh, zsh"],
    [["serve", "--port", "70000"], "--port must be a whole number from 0 to 65535"],
    [["serve", "--workers", "0"], "--workers must be a whole number"],
    [["serve", "--bogus"], "unknown argument"],
    [["migrate", "downgrade", "head"], "a revision is a number"],
    [["bootstrap-admin", "--password-stdin"], "--email"],
    [["changepassword", "a@example.com"], "--password-stdin"],
    [["reset-setup"], "--force"]
  ] as const)("refuses %j in one line, with exit code 2", ([args, part]) =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* run(...args)
      assert.strictEqual(code, 2, stderr)
      assert.strictEqual(stdout, "")
      assert.match(stderr, /^svc: [^\n]+\n$/)
      assert.include(stderr, part)
      assert.notInclude(stderr, "\u001b")
    }))
})
