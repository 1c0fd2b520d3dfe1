import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { serverOn } from "../brain.ts"
import { assertRefused, ok, visitor } from "./remote.ts"

layer(serverOn("SQLite"), { excludeTestServices: true })("svc deploys", (it) => {
  it.scoped("marks a deploy, and lists them", () =>
    Effect.gen(function*() {
      const { run } = yield* visitor({ role: "operator", scopes: ["deploys:read", "deploys:write"] })
      assert.match(ok(yield* run("deploys", "mark", "v1.4.2")), /^marked v1.4.2, deployed \d{4}-\S+ \S+ UTC\n$/)
      const earlier = JSON.parse(
        ok(yield* run("deploys", "mark", "v1.4.1", "--at", "2h", "--note", "New provider", "--json"))
      )
      assert.strictEqual(earlier.note, "New provider")
      assert.match(
        ok(yield* run("deploys", "list")),
        /^VERSION +DEPLOYED +NOTE +ID\nv1.4.2 [^\n]+\nv1.4.1 [^\n]+New provider [^\n]+\n$/
      )
      assertRefused(yield* run("deploys", "mark", "v2", "--at", "tomorrow"), "--at takes a time", 2)
    }))
})
