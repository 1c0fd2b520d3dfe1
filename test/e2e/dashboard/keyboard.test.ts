import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout } from "node:timers/promises"
import type { Locator, Page } from "playwright-core"
import { connected, event } from "../../agent.ts"
import { has } from "../../needs.ts"
import { assertAccessible, browser, loadLate, readAt, visit, waitUntil } from "./browser.ts"
import { shopOn } from "./shop.ts"

/** Moves the focus with Tab until the element has it, as a person without a mouse does. */
const tabTo = async (page: Page, element: Locator) => {
  await element.waitFor()
  const focused = element.and(page.locator(":focus"))
  for (let presses = 0; presses < 100; presses++) {
    if (await focused.count() === 1) return
    await page.keyboard.press("Tab")
  }
  assert.fail(`no Tab reaches ${element}`)
}

const button = (page: Page | Locator, name: string) => page.getByRole("button", { name, exact: true })

/** `g` and the letter of a page. */
const go = async (page: Page, letter: string, heading: string) => {
  await page.keyboard.press("g")
  await page.keyboard.press(letter)
  await page.getByRole("heading", { level: 1, name: heading }).waitFor()
}

/** Filters the list of tasks, and leaves the line for the first of them. */
const filter = async (page: Page, line: string, name: string) => {
  await page.keyboard.press("/")
  await page.keyboard.type(line)
  await page.keyboard.press("Enter")
  await page.waitForURL((url) => url.searchParams.get("q") === line)
  const links = page.getByRole("row").getByRole("link")
  await waitUntil(async () => {
    const names = await links.allInnerTexts()
    return names.length > 0 && names.every((one) => one === name)
  })
  await page.getByRole("row").getByRole("link", { name }).first().and(page.locator(":focus")).waitFor()
}

/** Answers the question that a key has asked. */
const agree = async (page: Page, question: RegExp) => {
  await page.getByRole("dialog", { name: question }).waitFor()
  await page.keyboard.press("Enter")
}

