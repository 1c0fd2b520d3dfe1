import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout } from "node:timers/promises"
import type { Page } from "playwright-core"
import { has } from "../../needs.ts"
import {
  assertAccessible,
  browser,
  clickBeside,
  dragBeside,
  openByPalette,
  press,
  signIn,
  visit,
  waitUntil
} from "./browser.ts"
import { email, shopOn } from "./shop.ts"

const ready = await has("chromium-headless-shell")

const schedules = "/projects/shop/schedules"

/** Chooses the schedule from the list, which finds it by its name. */
const openSchedule = async (page: Page, name: string) => {
  await page.goto(`${schedules}?text=${encodeURIComponent(name)}`)
  await page.getByRole("link", { name, exact: true }).click()
  await page.getByRole("heading", { level: 1, name }).waitFor()
}

describe.skipIf(!ready)("the pages of schedules", () => {
  it.scopedLive(
    "show what schedules did and do next, and operate them until each outcome",
    () =>
      Effect.gen(function*() {
        const { call, inviteViewer, password, url } = yield* shopOn("SQLite")
        const get = (path: string) => call("GET", path)
        const chrome = yield* browser
        const { complaints, page } = yield* visit(chrome, url)
        interface Named {
          readonly id: string
          readonly name: string
        }
        const find = async (name: string) => {
          const { items } = await get("/projects/shop/schedules?limit=100")
          return items.find((schedule: Named) => schedule.name === name)
        }

        yield* Effect.promise(async () => {
          await page.goto(schedules)
          await signIn(page, email, password)
          const row = page.getByRole("row").filter({ hasText: "nightly sales report" })
          const strip = row.getByRole("list", { name: /^Last 20 fires/ })
          await strip.getByRole("link", { name: /Waited too long$/ }).waitFor()
          assert.strictEqual(await strip.getByRole("link").count(), 20)
          await row.getByText("At 02:30 every day").waitFor()
          await assertAccessible(page, "schedules")

          // the text and the state are part of the address
          await press(page, "In quarantine")
          await page.waitForURL(/state=quarantined/)
          await waitUntil(async () => (await page.getByRole("row").count()) === 2)
          await page.getByRole("row").filter({ hasText: "supplier payout" }).waitFor()
          await press(page, "All")
          await page.getByRole("searchbox", { name: "Find a schedule" }).fill("nothing of the kind")
          await page.getByText("No schedules match").waitFor()
          await press(page, "Show all")
          await row.waitFor()

          await press(page, "Misfires")
          await page.getByRole("row").filter({ hasText: "No agent was connected" }).first().waitFor()
          await press(page, "Schedulers")
          await page.getByRole("row").filter({ hasText: "shop-clock" }).getByText("Connected").waitFor()
          await press(page, "Read again")
          await page.getByText("Asked 1 agent, for shop-clock.").waitFor()
        })

        // the quarantine says what ends it, and ends
        yield* Effect.promise(async () => {
          await openSchedule(page, "supplier payout")
          await page.getByText("Find out whether the task of the fire ran").waitFor()
          await assertAccessible(page, "a schedule in quarantine")
          await press(page, "Resolve the fire")
          await page.getByLabel("The task did not run").check()
          await press(page, "Resolve")
          await page.getByText("Resolved: did not run").waitFor()
          await page.getByText("In quarantine").first().waitFor({ state: "detached" })
          const { id, quarantined_at } = await find("supplier payout")
          assert.isNull(quarantined_at)
          assert.strictEqual((await get(`/projects/shop/schedules/${id}/fires`))[0].status, "operator_skipped")

          // a fire of the strip leads to its row
          await page.goto(`${schedules}?text=nightly`)
          await page.getByRole("link", { name: /Waited too long$/ }).click()
          await page.getByText("It waited for an agent longer than the server allows.").waitFor()
        })

        // actions of one click, and a trigger with its outcome
        yield* Effect.promise(async () => {
          await openSchedule(page, "warehouse sync")
          const { id } = await find("warehouse sync")
          const shown = () => get(`/projects/shop/schedules/${id}`)
          await press(page, "Pause")
          await page.getByRole("button", { name: "Resume", exact: true }).waitFor()
          assert.isNotNull((await shown()).paused_at)
          await press(page, "Resume")
          await page.getByRole("button", { name: "Pause", exact: true }).waitFor()
          assert.isNull((await shown()).paused_at)
          await press(page, "Disable")
          await page.getByRole("button", { name: "Enable", exact: true }).waitFor()
          assert.isFalse((await shown()).is_enabled)
          await press(page, "Enable")
          await page.getByRole("button", { name: "Disable", exact: true }).waitFor()
          assert.isTrue((await shown()).is_enabled)
          await press(page, "Trigger now")
          await page.getByRole("dialog").getByRole("button", { name: "Trigger now" }).click()
          await page.getByText("Trigger: warehouse sync").waitFor()
          await page.getByText("Completed.").waitFor()
        })

        // a new schedule, with its ticks before it is saved; then an edit, and a deletion
        yield* Effect.promise(async () => {
          await page.goto(schedules)
          await press(page, "New schedule")
          const dialog = page.getByRole("dialog")
          // text that is selected beyond the dialog does not close it, nor does a click beside what was filled in
          await dragBeside(page, dialog.getByLabel("Named arguments"))
          await clickBeside(page)
          await dialog.waitFor({ state: "detached" })
          await press(page, "New schedule")
          await dialog.getByLabel("Name", { exact: true }).fill("stock alarm")
          await dragBeside(page, dialog.getByLabel("Named arguments"))
          await clickBeside(page)
          assert.strictEqual(await dialog.getByLabel("Name", { exact: true }).inputValue(), "stock alarm")
          await dialog.getByLabel("Task", { exact: true }).fill("stock.sync_warehouse")
          await dialog.getByLabel("Engine").fill("effect-queue")
          await dialog.getByLabel("Time zone").fill("Europe/Berlin")
          await dialog.getByLabel("Expression").fill("0 24 * * *")
          await dialog.getByText("24 is outside 0 to 23").waitFor()
          await dialog.getByLabel("Expression").fill("30 2 * * *")
          await dialog.getByText(/Clocks go (?:forward|back)/).first().waitFor()
          const ticks = dialog.locator("[role=group][aria-label=Preview]")
          assert.isAtMost(await ticks.evaluate((one) => one.scrollWidth - one.clientWidth), 0, "the ticks are not cut")
          await dialog.getByLabel("Expression").fill("30 2 * MAR SUN") // one of these Sundays has no 02:30
          await dialog.getByText("At 02:30, on Sunday, in March").waitFor()
          await dialog.getByText("moved", { exact: true }).first().waitFor()
          await dialog.getByLabel("Named arguments").fill("{\"big\": 9007199254740993}")
          await assertAccessible(page, "a new schedule")
          await dialog.getByRole("button", { name: "Create" }).click()
          await page.getByRole("heading", { level: 1, name: "stock alarm" }).waitFor()
          await page.getByText("9007199254740993").first().waitFor()
          const { id } = await find("stock alarm")
          assert.isTrue(page.url().endsWith(id))
          await page.getByRole("link", { name: "Schedules", exact: true }).click()
          await openByPalette(page, "alarm", "stock alarm")

          await press(page, "Edit")
          await dialog.getByText("Nothing has changed yet.").waitFor()
          await dialog.getByLabel("Kind").selectOption("interval")
          await dialog.getByLabel("Expression").fill("1 h 30 min")
          await dialog.getByText("1 h 30 min (").waitFor()
          await dialog.getByLabel("Kind").selectOption("cron")
          await dialog.getByLabel("Expression").fill("15 4 * * *")
          await dialog.getByRole("region", { name: "Changes" }).getByText("15 4 * * * (At 04:15 every day)")
            .waitFor()
          await press(page, "Save")
          await dialog.waitFor({ state: "detached" })
          await page.getByText(/^At 04:15 every day/).waitFor()
          assert.strictEqual((await find("stock alarm")).expression, "15 4 * * *")

          await press(page, "Delete")
          const confirm = dialog.getByRole("button", { name: "Delete" })
          assert.isTrue(await confirm.isDisabled())
          await dialog.getByLabel("Type stock alarm to confirm").fill("stock alarm")
          await confirm.click()
          await page.waitForURL(/\/schedules$/)
          assert.isUndefined(await find("stock alarm"))
        })

        // while the updates are paused, no tick reads anything
        yield* Effect.promise(async () => {
          const { id } = await call("POST", "/projects/shop/schedules", {
            name: "pulse",
            engine: "effect-queue",
            kind: "interval",
            expression: "1",
            task_name: "stock.sync_warehouse"
          })
          await page.goto(`${schedules}/${id}`)
          await page.getByRole("region", { name: "Next ticks" }).first().waitFor()
          await press(page, "Pause updates")
          const requests: Array<string> = []
          page.on("request", (request) => {
            if (request.url().includes("/api/")) requests.push(request.url()) // code is loaded all the same
          })
          await setTimeout(3_500)
          assert.deepStrictEqual(requests, [])
          page.removeAllListeners("request")
          await press(page, "Resume updates")
        })

        // another scheduler's schedule: its agent is asked, and the outcome followed
        yield* Effect.promise(async () => {
          await openSchedule(page, "recount Porto")
          await page.getByText("shop-clock owns and fires this schedule.").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Edit", exact: true }).count(), 0)
          await press(page, "Disable")
          await page.getByText("Succeeded.").waitFor()
          await page.getByRole("button", { name: "Enable", exact: true }).waitFor()
          assert.isFalse((await find("recount Porto")).is_enabled)
        })

        // a snapshot is compared before it is imported
        yield* Effect.promise(async () => {
          await page.goto(schedules)
          await page.getByRole("link", { name: "Import" }).click()
          await page.getByLabel("Snapshot").fill(JSON.stringify({
            source_filter: "git",
            mode: "replace",
            schedules: [{
              name: "weekly digest",
              engine: "effect-queue",
              kind: "cron",
              expression: "0 7 * * MON",
              task_name: "report.nightly_sales",
              source: "git"
            }]
          }))
          await press(page, "Compare")
          const difference = page.getByRole("region", { name: "What the import would change" })
          await difference.getByText("1 new, 0 changed, 2 deleted").waitFor()
          await difference.getByText("customer digest").waitFor()
          await assertAccessible(page, "import of schedules")
          await press(page, "Import")
          await page.getByLabel("Type git to confirm").fill("git")
          await page.getByRole("dialog").getByRole("button", { name: "Import" }).click()
          await page.waitForURL(/\/schedules$/)
          assert.isUndefined(await find("customer digest"))
          assert.strictEqual((await find("weekly digest")).source, "git")

          await page.setViewportSize({ width: 390, height: 800 })
          for (const name of ["nightly sales report", "recount Porto"]) {
            await openSchedule(page, name)
            await page.getByRole("region", { name: "Next ticks" }).first().waitFor()
            assert.isAtMost(await page.locator("html").evaluate(({ scrollWidth }) => scrollWidth), 390)
          }
        })

        // a viewer sees no button that the API would refuse
        const invited = yield* Effect.promise(inviteViewer)
        const viewer = yield* visit(chrome, url)
        yield* Effect.promise(async () => {
          await viewer.page.goto(`${schedules}?text=nightly`)
          await signIn(viewer.page, invited.email, invited.password)
          await viewer.page.getByRole("link", { name: "nightly sales report" }).waitFor()
          const forbidden = /^(New schedule|Import|Trigger now|Pause|Disable|Edit|Delete|Read again)$/
          const count = () => viewer.page.getByRole("button", { name: forbidden }).count()
          assert.strictEqual(await count() + await viewer.page.getByRole("link", { name: forbidden }).count(), 0)
          await viewer.page.getByRole("link", { name: "nightly sales report" }).click()
          await viewer.page.getByRole("region", { name: "Next ticks" }).first().waitFor()
          assert.strictEqual(await count(), 0)
        })
        assert.deepStrictEqual([...complaints, ...viewer.complaints], [])
      })
  )
})
