import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { has } from "../../needs.ts"
import { browser, signIn, visit } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

type Search = Readonly<Record<string, unknown>>

interface Route {
  readonly fullPath: string
  readonly options: { readonly validateSearch?: (search: Search) => Search }
}

/** In the browser: what this test uses of the page, and of TanStack Router, which is a property of its window. */
declare const window: {
  readonly document: {
    readonly body: { readonly textContent: string }
    readonly querySelector: (selector: string) => { readonly textContent: string } | null
  }
  readonly __TSR_ROUTER__: {
    readonly routesById: Readonly<Record<string, Route>>
    readonly options: {
      readonly parseSearch: (text: string) => Search
      readonly stringifySearch: (search: Search) => string
    }
    readonly state: { readonly status: string }
    readonly history: { readonly push: (path: string) => void }
  }
}

interface RoutePage {
  readonly id: string
  readonly path: string
  /** The names of the parameters that the route reads. */
  readonly names: ReadonlyArray<string>
}

/** What a person may type, or a link may carry, as the value of a parameter. */
const values = [
  "1598",
  "true",
  "null",
  "-0",
  "1e999",
  "{\"a\":1}",
  "[1,[2]]",
  "x".repeat(1500),
  "(".repeat(500),
  "日本 \u202e🦆 é",
  "\0",
  "\"",
  "a:\\",
  "%25%",
  "__proto__",
  "<img src=x onerror=alert(1)>",
  " \t\n",
  ""
]

/** Beside the parameters that the route reads: repeated ones, names of no route, and bytes that are no text. */
const malformed = ["?q=a&q=1598&q=b", "?__proto__=1&constructor=2&toString=3", "?q=%E0%A4%A&=x&&%00=%00", "?q", "?1598"]

/** Each route of a page. A proxy in the place of a search shows which names its check reads. */
const readRoutes = (page: Page): Promise<ReadonlyArray<RoutePage>> =>
  page.evaluate(() => {
    const pages = new Map<string, { id: string; path: string; names: Array<string> }>()
    for (const [id, { fullPath, options }] of Object.entries(window.__TSR_ROUTER__.routesById)) {
      const names = new Set<string>()
      const search = new Proxy({}, {
        get: (_, name) => {
          names.add(String(name))
          return undefined
        }
      })
      options.validateSearch?.(search)
      const known = pages.get(fullPath)
      // a layout has the path of its first page, and no parameters
      if (known === undefined || names.size > 0) pages.set(fullPath, { id, path: fullPath, names: [...names] })
    }
    return [...pages.values()]
  })

/** What a check of a route gives for a value is text, a number or a flag, and is the same after a link to it. */
const faultsOfChecks = (page: Page, values: ReadonlyArray<unknown>): Promise<ReadonlyArray<string>> =>
  page.evaluate((values) => {
    const { options: { parseSearch, stringifySearch }, routesById } = window.__TSR_ROUTER__
    const faults: Array<string> = []
    for (const [id, { options: { validateSearch } }] of Object.entries(routesById)) {
      if (validateSearch === undefined) continue
      for (const value of values) {
        const search = validateSearch(new Proxy({}, { get: () => value }))
        const given = Object.values(search).filter((one) => one !== undefined)
        const what = `${id} with ${JSON.stringify(value)} gives ${JSON.stringify(search)}`
        if (given.some((one) => !["string", "number"].includes(typeof one) && one !== true)) faults.push(what)
        const link = stringifySearch(search)
        if (stringifySearch(validateSearch(parseSearch(link))) !== link) {
          faults.push(`${what}, whose link says otherwise`)
        }
      }
    }
    return faults
  }, values)

/** Another value for each parameter of the route; over as many rounds as there are values, each has all of them. */
const searchOf = ({ names }: RoutePage, round: number) =>
  new URLSearchParams(
    Object.fromEntries(names.map((name, index) => [name, values[(round + index) % values.length] ?? ""]))
  )

/** Goes there as a link does. The page is still there: it shows something, and another script runs. */
const follow = async (page: Page, address: string) => {
  await page.evaluate((to) => window.__TSR_ROUTER__.history.push(to), address)
  await page.waitForFunction(() => {
    const { document, __TSR_ROUTER__: router } = window
    const { textContent: text } = document.querySelector("#content") ?? document.body
    return router.state.status === "idle" && text !== "" && text !== "Loading…"
  })
}

describe.skipIf(!(await has("chromium-headless-shell")))("addresses of the dashboard", () => {
  it.scopedLive(
    "every parameter is text that its page checks, and none stops a page",
    () =>
      Effect.gen(function*() {
        const { call, password, url } = yield* shopOn("SQLite")
        const { complaints, page } = yield* visit(yield* browser, url)
        const serverErrors: Array<string> = []
        page.on("response", (response) => {
          if (response.status() >= 500) serverErrors.push(`${response.status()} ${response.url()}`)
        })
        yield* Effect.promise(async () => {
          await page.goto("/projects/shop/tasks?q=1598")
          await signIn(page, email, password)
          const query = page.getByLabel("Filter tasks")
          await query.waitFor()
          assert.strictEqual(await query.inputValue(), "1598", "digits are text")
          for (const value of ["true", "null", "{\"a\":1}", "[1]"]) {
            await page.goto(`/projects/shop/tasks?q=${encodeURIComponent(value)}`)
            await query.waitFor()
            assert.strictEqual(await query.inputValue(), value)
          }
          await query.fill("1598")
          await page.waitForURL("**/tasks?q=1598")
          await page.reload()
          assert.strictEqual(await query.inputValue(), "1598", "what the page writes is read again as it was")
        })

        const ids: Readonly<Record<string, string>> = yield* Effect.promise(async () => {
          const [task] = (await call("GET", "/projects/shop/tasks?limit=1")).items
          const [schedule] = (await call("GET", "/projects/shop/schedules?limit=1")).items
          return { slug: "shop", scheduleId: schedule.id, engine: task.engine, taskId: task.task_id }
        })
        const addressOf = ({ path }: RoutePage) => path.replaceAll(/\$(\w+)/g, (_, name) => ids[name] ?? "1598")
        const routes = yield* Effect.promise(() => readRoutes(page))
        assert.isAbove(routes.length, 35)

        yield* Effect.promise(async () => {
          const others = [1598, 0, true, false, null, {}, { q: {} }, [], [["x"]], Infinity]
          assert.deepStrictEqual(await faultsOfChecks(page, [...values, ...others]), [])
          let turn = 0
          for (const route of routes.filter(({ path }) => path !== "/sign-in")) {
            const address = addressOf(route)
            for (let round = 0; round < (route.names.length > 0 ? values.length : 1); round++) {
              await follow(page, `${address}?${searchOf(route, round)}`)
            }
            await page.goto(`${address}${malformed[turn++ % malformed.length]}`)
            await follow(page, `${address}${malformed[turn++ % malformed.length]}`)
          }
          await page.goto("/system?tab=versions")
          await page.getByText(/^SQLite \d/).waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Check for newer versions" }).count(), 0)
          // a value that was refused is absent, and does not come back by another one
          await page.goto("/system?tab=elsewhere&q=database")
          await page.getByText("Signed audit log").waitFor()
        })
        assert.deepStrictEqual(complaints, [])
        assert.deepStrictEqual(serverErrors, [])
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
      })
  )
})
