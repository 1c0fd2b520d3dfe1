import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { connected, event } from "../../agent.ts"
import { has } from "../../needs.ts"
import { assertAccessible, assertFitsPhone, browser, inspect, signIn, visit, waitUntil } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

/** Core Web Vitals call 0.1 good. */
const maxShift = 0.05

/** In the page: the sum of all layout shifts since its start, but for those that a press caused. */
const recordShifts = `
  window.shift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
  }).observe({ type: "layout-shift", buffered: true })`
const nextFrame = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"

/** How far the page moves while it is loaded, in a profile that has no file of it yet. */
const shiftOf = async (
  chrome: Browser,
  baseURL: string,
  signedIn: BrowserContext,
  viewport: { readonly width: number; readonly height: number },
  path: string,
  isLoaded: (page: Page) => Promise<unknown>
) => {
  const context = await chrome.newContext({ baseURL, viewport, storageState: await signedIn.storageState() })
  const page = await context.newPage()
  await page.addInitScript(recordShifts)
  await page.goto(path)
  await isLoaded(page)
  await page.waitForLoadState("networkidle")
  await page.evaluate(nextFrame)
  const shift = await page.evaluate<number>("window.shift")
  await context.close()
  return shift
}

/** The pages that move most, and what each shows last. */
const loaded: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  "/": (page) => page.getByRole("region", { name: "Run time" }).locator("canvas").waitFor(),
  "/projects/shop": async (page) => {
    await page.getByRole("region", { name: "Run time" }).locator("canvas").waitFor()
    await page.getByRole("region", { name: "Failure groups with open tasks" }).getByRole("row").nth(1).waitFor()
  },
  "/projects/shop/tasks": (page) => page.getByRole("row").nth(2).waitFor(),
  "/projects/shop/failures": (page) => page.getByRole("row").filter({ hasText: "payment.charge" }).waitFor()
}

