import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { connected, event } from "../../agent.ts"
import { has } from "../../needs.ts"
import { assertAccessible, assertFitsPhone, browser, press, signIn, visit, waitUntil } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

const ready = await has("chromium-headless-shell")

/** The pages of a search that has found nothing yet: each ends an hour further back. */
const emptyPage = (cursor: string | null) => {
  const page = Number(cursor ?? 0) + 1
  return {
    items: [],
    next_cursor: String(page),
    searched_to: new Date(Date.now() - page * 3_600_000).toISOString()
  }
}

describe.skipIf(!ready)("the list of tasks", () => {
  it.scopedLive(
    "of a slow search, of two agents of one engine, of a selection and of live failures",
    () =>
      Effect.gen(function*() {
        const { call, password, url } = yield* shopOn("PostgreSQL")
        const { complaints, page } = yield* visit(yield* browser, url)
        const line = page.getByRole("combobox", { name: "Filter tasks" })
        const row = page.locator("[data-task]")
        const dialog = page.getByRole("dialog")
        const notices = page.getByRole("region", { name: "Notices" })
        const searches: Array<string | null> = []

        yield* Effect.promise(async () => {
          await page.goto("/projects/shop/tasks")
          await signIn(page, email, password)
          await row.first().waitFor()

          // a slow search says how far it is, continues by itself for a while, and then on request
          await page.route(/\/projects\/shop\/tasks\?.*haystack/, async (route) => {
            const cursor = new URL(route.request().url()).searchParams.get("cursor")
            searches.push(cursor)
            await route.fulfill({ json: emptyPage(cursor) })
          })
          await line.fill("haystack")
          await page.getByText("No match yet").waitFor()
          const searchOn = page.getByRole("button", { name: "Search older tasks" })
          await searchOn.waitFor()
          await page.getByText(/^Searched back to /).waitFor()
          await assertAccessible(page, "an unfinished search")
          assert.strictEqual(searches.length, 20)
          await searchOn.click()
          await waitUntil(async () => searches.length === 40)
          await searchOn.waitFor()
          assert.strictEqual(await page.getByText("No tasks match").count(), 0)
          await page.keyboard.press("Control+k")
          await page.keyboard.type("haystack")
          await dialog.getByText(/Tasks before .* were not searched\.$/).waitFor()
          await page.keyboard.press("Escape")
          await page.getByRole("button", { name: "Pause updates" }).click()
          searches.length = 0
          await line.fill("haystack two")
          await waitUntil(async () => searches.length === 1)
          await page.getByText(/^Searched back to [^…]+\.$/).waitFor() // and no further
          await searchOn.waitFor()
          assert.strictEqual(searches.length, 1)
          await page.getByRole("button", { name: "Resume updates" }).click()
          await waitUntil(async () => searches.length >= 20)
          await line.fill("")
          await row.first().waitFor()
        })

        // back from a task: the rows, the focus and the selection are where they were
        yield* Effect.promise(async () => {
          const scroller = row.first().locator("xpath=ancestor::*[contains(@class,'overflow-auto')][1]")
          const scrollTo = (top: number) => scroller.evaluate((element, top) => element.scrollTo({ top }), top)
          const topNow = () => scroller.evaluate(({ scrollTop }) => scrollTop)
          await row.first().getByRole("checkbox").check()
          for (const top of [4_000, 8_000]) { // each reads the next pages
            await waitUntil(async () => {
              await scrollTo(top)
              return await topNow() === top
            })
          }
          const link = row.nth(15).getByRole("link").first()
          const href = await link.getAttribute("href")
          await link.focus()
          const top = await topNow()
          await page.keyboard.press("Enter")
          await page.waitForURL((address) => address.pathname === href)
          await page.getByRole("heading", { level: 1 }).waitFor()
          await page.goBack()
          await page.locator(`a:focus[href="${href}"]`).waitFor()
          assert.strictEqual(await topNow(), top)
          await page.getByText("1 selected").waitFor()
          // what is new is at the top, and further pages with what was selected there are left
          await page.getByRole("button", { name: /^(\d+\+? new|Show new tasks)$/ }).click()
          await waitUntil(async () => await topNow() === 0)
          await page.getByText("1 selected").waitFor({ state: "detached" })
        })

        // two agents of one engine, each of which may have a broker of its own
        const agents = yield* Effect.forEach(["alpha", "beta"], (name) =>
          Effect.flatMap(
            Effect.promise(() => call("POST", "/projects/shop/agents", { name })),
            ({ hmac_secret, token }) => connected({ base: url, token, hmac_secret })
          ))
        const data = { task_name: "box.pay", queue: "box", worker: null }
        for (const [index, agent] of agents.entries()) {
          const other = agents[1 - index]
          yield* Effect.promise(async () => {
            const task_id = crypto.randomUUID() // as Celery's, which need no namespace
            await agent.sendEvents([
              event({ task_id, kind: "task.failed", data: { ...data, exception: "IOError: a" } })
            ])
            await page.goto(`/projects/shop/tasks/celery/${task_id}`)
            await press(page, "Retry")
            await dialog.getByRole("button", { name: "Retry" }).click()
            const command = await agent.command("retry_task")
            assert.deepInclude({ ...command.target, ...command.parameters }, { task_id })
            agent.sendResult(command, { status: "success", result: {} })
            await notices.getByText(/^Completed\./).waitFor()
            assert.deepStrictEqual(other?.commands.filter(({ action }) => action === "retry_task").length, index)
          })
        }
        const [, beta] = agents
        const health = {
          "celery.queue_depths": JSON.stringify({ box: 7 }),
          "celery.worker_details": JSON.stringify({
            "w@beta": { stats: { total: {} }, active: [], active_queues: [{ name: "box" }], registered: [] }
          })
        }
        yield* Effect.sync(() => beta?.heartbeat(health)).pipe(
          Effect.repeat(Schedule.spaced("5 seconds")),
          Effect.forkScoped
        )
        yield* Effect.promise(async () => {
          await page.goto("/projects/shop/queues")
          await page.getByRole("row").filter({ hasText: "w@beta" }).waitFor()
          await press(page, "Purge box")
          const choice = dialog.getByLabel("Agent")
          await waitUntil(async () => (await choice.locator("option:checked").innerText()) === "beta")
          await dialog.getByLabel("Type box to confirm").fill("box")
          await assertAccessible(page, "purge with two agents")
          await dialog.getByRole("button", { name: "Purge" }).click()
          const command = await beta?.command("purge_queue")
          assert.deepInclude({ ...command?.target, ...command?.parameters }, { queue: "box" })
        })

        // a live failure brings its error
        yield* Effect.promise(async () => {
          await beta?.sendEvents([event({ task_id: "live-1", data })])
          await page.goto("/projects/shop/tasks?q=queue:box")
          await row.filter({ hasText: "live-1" }).waitFor()
          const failure = { ...data, exception: "IOError: no reader" }
          await beta?.sendEvents([event({ task_id: "live-1", kind: "task.failed", data: failure })])
          await row.filter({ hasText: "IOError: no reader" }).waitFor()

          // the keys act on the selection, wherever the focus is
          await page.goto("/projects/shop/tasks?q=queue:box")
          await row.nth(1).waitFor()
          await page.getByRole("checkbox", { name: "Select box.pay" }).first().check()
          await page.getByRole("checkbox", { name: "Select box.pay" }).nth(1).check()
          await row.nth(2).getByRole("link").first().focus()
          await page.keyboard.press("r")
          await page.getByRole("dialog", { name: /^Retry 2 / }).getByText("2 matching tasks").waitFor()
          await page.keyboard.press("Escape")
          await page.keyboard.press("c")
          const cancel = page.getByRole("dialog", { name: /^Cancel 2 / })
          await cancel.getByText("2 have already ended and are left out").waitFor()
          assert.isTrue(await cancel.getByRole("button", { name: "Cancel tasks" }).isDisabled())
          await page.keyboard.press("Escape")
          await page.keyboard.press("Control+k")
          await page.getByRole("option", { name: "Delete: 2 tasks" }).click()
          await dialog.getByRole("textbox").fill("2")
          await dialog.getByRole("button", { name: "Delete" }).click()
          await notices.getByText("Deletion finished").waitFor()

          // pages without an entry in the navigation, rules and failure groups
          await page.keyboard.press("Control+k")
          await page.keyboard.type("bulk jo")
          await page.getByRole("option", { name: "Bulk jobs", selected: true }).waitFor()
          await page.keyboard.press("Enter")
          await page.waitForURL(/bulk-jobs$/)
          await page.getByRole("row").filter({ hasText: "2 tasks" }).filter({ hasText: "2 of 2" }).waitFor()
        })

        // on a phone: filter by a value, select two tasks and retry them
        yield* Effect.promise(async () => {
          await page.setViewportSize({ width: 390, height: 800 })
          await page.goto("/projects/shop/tasks")
          await row.first().waitFor()
          await press(page, "Filter by value")
          await dialog.getByRole("region", { name: "Name" }).getByRole("button", { name: /^payment\.charge/ }).click()
          await dialog.getByRole("region", { name: "State" }).getByRole("button", { name: /^Failed/ }).click()
          await assertAccessible(page, "values on a phone")
          await press(page, "Close")
          await waitUntil(async () =>
            (await row.allInnerTexts()).every((text) => /payment\.charge\s+Failed/.test(text))
          )
          await press(page, "Select")
          for (const index of [0, 1]) await row.nth(index).getByRole("checkbox").check()
          await page.getByText("2 selected").waitFor()
          await assertAccessible(page, "selection on a phone")
          await assertFitsPhone(page)
          await page.getByRole("region", { name: "Selected" }).getByRole("button", { name: "Retry" }).click()
          await dialog.getByText("2 matching tasks").waitFor()
          await dialog.getByRole("button", { name: "Start retry" }).click()
          await page.getByRole("heading", { level: 1, name: "Bulk retry" }).waitFor()
          await page.getByText("Completed", { exact: true }).first().waitFor()
        })
        assert.deepStrictEqual(complaints, [])
      })
  )
})
