import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { has } from "../../needs.ts"
import { browser, signIn, visit } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

/** What a person may type, or a link may carry, as the value of a parameter. */
const values = ["1598", "true", "{\"a\":1}"]

const pages: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/": ["window"],
  "/account": ["tab"],
  "/account/notifications": ["part", "delivery", "channel", "project", "shown"],
  "/activity": ["person", "prefix"],
  "/inbox": ["unread"],
  "/system": ["tab", "q", "set"],
  "/projects/shop": ["window"],
  "/projects/shop/tasks": ["q"],
  "/projects/shop/failures": ["status", "hours", "engine"],
  "/projects/shop/dead-letters": ["engine", "queue", "agent"],
  "/projects/shop/schedules": ["tab", "text", "state"],
  "/projects/shop/commands": ["status"],
  "/projects/shop/queues": ["old"],
  "/projects/shop/workers": ["old", "tab"],
  "/projects/shop/agents": ["old"],
  "/projects/shop/agents/new": ["engine"],
  "/projects/shop/notifications": ["part", "status", "delivery", "channel", "alert", "shown"],
  "/projects/shop/automation/new": ["days", "fingerprint"],
  "/projects/shop/approvals": ["status", "id"],
  "/projects/shop/activity": ["person", "prefix"],
  "/projects/shop/audit": ["person", "prefix", "outcome", "window", "target", "tab"]
}

describe.skipIf(!(await has("chromium-headless-shell")))("addresses of the dashboard", () => {
  it.scopedLive(
    "every parameter is text that its page checks, and none stops a page",
    () =>
      Effect.gen(function*() {
        const { password, url } = yield* shopOn("SQLite")
        const { complaints, page } = yield* visit(yield* browser, url)
        yield* Effect.promise(async () => {
          await page.goto("/projects/shop/tasks?q=1598")
          await signIn(page, email, password)
          const query = page.getByLabel("Filter tasks")
          await query.waitFor()
          assert.strictEqual(await query.inputValue(), "1598", "digits are text")
          for (const value of ["true", "null"]) {
            await page.goto(`/projects/shop/tasks?q=${value}`)
            await query.waitFor()
            assert.strictEqual(await query.inputValue(), value)
          }
          for (const [path, names] of Object.entries(pages)) {
            for (const value of values) {
              const search = new URLSearchParams(names.map((name): [string, string] => [name, value]))
              await page.goto(`${path}?${search}`)
              await page.getByRole("heading", { level: 1 }).first().waitFor()
            }
          }
          await page.goto("/system?tab=versions")
          await page.getByText(/^SQLite \d/).waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Check for newer versions" }).count(), 0)
          // a value that was refused is absent, and does not come back by another one
          await page.goto("/system?tab=elsewhere&q=database")
          await page.getByText("Signed audit log").waitFor()
        })
        assert.deepStrictEqual(complaints, [])
        for (const to of ["//evil.example", "/\\evil.example", "/\t/evil.example", "https://evil.example", "1598"]) {
          const other = yield* visit(yield* browser, url)
          yield* Effect.promise(async () => {
            await other.page.goto(`/sign-in?${new URLSearchParams({ to, ended: "1598", factor: "{}" })}`)
            await signIn(other.page, email, password)
            assert.strictEqual(new URL(other.page.url()).origin, new URL(url).origin, `a link that leads to ${to}`)
            await other.page.context().close()
          })
          assert.deepStrictEqual(other.complaints, [])
        }
      }),
    600_000
  )
})
