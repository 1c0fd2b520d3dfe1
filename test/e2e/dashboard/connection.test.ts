import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import { has } from "../../needs.ts"
import { browser, loadLate, press, signIn, visit, waitUntil } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

const open = (chrome: Browser, url: string, path: string, password: string) =>
  Effect.tap(visit(chrome, url), ({ page }) =>
    Effect.promise(async () => {
      await loadLate(page)
      await page.goto(path)
      await signIn(page, email, password)
    }))

const goTo = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).first().click()

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true })

const live = (page: Page) => page.getByText("Live", { exact: true })
const reconnecting = (page: Page) => page.getByText("Reconnecting", { exact: true })
const lost = (page: Page) => page.getByRole("main").getByText("No connection, trying again")

/** Marks the document, so that a reload is seen. */
const mark = (page: Page) => page.evaluate("globalThis.isMarked = true")
const isMarked = (page: Page): Promise<boolean> => page.evaluate("globalThis.isMarked === true")
/** Waits for a reload, in the middle of which nothing can be evaluated. */
const reloaded = (page: Page) => waitUntil(() => isMarked(page).then((marked) => !marked, () => false))

/** Two heartbeats, and what a busy machine takes. */
const silenceMillis = 35_000

describe.skipIf(!(await has("chromium-headless-shell")))("the dashboard without its server", () => {
  it.scopedLive(
    "says what is live, and comes back by itself to where it was",
    () =>
      Effect.gen(function*() {
        const { call, freeze, kill, password, restart, thaw, url } = yield* shopOn("SQLite")
        const chrome = yield* browser
        yield* Effect.promise(() => call("POST", "/projects", { slug: "quiet", name: "Quiet" }))
        const { page: quiet } = yield* open(chrome, url, "/projects/quiet/tasks", password)
        const { complaints, page } = yield* open(chrome, url, "/projects/shop", password)

        // a project without changes has heartbeats, by which its page stays live
        yield* Effect.promise(async () => {
          await live(quiet).waitFor()
          await quiet.evaluate(`
            globalThis.openedAt = Date.now()
            new MutationObserver(() => { globalThis.hasChanged = true })
              .observe(document.querySelector("[data-live]"), { attributes: true })
          `)
        })

        // without a network: the frame stays, and the page opens when the network is back
        yield* Effect.promise(async () => {
          await page.goto("/projects/shop/tasks?q=state%3Afailure")
          await live(page).waitFor()
          await mark(page)
          await page.context().setOffline(true)
          await reconnecting(page).waitFor({ timeout: 5_000 })
          await goTo(page, "Queues")
          await lost(page).waitFor()
          assert.strictEqual(new URL(page.url()).pathname, "/projects/shop/queues")
          await page.context().setOffline(false)
          await heading(page, "Queues").waitFor()
          await page.locator("[data-live=live]").waitFor()
          await page.goBack()
          await heading(page, "Tasks").waitFor()
          assert.strictEqual(new URL(page.url()).search, "?q=state%3Afailure")
          assert.isTrue(await isMarked(page))
          await live(page).waitFor()
        })
        yield* Effect.promise(async () => {
          await waitUntil(() => quiet.evaluate("Date.now() - globalThis.openedAt > 30_000"))
          assert.strictEqual(await quiet.evaluate("globalThis.hasChanged"), undefined)
        })

        // a server that hangs closes no connection
        yield* freeze
        yield* Effect.promise(async () => {
          await reconnecting(page).waitFor({ timeout: silenceMillis })
          await goTo(page, "Workers")
          await lost(page).waitFor()
        })
        yield* thaw
        yield* Effect.promise(async () => {
          await heading(page, "Workers").waitFor()
          await page.locator("[data-live=live]").waitFor()
          assert.isTrue(await isMarked(page))
        })

        // a server that is gone
        yield* kill
        yield* Effect.promise(async () => {
          await page.locator("[data-live=connecting]").waitFor()
          await goTo(page, "Agents")
          await lost(page).waitFor()
          await page.keyboard.press("?")
          await page.getByRole("dialog", { name: "No connection, trying again" }).waitFor()
        })
        yield* restart
        yield* Effect.promise(async () => {
          await page.getByRole("dialog").getByText("Select the task").waitFor() // the help of the keys
          await page.keyboard.press("Escape")
          await heading(page, "Agents").waitFor()
          await page.getByRole("table").first().waitFor()
          assert.isTrue(await isMarked(page))
        })
        assert.deepStrictEqual(complaints, [])
      })
  )

  it.scopedLive(
    "reloads once for a file that is gone, and loses no form",
    () =>
      Effect.gen(function*() {
        const { password, url } = yield* shopOn("SQLite")
        const chrome = yield* browser
        const { page } = yield* open(chrome, url, "/projects/shop", password)

        // a dialog asks: the page behind it is in use
        yield* Effect.promise(async () => {
          await heading(page, "Overview").waitFor()
          await page.route("**/assets/KeyHelp-*.js", (route) => route.fulfill({ status: 404 }))
          await mark(page)
          await page.keyboard.press("?")
          await page.getByRole("dialog").getByRole("button", { name: "Reload the page" }).waitFor()
          await page.keyboard.press("Escape")
          await page.getByRole("dialog").waitFor({ state: "detached" })
          await page.waitForTimeout(2_000)
          assert.isTrue(await isMarked(page))
        })

        // a failed import is remembered by the browser: only a reload loads the file
        yield* Effect.promise(async () => {
          await page.route("**/assets/SchedulesPage-*.js", (route) => route.abort())
          await goTo(page, "Schedules")
          await page.getByRole("alert").getByText("The page reloads in a moment.").waitFor()
          await page.unroute("**/assets/SchedulesPage-*.js")
          await heading(page, "Schedules").waitFor()
          assert.isFalse(await isMarked(page))

          // but for the same build no second time
          await page.route("**/assets/PeoplePage-*.js", (route) => route.fulfill({ status: 404 }))
          await mark(page)
          await goTo(page, "People")
          const button = page.getByRole("alert").getByRole("button", { name: "Reload the page" })
          await button.waitFor()
          await page.waitForTimeout(3_000)
          assert.isTrue(await isMarked(page))
          await page.unroute("**/assets/PeoplePage-*.js")
          await button.click()
          await heading(page, "People").waitFor()
        })

        // after an upgrade: it says so, and waits for a form
        const upgraded = yield* open(chrome, url, "/activity", password)
        yield* Effect.promise(async () => {
          const { page } = upgraded
          let goOn = () => {}
          const isGone = new Promise<void>((resolve) => {
            goOn = resolve
          })
          await page.route("**/assets/Plot-*.js", async (route) => {
            await isGone
            await route.fulfill({ status: 404 })
          })
          await page.route(`${url}/`, async (route) => {
            if (route.request().resourceType() === "document") return route.continue()
            const response = await route.fetch()
            const body = (await response.text()).replace(/assets\/index-[\w-]+\.js/, "assets/index-upgraded.js")
            await route.fulfill({ response, body })
          })
          await page.goto("/")
          await mark(page)
          await press(page, "Create a project")
          const name = page.getByRole("dialog").getByLabel("Name", { exact: true })
          await name.fill("Warehouse")
          goOn()
          await page.getByText("The server was upgraded").first().waitFor() // in the place of each chart
          await page.getByText("Save your changes, then reload the page.").first().waitFor()
          await page.waitForTimeout(3_000)
          assert.strictEqual(await name.inputValue(), "Warehouse")
          await page.keyboard.press("Escape")
          await reloaded(page)
          await page.getByRole("alert").getByRole("button", { name: "Reload the page" }).first().waitFor() // once
        })

        // what is not saved is asked about
        yield* Effect.promise(async () => {
          await goTo(page, "Settings")
          const name = page.getByLabel("Name", { exact: true })
          await name.fill("Shop 2")
          await goTo(page, "Tasks")
          const question = page.getByRole("dialog", { name: "Discard unsaved changes?" })
          await question.getByRole("button", { name: "Keep editing" }).click()
          await question.waitFor({ state: "detached" })
          assert.strictEqual(await name.inputValue(), "Shop 2")
          await page.goBack()
          await question.getByRole("button", { name: "Discard changes" }).click()
          await heading(page, "People").waitFor()
          await goTo(page, "Settings")
          await name.fill("Shop 3")
          await page.getByRole("button", { name: "Save", exact: true }).first().click()
          await page.getByText("Saved.").first().waitFor()
          await goTo(page, "Tasks")
          await heading(page, "Tasks").waitFor()
        })

        // idle, the page loads what may be opened next
        const { page: idle } = yield* visit(chrome, url)
        yield* Effect.promise(async () => {
          const last = idle.waitForResponse(/\/assets\/RulePage-/)
          await idle.goto("/projects/shop")
          await signIn(idle, email, password)
          await last
          await idle.waitForLoadState("networkidle")
          await idle.context().setOffline(true)
          await goTo(idle, "Automation")
          await heading(idle, "Automation").waitFor()
        })

        // what the first paint needs is asked for at once: the first script has not come yet
        yield* Effect.promise(async () => {
          const storageState = await page.context().storageState()
          const fresh = await chrome.newContext({ baseURL: url, storageState, locale: "de-AT" })
          const first = await fresh.newPage()
          const asked: Array<string> = []
          first.on("request", (request) => asked.push(new URL(request.url()).pathname))
          let release = () => {}
          const held = new Promise<void>((resolve) => {
            release = resolve
          })
          await first.route(/\/assets\/index-[^/]*\.js$/, async (route) => {
            await held
            await route.continue()
          })
          const needed = [
            /^\/assets\/Shell-/,
            /^\/assets\/OverviewPage-/,
            /^\/assets\/de-/,
            /^\/api\/v1\/auth\/me$/,
            /^\/api\/v1\/projects$/
          ]
          await first.goto("/projects/shop", { waitUntil: "commit" })
          await waitUntil(async () => needed.every((pattern) => asked.some((path) => pattern.test(path))))
          release()
          await heading(first, "Übersicht").waitFor()
          for (const pattern of needed) assert.lengthOf(asked.filter((path) => pattern.test(path)), 1, String(pattern))
          await fresh.close()
        })
      })
  )
})
