import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { serverOn } from "../brain.ts"
import { assertRefused, ok, visitor } from "./remote.ts"

layer(serverOn("SQLite"), { excludeTestServices: true })("svc searchable-paths", (it) => {
  it.scoped("adds, lists and removes the places whose values are searched by an index", () =>
    Effect.gen(function*() {
      const { run } = yield* visitor()
      const svc = (...args: ReadonlyArray<string>) => run("searchable-paths", ...args)
      assert.match(ok(yield* svc("add", "shop.pay", "args.order")), /^args\.0\.order of shop\.pay is searchable \(\w+/)
      assert.match(ok(yield* svc("list")), /^TASK +PATH +STATUS +ID\nshop\.pay +args\.0\.order +\w+/)
      const [listed] = JSON.parse(ok(yield* svc("list", "--json")))
      assert.deepInclude(listed, { task_name: "shop.pay", path: "args.0.order" })
      assertRefused(yield* svc("add", "shop.pay", "name"), "path", 2)
      assertRefused(yield* svc("remove", "shop.pay", "kwargs.order"), "is not searchable")
      assert.strictEqual(
        ok(yield* svc("remove", "shop.pay", "args.order")),
        "args.0.order of shop.pay is not searchable any more\n"
      )
      assert.deepStrictEqual(JSON.parse(ok(yield* svc("list", "--json"))), [])
    }))
})
