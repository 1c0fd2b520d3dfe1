import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { has } from "../../needs.ts"
import { assertAccessible, assertFitsPhone, browser, signIn, visit, waitUntil } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

describe.skipIf(!(await has("chromium-headless-shell")))("deploys and task names in the dashboard", () => {
  it.scopedLive(
    "charts mark deploys and open the tasks of a time, and a name has a page of its own",
    () =>
      Effect.gen(function*() {
        const { call, password, url } = yield* shopOn("SQLite")
        const chrome = yield* browser
        const { complaints, page } = yield* visit(chrome, url)
        yield* Effect.promise(async () => {
          const { items } = await call("GET", "/projects/shop/issues?hours=720")
          const [group] = items
          const minutesBefore = (time: string, minutes: number) =>
            new Date(Date.parse(time) - minutes * 60_000).toISOString()
          await call("POST", "/projects/shop/deploys", { version: "v1.4.2", at: minutesBefore(group.first_seen, 3) })
          await call("POST", "/projects/shop/deploys", {
            version: "v1.5.0",
            at: minutesBefore(new Date().toISOString(), 600),
            note: "New payment provider"
          })

          // a flag says what it is to keys and pointers, and its kind can be hidden on all charts
          await page.goto("/projects/shop")
          await signIn(page, email, password)
          const chart = page.getByRole("region", { name: "Completed tasks" })
          const flag = chart.getByRole("button", { name: /Deploy: v1\.5\.0 · New payment provider/ })
          await flag.focus()
          await chart.locator("[data-marks=note]").getByText(/v1\.5\.0/).waitFor()
          await page.keyboard.press("Enter")
          await chart.getByRole("link", { name: /v1\.5\.0/ }).waitFor()
          await assertAccessible(page, "a mark")
          await page.keyboard.press("Escape")
          await chart.locator("[data-marks=note]").waitFor({ state: "detached" })
          const kind = page.getByRole("toolbar", { name: "Marks" }).getByRole("button", { name: "Deploy", exact: true })
          await kind.click()
          await flag.waitFor({ state: "detached" })
          await page.reload()
          await kind.waitFor()
          assert.strictEqual(await kind.getAttribute("aria-pressed"), "false")
          assert.strictEqual(await flag.count(), 0)
          await kind.click()
          await flag.waitFor()

          // a click opens the tasks of a bucket, a drag those of a time
          const plot = chart.locator(".u-over")
          const openedBy = async (act: () => Promise<void>) => {
            await act()
            await page.waitForURL(/\/tasks\?q=finished/)
            const { searchParams } = new URL(page.url())
            const [, from = "", to = ""] =
              /^finished:(\S+) -finished:(\S+) until:\2$/.exec(searchParams.get("q") ?? "") ??
                []
            await page.goBack()
            await plot.waitFor()
            return (Date.parse(to) - Date.parse(from)) / 60_000
          }
          assert.strictEqual(await openedBy(() => plot.click({ position: { x: 200, y: 60 } })), 15)
          const box = await plot.boundingBox()
          const [x, y] = [(box?.x ?? 0) + 100, (box?.y ?? 0) + 60]
          const dragged = await openedBy(async () => {
            await page.mouse.move(x, y)
            await page.mouse.down()
            await page.mouse.move(x + 150, y, { steps: 5 })
            await page.mouse.up()
          })
          assert.isAbove(dragged, 60)
          await chart.getByRole("img").focus()
          await page.keyboard.press("End")
          assert.strictEqual(await openedBy(() => page.keyboard.press("Enter")), 15)

          // last week as a pale line; the tiles say by how much they differ
          await page.getByLabel("Compare with last week").check()
          await page.waitForURL(/compare=true/)
          await chart.getByText("Succeeded, last week").waitFor()

          // a group says which deploy it began after
          await page.goto(`/projects/shop/failures/${group.fingerprint}?hours=720`)
          await page.getByText(/^First seen 3.* after v1\.4\.2$/).waitFor()
          await page.getByRole("region", { name: "What differs when it fails" }).getByText(/^Compared: [1-9]/).waitFor()
          await assertAccessible(page, "failure group with a deploy")

          // a failed task says what it has other than the last success, which is a link
          await page.getByRole("region", { name: "Latest failure" }).getByRole("link", { name: "Open the task" })
            .click()
          const compared = page.getByRole("region", { name: "Against the last success" })
          await compared.getByRole("row").filter({ hasText: "order" }).waitFor()
          await assertAccessible(page, "a failed task")
          await assertFitsPhone(page)
          await compared.getByRole("link").click()
          await compared.waitFor({ state: "detached" })
          assert.match(page.url(), /\/projects\/shop\/tasks\//)

          // a name: its runs, queues, groups, and the brush of its histogram
          await page.goto("/projects/shop")
          await page.getByRole("region", { name: "Most failures" }).getByRole("link", { name: "payment.charge" })
            .click()
          await page.waitForURL(/\/names\/payment\.charge/)
          await page.getByRole("heading", { level: 1, name: "payment.charge" }).waitFor()
          await waitUntil(async () =>
            await page.getByRole("region", { name: "Last 50 runs" }).getByRole("link").count() > 10
          )
          await page.getByRole("region", { name: "Failure groups" }).getByRole("link").first().waitFor()
          await page.getByRole("region", { name: "Queues" }).getByRole("row").nth(1).waitFor()
          const differing = page.getByRole("region", { name: "What differs when it fails" })
          await differing.getByText(/^Compared: [1-9]\d* of [\d,]+ failed and [1-9]\d* of [\d,]+ succeeded tasks\.$/)
            .waitFor()
          await assertAccessible(page, "a task name")
          await assertFitsPhone(page)
          const bars = page.getByRole("region", { name: "Distribution of run times" }).getByRole("toolbar", {
            name: /arrow keys/
          })
            .getByRole("button")
          await bars.first().focus()
          await page.keyboard.press("Shift+ArrowRight")
          await page.keyboard.press("Enter")
          await page.waitForURL(/runtime/)
          const query = new URL(page.url()).searchParams.get("q") ?? ""
          assert.match(query, /^name:=payment\.charge finished:24h runtime:>\d+ms runtime:<=\d+ms$/)
          await page.getByRole("row").nth(1).waitFor()
          assert.deepStrictEqual(complaints, [])
        })
      })
  )
})
