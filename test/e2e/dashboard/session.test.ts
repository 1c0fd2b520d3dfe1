import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connected, event } from "../../agent.ts"
import { has } from "../../needs.ts"
import { assertAccessible, browser, press, signIn, visit, waitUntil } from "./browser.ts"
import { shopOn } from "./shop.ts"

/** Beside filters and tabs: it copies, shows more, reads again, hides, filters by a person, or is for viewers too. */
const isHarmless = (name: string) =>
  [
    /^(Copy|Show as a table): /,
    /^(Load more|Try again|Ask the agent again|Dismiss)$/,
    /^(Saved views|Export matching tasks|Export in the background…|Filter by value|Columns and rows|\d+ new)$/,
    /^\{\d+\}$/, // a part of a JSON value
    /^Only actions by .*$/,
    /^(Deploy|Command|Rule|Missed run|Maintenance): /, // a mark of a chart
    /^[\d,]+ tasks? took /, // a bar of a histogram
    /^Mark (all as read|as read: )/ // the inbox is one's own
  ].some((pattern) => pattern.test(name))

/** What a viewer is refused, and forms. */
const canBeSilent = /(users|system|approvals|audit|channels|people|settings|import|new)$/

describe.skipIf(!(await has("chromium-headless-shell")))("sessions in the dashboard", () => {
  it.scopedLive(
    "a viewer, an end in the middle of work, two tabs, and a brain that is killed",
    () =>
      Effect.gen(function*() {
        const { call, invite, kill, restart, url } = yield* shopOn("SQLite")
        const chrome = yield* browser
        const viewer = yield* visit(chrome, url)
        const operator = yield* visit(chrome, url)
        const { page } = operator

        // a viewer sees no button that the API would refuse, on any page
        const { token, hmac_secret } = yield* Effect.promise(() =>
          call("POST", "/projects/shop/agents", { name: "box" })
        )
        const agent = yield* connected({ base: url, token, hmac_secret })
        yield* Effect.promise(async () => {
          const data = { task_name: "box.pay", queue: "box", worker: "w1@box", exception: "IOError: the card reader" }
          const grouping = { wait_seconds: 0, interval_seconds: 300, repeat_seconds: 14_400 }
          await call("POST", "/projects/shop/notifications/defaults", { trigger: "task.failed", grouping })
          await agent.sendEvents([event({ task_id: "pay-1", kind: "task.failed", data })])
          await call("POST", "/projects/shop/automation/rules", { name: "tell us", trigger: "task.failed" })
          await call("POST", "/projects/shop/bulk-retry-requests", {
            idempotency_key: crypto.randomUUID(),
            filter: { name: "box.pay" },
            rate_per_second: 0.1
          })
          const vera = await invite("Vera", "viewer")
          await viewer.page.goto("/projects/shop/tasks/celery/pay-1")
          await signIn(viewer.page, vera.email, vera.password)
          await waitUntil(async () => (await call("GET", "/projects/shop/notifications/alerts")).items.length > 0)
          const firstOf = async (path: string) => {
            const body = await call("GET", `/projects/shop${path}`)
            return (body.items ?? body)[0]
          }
          const pages = [
            "/",
            "/activity",
            "/users",
            "/system",
            "/inbox",
            ...[
              "",
              "/tasks",
              "/tasks/celery/pay-1",
              "/failures",
              `/failures/${(await firstOf("/issues")).fingerprint}`,
              "/names/payment.charge",
              "/dead-letters",
              "/schedules",
              "/schedules/import",
              `/schedules/${(await firstOf("/schedules")).id}`,
              "/queues",
              "/workers",
              "/workers?tab=processes",
              `/workers/${(await firstOf("/workers")).id}`,
              "/agents",
              "/agents/new",
              `/agents/${(await firstOf("/agents")).id}`,
              "/commands",
              "/bulk-retries",
              `/bulk-retries/${(await firstOf("/bulk-retry-requests")).id}`,
              "/automation",
              "/automation/new",
              `/automation/${(await firstOf("/automation/rules")).id}`,
              "/approvals",
              "/notifications",
              "/notifications?part=channels",
              "/notifications?part=maintenance",
              `/notifications/alerts/${(await firstOf("/notifications/alerts")).id}`,
              "/activity",
              "/audit",
              "/people",
              "/settings"
            ].map((path) => `/projects/shop${path}`)
          ]
          const main = viewer.page.getByRole("main")
          const found: Array<string> = []
          const silent: Array<string> = []
          const trueAt = viewer.page.locator("[data-true-at]").or(viewer.page.getByText("Live", { exact: true }))
          for (const path of pages) {
            await viewer.page.goto(path)
            await main.locator(":scope > *").first().waitFor()
            await waitUntil(async () => (await main.getByText("Loading…").count()) === 0)
            await trueAt.first().waitFor({ timeout: 2_000 }).catch(() => silent.push(path))
            const actions = main.locator("button:enabled:not([aria-pressed]):not([role=columnheader] *)")
              .or(main.getByRole("link", { name: /^(New|Create|Import|Edit)\b/ }))
            const names = await actions.evaluateAll((all) =>
              all.map((action) =>
                action.getAttribute("aria-label") ?? action.getAttribute("title") ?? action.textContent ?? ""
              )
            )
            found.push(...names.filter((name) => !isHarmless(name)).map((name) => `${path}: ${name}`))
          }
          assert.deepStrictEqual(found, [])
          // but for a form and what is refused, each page says when it was last true
          assert.deepStrictEqual(silent.filter((path) => !canBeSilent.test(path)), [])

          // all projects: their tasks over time, and the newest failed ones of any of them
          await viewer.page.goto("/")
          const read = viewer.page.waitForResponse(/\/home\/trends\?.*window=1h/)
          await viewer.page.getByLabel("Window").selectOption("1h")
          await read
          const chart = viewer.page.getByRole("region", { name: "Completed tasks" })
          await chart.getByRole("button", { name: "Show as a table: Completed tasks" }).click()
          await chart.getByRole("row").nth(60).waitFor()
          await assertAccessible(viewer.page, "all projects")
          await viewer.page.getByRole("region", { name: "Recent failures" }).getByRole("link").first().click()
          await viewer.page.waitForURL(/\/projects\/shop\/tasks\/.+/)
        })

        // a session that ends in the middle of work: sign-in, and back to the page
        const olga = yield* Effect.promise(() => invite("Olga", "operator"))
        yield* Effect.promise(async () => {
          await page.goto("/projects/shop/schedules?text=nightly")
          await signIn(page, olga.email, olga.password)
          await page.getByRole("link", { name: "nightly sales report" }).click()
          await press(page, "Trigger now")
          const dialog = page.getByRole("dialog")
          await dialog.waitFor()
          const { id } = await call("GET", "/users?limit=200").then((
            users: ReadonlyArray<{ id: string; email: string }>
          ) => users.find((user) => user.email === olga.email) ?? { id: "" })
          const address = page.url()
          await call("POST", `/users/${id}/password`, { new_password: olga.password }) // ends all sessions of the account
          await dialog.getByRole("button", { name: "Trigger now" }).click()
          await page.getByText("Your session has ended.").waitFor()
          await signIn(page, olga.email, olga.password)
          await page.waitForURL(address)
          await page.getByRole("heading", { level: 1, name: "nightly sales report" }).waitFor()
        })

        // two tabs: a change in one is seen in the other, and so is the sign-out
        yield* Effect.promise(async () => {
          const other = await page.context().newPage()
          await other.goto(page.url())
          await other.getByRole("button", { name: "Pause", exact: true }).waitFor()
          await press(page, "Pause")
          await other.getByRole("button", { name: "Resume", exact: true }).waitFor()
          await press(other, "Account and settings")
          await press(other, "Sign out")
          await other.getByRole("heading", { name: "Sign in" }).waitFor()
          await page.getByText("Your session has ended.").waitFor()
          await other.close()
        })

        // the brain is killed: the page says since when it is not live, and recovers by itself
        yield* Effect.promise(async () => {
          await page.goto("/projects/shop/tasks")
          await signIn(page, olga.email, olga.password)
          await page.getByText("Live", { exact: true }).waitFor()
          await page.getByRole("row").getByRole("link").first().waitFor()
        })
        yield* kill
        yield* Effect.promise(async () => {
          await page.getByText("Reconnecting", { exact: true }).waitFor()
          await page.getByText(/^as of /).waitFor()
          await page.getByRole("row").getByRole("link").first().waitFor() // what was read stays
          await page.keyboard.press("j")
          await page.keyboard.press("r")
          await page.keyboard.press("Enter")
          await page.getByText("Can't reach the server").first().waitFor()
        })
        yield* restart
        yield* Effect.promise(async () => {
          await page.getByText("Live", { exact: true }).waitFor()
          await page.getByRole("button", { name: /^\d+ new$/ }).click()
        })
        assert.deepStrictEqual([...viewer.complaints, ...operator.complaints], [])
      })
  )
})