/** Pairs of the header's parts that lie over each other. */
const overlaps = (page: Page) =>
  page.locator("header").evaluate((header) => {
    const parts = [...header.querySelectorAll("a, select, button, [role=status]")]
      .map((part) => ({ part, box: part.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1)
    return parts.flatMap(({ box, part }, index) =>
      parts.slice(index + 1).filter((other) =>
        !part.contains(other.part) && !other.part.contains(part) && box.left < other.box.right - 1 &&
        other.box.left < box.right - 1
      ).map((other) => `${part.outerHTML.slice(0, 80)} over ${other.part.outerHTML.slice(0, 80)}`)
    )
  })

describe.skipIf(!(await has("chromium-headless-shell")))("the overview and the frame of the dashboard", () => {
  it.scopedLive(
    "what needs attention leads to its list, nothing moves while it loads, and a wrong address keeps the way back",
    () =>
      Effect.gen(function*() {
        const { call, password, url } = yield* shopOn("SQLite")
        const chrome = yield* browser
        const { complaints, page } = yield* visit(chrome, url)
        const { token, hmac_secret } = yield* Effect.promise(() =>
          call("POST", "/projects/shop/agents", { name: "box" })
        )
        const agent = yield* connected({ base: url, token, hmac_secret })

        yield* Effect.promise(async () => {
          // a queue that no worker takes from, and the list of missed runs
          agent.heartbeat({
            "celery.worker_details": JSON.stringify({ "w1@box": { active_queues: [{ name: "mail" }] } }),
            "celery.queue_depths": JSON.stringify({ mail: 0, parcels: 12 })
          })
          await page.goto("/projects/shop")
          await signIn(page, email, password)
          const attention = page.getByRole("region", { name: "Needs attention" })
          await attention.getByRole("link", { name: "parcels" }).click()
          await page.waitForURL(/\/queues\/celery\/parcels$/)
          await page.goBack()
          await attention.getByRole("link", { name: /missed schedule run/ }).click()
          await page.waitForURL(/\/schedules\?tab=misfires$/)
          await page.getByRole("row").filter({ hasText: "No agent" }).first().waitFor()

          // the bucket that is not over says so
          await page.goBack()
          const chart = page.getByRole("region", { name: "Completed tasks" }).getByRole("img")
          await chart.focus()
          await page.keyboard.press("End")
          await page.getByRole("status").getByText(/ · in progress$/).waitFor()
          await page.keyboard.press("ArrowLeft")
          await page.getByRole("status").getByText(/ · in progress$/).waitFor({ state: "detached" })

          // values that are read again are drawn in place, and the bucket that is read stays
          const canvas = page.getByRole("region", { name: "Completed tasks" }).locator("canvas")
          await canvas.evaluate((node) => node.setAttribute("data-first", ""))
          const readsAgain = page.waitForResponse(/\/trends\?/, { timeout: 90_000 })
          await agent.sendEvents([event({ kind: "task.succeeded", data: { task_name: "box.pay", worker: "w1@box" } })])
          await readsAgain
          await page.evaluate(nextFrame)
          assert.strictEqual(await canvas.getAttribute("data-first"), "")
          await page.getByRole("region", { name: "Completed tasks" }).getByRole("status").waitFor()
          const byWorker = page.waitForResponse((response) => response.url().includes("by=worker"))
          await page.getByRole("combobox", { name: "Group by" }).selectOption({ label: "By worker" })
          assert.strictEqual((await byWorker).status(), 200)
          await page.getByRole("region", { name: "Completed by worker" }).waitFor()

          // a project that does not exist, or no longer, is one notice
          for (const slug of ["nowhere", "nowhere/tasks", "nowhere/queues"]) {
            await page.goto(`/projects/${slug}`)
            await page.getByRole("heading", { level: 1, name: "Project not found" }).waitFor()
            assert.strictEqual(await page.getByRole("alert").count(), 0)
            assert.strictEqual(await page.getByText("Nothing needs attention").count(), 0)
          }
          await assertAccessible(page, "no such project")
          await page.getByRole("link", { name: "Go to all projects" }).click()
          // one that the list has not heard of yet
          await call("POST", "/projects", { slug: "later", name: "Later" })
          await page.evaluate(
            `history.pushState({}, "", "/projects/later"); dispatchEvent(new PopStateEvent("popstate"))`
          )
          await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()

          // a wrong address keeps its navigation, for people; programs get the problem document
          await page.goto("/projects/shop/nothing")
          await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor()
          await page.getByRole("navigation").getByRole("link", { name: "Queues" }).waitFor()
          const response = await page.goto("/nonsense/at/all")
          assert.strictEqual(response?.status(), 404)
          await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor()
          await page.getByRole("button", { name: "Account and settings" }).waitFor()
          await assertFitsPhone(page)
          await page.reload() // the browser may have kept it
          await page.getByRole("link", { name: "Go to all projects" }).waitFor()
          for (const [path, accept] of [["/nonsense", "*/*"], ["/api/v1/nonsense", "text/html"]] as const) {
            const problem = await fetch(`${url}${path}`, { headers: { accept } })
            assert.strictEqual(problem.status, 404)
            assert.strictEqual(problem.headers.get("content-type"), "application/problem+json", path)
          }

          // the tab's title names the project, and counts its open alerts
          await page.goto("/projects/shop/queues")
          await waitUntil(async () => await page.title() === "Queues · Shop · svc")
          const grouping = { wait_seconds: 0, interval_seconds: 300, repeat_seconds: 14_400 }
          await call("POST", "/projects/shop/notifications/defaults", { trigger: "task.failed", grouping })
          const data = { task_name: "box.pay", queue: "box", worker: "w1@box", exception: "IOError: the card reader" }
          await agent.sendEvents([event({ kind: "task.failed", data })])
          await waitUntil(async () => (await call("GET", "/projects/shop/notifications/alerts")).items.length > 0)
          await page.goto("/projects/shop")
          await attention.getByRole("link", { name: /open alerts? (is|are) not acknowledged/ }).click()
          await page.waitForURL(/\/notifications$/)
          await page.goto("/projects/shop/workers")
          await waitUntil(async () => /^\(\d+\) Workers · Shop · svc$/.test(await page.title()))

          // what runs now, on a wall: no navigation, and a notice once the server cannot be reached or the session is over
          await agent.sendEvents([event({ kind: "task.started", data: { task_name: "box.count", worker: "w9@box" } })])
          await page.goto("/projects/shop/workers?tab=running")
          await page.getByRole("link", { name: "box.count" }).waitFor()
          await inspect(page, "what runs now")
          await page.getByRole("link", { name: "Wall view" }).click()
          await page.getByRole("link", { name: "Leave wall view" }).waitFor()
          await page.getByRole("link", { name: "box.count" }).waitFor()
          assert.strictEqual(await page.getByRole("navigation").count(), 0)
          await inspect(page, "a wall")
          await page.context().setOffline(true)
          await page.getByRole("alert").getByText("No connection to the server").waitFor()
          await page.context().setOffline(false)
          await page.getByRole("alert").waitFor({ state: "detached" })
          await page.context().clearCookies()
          await page.getByRole("alert").getByText("Signed out").waitFor()
          await signIn(page, email, password)
          await page.getByRole("link", { name: "Leave wall view" }).click()
          await page.getByRole("navigation").first().waitFor()
          await page.getByRole("link", { name: "box.count" }).waitFor()

          // the overview on a wall fits one screen, without what a person chooses or dismisses
          for (const [width, height] of [[1920, 1080], [1280, 720]] as const) {
            await page.setViewportSize({ width, height })
            await page.goto("/projects/shop?wall=1")
            await page.getByRole("region", { name: "Needs attention" }).getByRole("link").first().waitFor()
            await page.getByRole("region", { name: "Completed tasks" }).locator("canvas").waitFor()
            await page.getByRole("region", { name: "Queues" }).getByRole("row").nth(1).waitFor()
            await page.getByRole("region", { name: "Failure groups with open tasks" }).getByRole("row").nth(1).waitFor()
            await page.evaluate(nextFrame)
            const scrolled = await page.locator("html, main").evaluateAll((all) =>
              all.map(({ clientHeight, scrollHeight }) => scrollHeight - clientHeight)
            )
            assert.deepStrictEqual(scrolled, [0, 0], `${width} × ${height}`)
            const bottoms = await page.getByRole("region").evaluateAll((all) =>
              all.map((part) => part.getBoundingClientRect().bottom)
            )
            assert.isAtMost(Math.max(...bottoms), height, `${width} × ${height}`)
            const choices = page.getByRole("main").locator("input, select").or(
              page.getByRole("button", { name: "Dismiss" })
            )
            assert.strictEqual(await choices.count(), 0)
          }
          await inspect(page, "the overview on a wall")

          // a bar of tabs scrolls sideways at most
          for (const path of ["/account", "/system", "/projects/shop/notifications", "/projects/shop/commands"]) {
            await page.goto(path)
            await page.getByRole("heading", { level: 1 }).waitFor()
            const bars = page.getByRole("main").locator("nav, [role=group]")
            await bars.first().waitFor()
            for (
              const [height, inner] of await bars.evaluateAll((all) =>
                all.map((bar) => [bar.clientHeight, bar.scrollHeight])
              )
            ) {
              assert.strictEqual(inner, height, path)
            }
          }
        })

        // in every language the parts of the header lie beside each other on a phone
        yield* Effect.promise(async () => {
          await page.setViewportSize(phone)
          for (const language of ["de", "en", "es", "fr", "ja"]) {
            await page.evaluate(`localStorage.setItem("svc.language", "${language}")`)
            for (const isPaused of ["no", "yes"]) {
              await page.evaluate(`localStorage.setItem("svc.paused", "${isPaused}")`)
              await page.goto("/projects/shop/queues")
              await page.locator(`html[lang=${language}]`).waitFor()
              await page.locator("[data-true-at]").waitFor({ state: "attached" })
              assert.deepStrictEqual(await overlaps(page), [], `${language}, paused: ${isPaused}`)
            }
          }
          await page.evaluate(`localStorage.setItem("svc.language", "en"); localStorage.setItem("svc.paused", "no")`)
        })

        const shifts: Record<string, number> = {}
        yield* Effect.promise(async () => {
          for (const viewport of [desktop, phone]) {
            for (const [path, isLoaded] of Object.entries(loaded)) {
              shifts[`${path} at ${viewport.width}`] = await shiftOf(
                chrome,
                url,
                page.context(),
                viewport,
                path,
                isLoaded
              )
            }
          }
        })
        assert.deepStrictEqual(Object.entries(shifts).filter(([, shift]) => shift >= maxShift), [])
        assert.deepStrictEqual(complaints, [])
      })
  )
})