describe.skipIf(!(await has("chromium-headless-shell")))("the dashboard without a mouse", () => {
  it.scopedLive("the commonest jobs, from the sign-in to the sign-out", () =>
    Effect.gen(function*() {
      const { call, invite, url } = yield* shopOn("PostgreSQL")
      const chrome = yield* browser
      const { complaints, page } = yield* visit(chrome, url)
      const { hmac_secret, token } = yield* Effect.promise(() => call("POST", "/projects/shop/agents", { name: "box" }))
      const agent = yield* connected({ base: url, token, hmac_secret })
      yield* Effect.promise(async () => {
        const olga = await invite("Olga", "operator")
        await call("POST", "/projects", { slug: "warehouse", name: "Warehouse" })
        const users: ReadonlyArray<{ readonly id: string; readonly email: string }> = await call(
          "GET",
          "/users?limit=200"
        )
        const user_id = users.find((user) => user.email === olga.email)?.id
        await call("POST", "/projects/warehouse/memberships", { user_id, role: "viewer" })
        const grouping = { wait_seconds: 0, interval_seconds: 300, repeat_seconds: 14_400 }
        await call("POST", "/projects/shop/notifications/defaults", { trigger: "task.failed", grouping })
        const data = { task_name: "box.pay", queue: "box", worker: null }
        await agent.sendEvents([
          event({ task_id: "waits-0001", data }),
          event({ task_id: "fails-0001", kind: "task.failed", data: { ...data, exception: "IOError: no reader" } })
        ])

        // the sign-in, and a project of the list
        await loadLate(page)
        await page.goto("/")
        await page.locator("input:focus").waitFor()
        await page.keyboard.type(olga.email)
        await page.keyboard.press("Tab")
        await page.keyboard.type(olga.password)
        await page.keyboard.press("Enter")
        await tabTo(page, page.getByRole("main").getByRole("link", { name: "Shop", exact: true }))
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
      })

      // a failed task is found, opened and retried; another one is found by a part of its id, and cancelled
      yield* Effect.promise(async () => {
        // the page of a task loads so slowly that the filter line's pause passes meanwhile
        await page.route("**/assets/TaskPage-*.js", async (route) => {
          await setTimeout(1000)
          await route.continue()
        })
        await go(page, "t", "Tasks")
        await filter(page, "state:failure name:=payment.charge", "payment.charge")
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { level: 1, name: "payment.charge" }).waitFor()
        await page.getByRole("region", { name: "Exception" }).first().waitFor()
        await page.keyboard.press("r")
        await agree(page, /^Retry payment\.charge/)
        const notices = page.getByRole("region", { name: "Notices" })
        await notices.getByText(/^Completed\./).waitFor()
        await page.keyboard.press("Control+k")
        await page.keyboard.type("aits-00")
        await page.getByRole("option", { name: "waits-0001", selected: true }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { level: 1, name: "box.pay" }).waitFor()
        await button(page, "Cancel task").waitFor()
        await page.keyboard.press("c")
        await button(page.getByRole("dialog"), "Keep running").waitFor()
        await agree(page, /^Cancel box\.pay/)
        const command = await agent.command("cancel_task")
        assert.deepInclude({ ...command.target, ...command.parameters }, { task_id: "waits-0001" })
        agent.sendResult(command, { status: "success", result: {} })
        await notices.locator("div").filter({ hasText: "Cancel: box.pay" }).filter({ hasText: "Completed." }).first()
          .waitFor()
      })

      // several tasks are selected and retried
      yield* Effect.promise(async () => {
        await go(page, "t", "Tasks")
        await filter(page, "state:failure name:=invoice.render_pdf", "invoice.render_pdf")
        for (const count of [1, 2]) {
          await page.locator("a:focus").waitFor()
          await page.keyboard.press("x")
          await page.getByText(`${count} selected`).waitFor()
          await page.keyboard.press("j")
        }
        await assertAccessible(page, "two selected tasks")
        await page.keyboard.press("Control+k")
        await page.getByRole("option", { name: "Retry: 2 tasks", selected: true }).waitFor()
        await page.keyboard.press("Enter")
        const question = page.getByRole("dialog", { name: /^Retry 2/ })
        await question.getByText("2 matching tasks").waitFor()
        await tabTo(page, question.getByRole("button", { name: "Start retry" }))
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { level: 1, name: "Bulk retry" }).waitFor()
        await page.getByText("Completed", { exact: true }).first().waitFor()
      })

      // from the top of a page three presses lead to the first row, and so does each way out of a filter
      yield* Effect.promise(async () => {
        const first = page.locator("[data-rows] > :first-child")
        for (const path of ["tasks", "schedules", "queues", "commands", "notifications"]) {
          await page.goto(`/projects/shop/${path}`)
          await first.waitFor()
          await page.keyboard.press("Tab")
          await page.keyboard.press("Tab")
          await page.getByRole("link", { name: "Skip to list" }).and(page.locator(":focus")).waitFor()
          await page.keyboard.press("Enter")
          await first.and(page.locator(":focus-within, :focus")).waitFor()
        }
        await page.goto("/projects/shop/tasks")
        await first.waitFor()
        const line = page.getByLabel("Filter tasks")
        await line.focus()
        for (const bar of ["Tasks", "State"]) {
          await page.keyboard.press("Tab")
          await page.getByRole("toolbar", { name: bar, exact: true }).and(page.locator(":focus-within")).waitFor()
        }
        await page.keyboard.press("End")
        await page.getByRole("button", { name: /^Unknown \d/ }).and(page.locator(":focus")).waitFor() // with its count
        await page.keyboard.press("/")
        await page.keyboard.type("stat:failure")
        await page.keyboard.press("Enter")
        await page.getByRole("alert").getByText("stat").waitFor()
        assert.strictEqual(await line.and(page.locator(":focus")).count(), 1, "a mistake keeps the focus")
        await page.keyboard.press("Escape")
        await first.and(page.locator(":focus-within")).waitFor()

        await go(page, "s", "Schedules")
        await first.waitFor()
        const filter = page.getByRole("search").getByRole("searchbox")
        for (const key of ["Enter", "Escape"]) {
          await page.keyboard.press("/")
          await filter.and(page.locator(":focus")).waitFor()
          await page.keyboard.press("Control+a")
          await page.keyboard.type("report")
          await page.keyboard.press(key)
          await first.filter({ hasText: "report" }).and(page.locator(":focus-within")).waitFor()
          assert.strictEqual(await filter.inputValue(), "report")
        }
        await go(page, "a", "Agents")
        await page.keyboard.press("/")
        await page.getByRole("combobox", { name: "Go to or run" }).and(page.locator(":focus")).waitFor()
        await page.keyboard.press("Escape")
      })

      // pages by g and a letter, and the updates paused and resumed
      yield* Effect.promise(async () => {
        await go(page, "q", "Queues")
        await go(page, "w", "Workers")
        await go(page, "s", "Schedules")
        const opened = await readAt(page)
        await waitUntil(async () => await readAt(page) > opened) // as the list is read again
        const reread = await readAt(page)
        await tabTo(page, button(page, "Pause updates"))
        await page.keyboard.press("Enter")
        const paused = page.getByRole("banner").getByText("Paused", { exact: true })
        await paused.waitFor()
        assert.isAtLeast(await readAt(page), reread)
        await tabTo(page, button(page, "Resume updates"))
        await page.keyboard.press("Space")
        await paused.waitFor({ state: "detached" })
        await go(page, "t", "Tasks")
        await page.getByText("Live", { exact: true }).waitFor()
      })

      // an alert is acknowledged; the help; past the navigation to the content
      yield* Effect.promise(async () => {
        await go(page, "n", "Notifications")
        const alert = page.getByRole("listitem").filter({ hasText: "IOError: no reader" })
        await tabTo(page, alert.getByRole("button", { name: "Acknowledge" }))
        await page.keyboard.press("Enter")
        await alert.getByText("by you").waitFor()
        await assertAccessible(page, "an acknowledged alert")
        await page.keyboard.press("?")
        const help = page.getByRole("dialog")
        await help.getByText("Select the task").waitFor()
        await page.keyboard.press("Escape")
        await help.waitFor({ state: "detached" })
        await tabTo(page, page.getByRole("link", { name: "Skip to content" }))
        await page.keyboard.press("Enter")
        await page.locator("main:focus").waitFor()
      })

      // the values of a chart
      yield* Effect.promise(async () => {
        await go(page, "o", "Overview")
        const chart = page.getByRole("region", { name: "Completed tasks" })
        await tabTo(page, chart.getByRole("img"))
        await page.keyboard.press("ArrowLeft")
        const values = chart.getByRole("status")
        await values.getByText("Succeeded").waitFor()
        const last = await values.locator("p").innerText()
        await page.keyboard.press("ArrowLeft")
        await waitUntil(async () => await values.locator("p").innerText() !== last)
        await assertAccessible(page, "values of a chart")
        // they stay where they are when the chart is read again
        const bucket = await values.locator("p").innerText()
        const readAt = await chart.getByText("as of").innerText()
        await waitUntil(async () => await chart.getByText("as of").innerText() !== readAt)
        assert.strictEqual(await values.locator("p").innerText(), bucket)
        await page.keyboard.press("Escape")
        await values.waitFor({ state: "detached" })
      })

      // another project, and the sign-out
      yield* Effect.promise(async () => {
        await tabTo(page, page.getByRole("combobox", { name: "Switch project" }))
        await page.keyboard.type("Ware")
        await page.waitForURL(/\/projects\/warehouse$/)
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
        await tabTo(page, button(page, "Account and settings"))
        await page.keyboard.press("Enter")
        await tabTo(page, button(page, "Sign out"))
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Sign in" }).waitFor()
      })
      assert.deepStrictEqual(complaints, [])
    }))
})
