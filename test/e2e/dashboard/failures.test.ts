import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { has } from "../../needs.ts"
import {
  assertAccessible,
  assertFitsPhone,
  browser,
  confirm,
  openByPalette,
  signIn,
  visit,
  waitUntil
} from "./browser.ts"
import { email, shopOn } from "./shop.ts"

const ready = await has("chromium-headless-shell")

/** From a group's page: a bulk retry of it at this rate, after its preview. */
const retryGroup = async (page: Page, rate: string) => {
  await page.getByRole("button", { name: "Retry all" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText(/^[1-9][\d,]* matching tasks?$/).waitFor()
  await dialog.getByLabel("Retries per second").fill(rate)
  await dialog.getByRole("button", { name: "Start retry" }).click()
  await page.waitForURL(/\/bulk-retries\/[0-9a-f-]{36}$/)
}

describe.skipIf(!ready)("failures on the dashboard", () => {
  it.scopedLive(
    "groups are found and retried in bulk, dead letters requeued, and a viewer only reads",
    () =>
      Effect.gen(function*() {
        const { call, inviteViewer, password, url } = yield* shopOn("PostgreSQL")
        const chrome = yield* browser
        const { complaints, page } = yield* visit(chrome, url)
        const viewer = yield* visit(chrome, url)
        yield* Effect.promise(async () => {
          // the groups, and a filter that none matches
          await page.goto("/projects/shop/failures?status=recovered")
          await signIn(page, email, password)
          await page.getByText("No group matches").waitFor()
          await page.getByRole("button", { name: "Clear filter" }).click()
          await page.getByRole("row").filter({ hasText: "payment.charge" }).waitFor()
          const [newest] = (await call("GET", "/projects/shop/issues?sort=first_seen")).items
          const at = new Date(Date.parse(newest.first_seen) - 180_000).toISOString()
          await call("POST", "/projects/shop/deploys", { version: "v1.4.2", at })
          await page.reload()
          await page.getByRole("row").filter({ hasText: newest.sample_task_name }).getByText("after v1.4.2").waitFor()
          await page.getByLabel("Failed within").selectOption("24")
          await page.waitForURL(/hours=24/)
          await page.getByRole("row").filter({ hasText: "payment.charge" }).waitFor()
          await assertAccessible(page, "failure groups")
          await assertFitsPhone(page)

          // counts, chart and tasks follow the window, from the list to the group
          await page.getByLabel("Failed within").selectOption("1")
          const declined = page.getByRole("row").filter({ hasText: "payment.charge" })
          await waitUntil(async () => {
            const { items } = await call("GET", "/projects/shop/issues?hours=1")
            const group = items.find(({ sample_task_name }: { sample_task_name: string }) =>
              sample_task_name === "payment.charge"
            )
            return group.window.occurrences < group.occurrences &&
              (await declined.getByRole("cell").nth(4).innerText()).trim() === String(group.window.occurrences)
          })
          await declined.getByRole("link").click()
          await page.waitForURL(/\/failures\/[0-9a-f]{16}\?hours=1$/)
          await page.getByRole("button", { name: "Show as a table: Failed attempts" }).click()
          await waitUntil(async () => [60, 61, 62].includes(await page.getByRole("rowheader").count()))
          const tasksLink = page.getByRole("link", { name: "Show in the list of tasks" })
          assert.include(await tasksLink.getAttribute("href"), "finished%3A1h")
          await page.getByLabel("Failed within").selectOption("24")
          await page.waitForURL(/\?hours=24$/)
          await waitUntil(async () => (await tasksLink.getAttribute("href"))?.includes("finished%3A24h") === true)
          await page.goto("/projects/shop/failures")
          await page.getByRole("link", { name: /invoice\.render_pdf/ }).click()
          await page.getByRole("region", { name: "Latest failure" }).getByText("FontMissing").waitFor()
          await page.getByRole("region", { name: "Failed attempts", exact: true }).waitFor()
          await assertAccessible(page, "failure group")
          await assertFitsPhone(page)
          const group = page.url()
          const fingerprint = group.split("/").at(-1) ?? ""
          assert.include(
            await page.getByRole("link", { name: "Show in the list of tasks" }).getAttribute("href"),
            `fingerprint%3A${fingerprint}`
          )
          const listed = page.getByRole("region", { name: "Tasks" }).locator("td:nth-child(3) time")
          await listed.nth(1).waitFor()
          const moments = await listed.evaluateAll((times) => times.map((time) => time.getAttribute("datetime")))
          assert.deepStrictEqual(moments, [...moments].sort().reverse(), "by age, the newest first")

          // a member takes it, writes a note, mutes it, finds it among the muted ones, resolves and reopens it
          const triage = page.getByRole("region", { name: "Triage" })
          await triage.getByLabel("Assignee").selectOption((await call("GET", "/auth/me")).id)
          await triage.getByRole("button", { name: "Add a note" }).click()
          await page.getByRole("dialog").getByLabel("Note").fill("Waits for the <b>font</b>")
          await confirm(page, "Save")
          await triage.getByText("Waits for the <b>font</b>").waitFor()
          await page.getByRole("button", { name: "Mute", exact: true }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Until it escalates" }).click()
          await triage.getByText("Muted", { exact: true }).waitFor()
          await assertAccessible(page, "muted failure group")
          await assertFitsPhone(page)
          await page.goto("/projects/shop/failures?assignee=me&sort=count")
          await page.getByText("No group matches").waitFor()
          await page.getByLabel("Status", { exact: true }).selectOption("muted")
          await page.waitForURL(/status=muted/)
          const found = page.getByRole("row").filter({ hasText: "invoice.render_pdf" })
          await found.waitFor()
          await page.getByLabel("Find a group").fill("no such text")
          await page.getByText("No group matches").waitFor()
          await page.getByLabel("Find a group").fill("fontmissing")
          await assertFitsPhone(page)
          await found.getByRole("link").click()
          await page.getByRole("button", { name: "Change mute" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Unmute" }).click()
          await page.getByRole("button", { name: "Resolve", exact: true }).click()
          await triage.getByText(/^(Resolved|Regressed)$/).waitFor()
          await page.getByRole("button", { name: "Reopen" }).click()
          await triage.getByText("Ongoing", { exact: true }).waitFor()
          await page.goto("/projects/shop/activity?prefix=failure_group.")
          await page.getByText(/ reopened failure group /).first().waitFor()
          await page.goto(group)

          // a slow bulk retry is paused, resumed and cancelled
          await retryGroup(page, "0.5")
          const request = () => call("GET", `/projects/shop/bulk-retry-requests/${page.url().split("/").at(-1)}`)
          assert.containSubset(await request(), { filter: { fingerprint }, rate_per_second: 0.5, status: "running" })
          await page.getByRole("button", { name: "Pause", exact: true }).click()
          await page.getByText("Paused", { exact: true }).waitFor()
          assert.strictEqual((await request()).control_state, "paused")
          await page.getByRole("button", { name: "Resume", exact: true }).click()
          await page.getByText("Running", { exact: true }).waitFor()
          assert.strictEqual((await request()).control_state, "running")
          await assertAccessible(page, "bulk retry")
          await assertFitsPhone(page)
          await page.getByRole("button", { name: "Cancel retry" }).click()
          await page.getByRole("dialog").getByText(/ will not be retried\./).waitFor()
          await confirm(page, "Cancel retry")
          await page.getByText("Cancelled", { exact: true }).first().waitFor()
          assert.strictEqual((await request()).status, "cancelled")
          assert.strictEqual(await page.getByRole("button", { name: "Resume" }).count(), 0)

          // another one continues once its rate is lifted, until every task has its outcome
          await openByPalette(page, "fontmissing", "invoice.render_pdf", "invoice.render_pdf")
          assert.strictEqual(page.url(), group)
          await retryGroup(page, "0.5")
          await page.getByRole("button", { name: "Change rate" }).click()
          await page.getByLabel("Retries per second").fill("")
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByText("Completed", { exact: true }).waitFor()
          const { counts, rate_per_second } = await request()
          assert.isNull(rate_per_second)
          assert.strictEqual(counts.pending + counts.claimed, 0)

          // the font is still missing: what was retried fails again, and the page says so
          await page.getByRole("progressbar", { name: "Outcome of the retried tasks" }).waitFor()
          // they wait behind the other tasks of the shop, whose workers are slow on a busy machine
          await page.getByText(/^[1-9][0-9,]* failed again$/).waitFor({ timeout: 240_000 })
          await page.getByRole("link", { name: "Show the tasks that failed again" }).click()
          await page.waitForURL(/status=succeeded&outcome=failed/)
          await page.getByRole("row").filter({ hasText: "Failed again" }).first().waitFor()
          await page.getByRole("columnheader", { name: "Finished" }).waitFor()
          assert.isAbove((await request()).outcomes.failed, 0)
          await assertAccessible(page, "bulk retry whose tasks failed again")
          await assertFitsPhone(page)
          await page.getByRole("button", { name: "Retried", exact: true }).click()
          await page.waitForURL(/status=succeeded/)
          await page.getByRole("row").filter({ hasText: "invoice.render_pdf" }).first().waitFor()
          await page.getByRole("link", { name: "Commands", exact: true }).click()
          await page.getByRole("link", { name: "Bulk retries" }).click()
          await page.getByRole("row").filter({ hasText: "Cancelled" }).waitFor()
          await page.getByRole("row").filter({ hasText: "Completed" }).waitFor()
          await assertAccessible(page, "bulk retries")
          await assertFitsPhone(page)

          // a dead letter goes back to its queue
          await page.goto("/projects/shop/dead-letters")
          await page.getByRole("button", { name: "Requeue" }).first().waitFor()
          await assertAccessible(page, "dead letters")
          await assertFitsPhone(page)
          await page.getByRole("button", { name: "Requeue" }).first().click()
          await page.getByRole("dialog").getByRole("button", { name: "Requeue" }).click()
          await page.getByText(/^Completed\./).waitFor()
          const { items } = await call("GET", "/projects/shop/commands?limit=200")
          assert.isTrue(
            items.some(({ action, status }: { action: string; status: string }) =>
              action === "requeue_dead_letter" && status === "completed"
            )
          )

          // the overview of a month, and an agent that does not connect
          await call("POST", "/projects/shop/agents", { name: "box-2" })
          await page.goto("/projects/shop?window=30d")
          await page.getByText("box-2: has never connected").waitFor()
          await page.getByRole("region", { name: "Failure rate" }).waitFor()
          await page.getByRole("region", { name: "Failure groups with open tasks" }).getByText("CardDeclined").first()
            .waitFor()
          await assertAccessible(page, "overview")
          await assertFitsPhone(page)
          await page.getByRole("button", { name: "Show as a table: Failure rate" }).click()
          await waitUntil(async () => (await page.getByRole("rowheader").count()) >= 30)

          const account = await inviteViewer()
          await viewer.page.goto(group)
          await signIn(viewer.page, account.email, account.password)
          await viewer.page.getByRole("region", { name: "Latest failure" }).waitFor()
          assert.strictEqual(await viewer.page.getByRole("button", { name: "Retry all" }).count(), 0)
          assert.strictEqual(await viewer.page.getByRole("link", { name: "Create a rule" }).count(), 0)
          assert.strictEqual(await viewer.page.getByRole("button", { name: "Resolve" }).count(), 0)
          await viewer.page.getByText("Waits for the <b>font</b>").waitFor()
          await viewer.page.goto("/projects/shop/dead-letters")
          await viewer.page.getByRole("row").filter({ hasText: "payment.charge" }).first().waitFor()
          assert.strictEqual(await viewer.page.getByRole("button", { name: "Requeue" }).count(), 0)
        })
        assert.deepStrictEqual([...complaints, ...viewer.complaints], [])
      })
  )
})
