import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Role, Scope } from "../../src/domain/kernel/Access.ts"
import { connected, freshAgent, type TestAgent } from "../agent.ts"
import { baseUrl, freshKey, freshProject } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { type Ran, type Settings } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

/** A fresh project, and `svc` with a key for it. */
export const visitor = (options: { readonly role?: Role; readonly scopes?: ReadonlyArray<Scope> } = {}) =>
  Effect.gen(function*() {
    const project = yield* freshProject()
    const { token } = yield* freshKey({
      roles: { [project.id]: options.role ?? "admin" },
      ...(options.scopes !== undefined && { scopes: options.scopes })
    })
    const base = yield* baseUrl
    const settings: Settings = {
      SVC_HOME: yield* temporaryHome,
      SVC_URL: base,
      SVC_API_KEY: token,
      SVC_PROJECT: project.slug
    }
    const run = (...args: ReadonlyArray<string>) => svcHere(args, settings)
    const connect = (name: string, hello: Parameters<typeof connected>[0]["hello"] = {}) =>
      Effect.gen(function*() {
        const credentials = yield* freshAgent(project, name)
        const agent = yield* connected({ base, ...credentials, hello })
        return Object.assign(agent, { id: credentials.agent_id })
      })
    return { project, base, token, settings, run, connect }
  })

/** Sends this result for every command. */
export const respondToCommands = (agent: TestAgent, result: Parameters<TestAgent["sendResult"]>[1]) => {
  agent.onCommand = (command) => agent.sendResult(command, result)
}

/** One line on standard error that has this in it, and the exit code. */
export const assertRefused = ({ code, stderr }: Ran, part: string | RegExp, expected = 1) => {
  assert.strictEqual(code, expected, stderr)
  assert.match(stderr, /^svc: [^\n]+\n$/)
  if (typeof part === "string") assert.include(stderr, part)
  else assert.match(stderr, part)
}

/** What it printed, having ended well. */
export const ok = ({ code, stderr, stdout }: Ran): string => {
  assert.strictEqual(code, 0, stderr + stdout)
  return stdout
}
