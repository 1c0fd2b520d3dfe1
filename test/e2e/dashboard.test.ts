import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { inject } from "vitest"
import { has } from "../needs.ts"
import { assertAccessible, assertFitsPhone, browser, signIn, visit, waitUntil } from "./dashboard/browser.ts"
import { email, shopOn } from "./dashboard/shop.ts"

const pages = {
  "all projects": "/",
  overview: "/projects/shop",
  tasks: "/projects/shop/tasks",
  commands: "/projects/shop/commands",
  queues: "/projects/shop/queues",
  workers: "/projects/shop/workers",
  agents: "/projects/shop/agents"
}

const overviewTitles = { de: "Übersicht", es: "Resumen", fr: "Aperçu", ja: "概要" }

const ready = await has("chromium-headless-shell")

describe.skipIf(!ready)("the dashboard", () => {
  it("has a first script of at most 100 KiB, and 200 KB of script and style before its first page, compressed", () => {
    const folder = join(dirname(inject("program")), "../web")
    interface Chunk {
      readonly file: string
      readonly name?: string
      readonly css?: ReadonlyArray<string>
      readonly imports?: ReadonlyArray<string>
    }
    // Vite's manifest
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Record<string, Chunk>
    const files = new Set<string>()
    const add = (name: string) => {
      const chunk = manifest[name]
      if (chunk === undefined || files.has(chunk.file)) return
      for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
      for (const imported of chunk.imports ?? []) add(imported)
    }
    const frame = Object.keys(manifest).find((source) => manifest[source]?.name === "Shell") ?? ""
    for (const source of ["index.html", "src/i18n/en.ts", frame, "src/overview/OverviewPage.tsx"]) add(source)
    assert.isAtLeast(files.size, 4)
    const first = readFileSync(join(folder, `${manifest["index.html"]?.file}.br`))
    assert.isAtMost(first.length, 100 * 1024)
    const sizes = [...files].map((file) => [file, gzipSync(readFileSync(join(folder, file))).length] as const)
    assert.isAtMost(sizes.reduce((sum, [, size]) => sum + size, 0), 200_000, JSON.stringify(sizes))
  })

  it.scopedLive(
    "shows, finds and repairs the tasks of a shop, for keyboards, readers and phones",
    () =>
      Effect.gen(function*() {
        const { call, inviteViewer, password, url } = yield* shopOn("PostgreSQL")
        const chrome = yield* browser
        const { complaints, page } = yield* visit(chrome, url)
        const steps = Effect.promise(async () => {
          // a link leads through the sign-in to its page
          await page.goto("/projects/shop/tasks?q=state%3Afailure")
          await page.getByRole("heading", { name: "Sign in" }).waitFor()
          await assertAccessible(page, "sign-in")
          await signIn(page, email, password)
          const rows = page.getByRole("row").filter({ has: page.getByRole("link") })
          await rows.first().waitFor()
          assert.strictEqual(new URL(page.url()).search, "?q=state%3Afailure")
          for (const text of await rows.allInnerTexts()) assert.include(text, "Failed")

          // a misspelt term is explained, and a corrected one filters
          const line = page.getByRole("combobox", { name: "Filter tasks" })
          await line.fill("stat:failure")
          await page.getByText("Unknown term “stat”.").waitFor()
          await line.fill("name:payment.charge state:failure")
          await page.waitForURL(/name%3Apayment/)
          await waitUntil(async () => {
            const names = (await rows.getByRole("link").allInnerTexts()).filter((name) => name !== "")
            return names.length > 0 && names.every((name) => name === "payment.charge")
          })

          // by keyboard: the first row, its page, and a retry with its outcome
          await page.getByRole("heading", { name: "Tasks" }).click()
          await page.keyboard.press("j")
          await page.locator("a:focus", { hasText: "payment.charge" }).waitFor()
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name: "payment.charge" }).waitFor()
          await page.getByRole("region", { name: "Exception" }).getByText("CardDeclined").first().waitFor()
          const timeline = page.getByRole("region", { name: "Timeline" })
          await timeline.getByText("Retried").first().waitFor()
          // its times agree: the queue time ends with the first start, the run time is that of all attempts
          const details = page.getByRole("region", { name: "Details" })
          await details.getByText(/^\d\.\d+\ss in 3 attempts$/).waitFor()
          const queueTime = details.locator("div", { has: page.getByText("Queue time", { exact: true }) })
          assert.match(await queueTime.innerText(), /\s(?:\d+\sms|[012](?:\.\d+)?\ss)$/)
          const ownRow = page.locator("[role=treegrid] [data-active=true]")
          assert.strictEqual(await ownRow.locator("[data-span=failure]").count(), 3)
          const attempts = timeline.getByRole("list", { name: "Attempts" })
          assert.strictEqual(await attempts.getByText("CardDeclined").count(), 3)
          assert.match(await timeline.locator("time").last().innerText(), /\d\d:\d\d\.\d{3}/)
          await assertAccessible(page, "task")
          await page.getByRole("button", { name: "Retry", exact: true }).click()
          await page.getByRole("dialog").waitFor()
          await page.keyboard.press("Enter")
          await page.getByText("Completed.").waitFor()
          await page.getByRole("link", { name: "Commands" }).click()
          await page.getByRole("row").filter({ hasText: "Retry a task" }).filter({ hasText: "Completed" }).first()
            .waitFor()

          // of a running task the page says that it runs; one begins now and takes half a minute
          const { items: schedules } = await call("GET", "/projects/shop/schedules")
          const { id: sync } = schedules.find(({ name }: { readonly name: string }) => name === "warehouse sync")
          await call("POST", `/projects/shop/schedules/${sync}/trigger`)
          const listStarted = () => call("GET", "/projects/shop/tasks?state=started&name=stock.sync_warehouse")
          await waitUntil(async () => (await listStarted()).items.length > 0)
          await page.goto(`/projects/shop/tasks/effect-queue/${(await listStarted()).items[0].task_id}`)
          await page.getByRole("region", { name: "Is it still running?" }).getByText(/^It is running at stock/)
            .waitFor()

          // new tasks wait behind a button, and no row moves until it is pressed
          await page.getByRole("link", { name: "Tasks", exact: true }).click()
          await rows.first().waitFor()
          const first = await rows.first().getByRole("link").first().getAttribute("href")
          const more = page.getByRole("button", { name: /^\d+ new$/ })
          await more.waitFor()
          assert.strictEqual(await rows.first().getByRole("link").first().getAttribute("href"), first)
          await more.click()
          await waitUntil(async () => (await rows.first().getByRole("link").first().getAttribute("href")) !== first)

          // a pause stops every read, also on the next page
          await page.getByRole("button", { name: "Pause updates" }).click()
          await page.getByText("Paused").waitFor()
          await page.getByRole("link", { name: "Overview" }).click()
          await page.clock.install()
          await page.reload()
          await page.getByRole("region", { name: "Run time" }).waitFor()
          await page.waitForLoadState("networkidle")
          const requests: Array<string> = []
          page.on("request", (request) => {
            if (request.url().includes("/api/")) requests.push(request.url()) // code is loaded all the same
          })
          await page.clock.fastForward(11_000) // the overview reads every 10 s
          await page.waitForTimeout(500) // a request would begin now
          assert.deepStrictEqual(requests, [])
          page.removeAllListeners("request")
          await page.getByRole("button", { name: "Resume updates" }).click()
          await page.locator("[data-live=live]").waitFor()

          for (const [name, path] of Object.entries(pages)) {
            await page.goto(path)
            await page.getByRole("table").first().waitFor()
            await assertAccessible(page, name)
          }

          await page.goto("/projects/shop/nothing")
          await page.getByText("Page not found").waitFor()

          await page.goto("/projects/shop/tasks")
          await page.getByRole("button", { name: "Account and settings" }).click()
          await page.getByLabel("Language").selectOption("de")
          await page.getByRole("link", { name: "Zeitpläne" }).first().waitFor() // without a reload
          for (const [language, title] of Object.entries(overviewTitles)) {
            await page.evaluate(`localStorage.setItem("svc.language", "${language}")`)
            for (const path of Object.values(pages)) {
              await page.goto(path)
              await page.locator(`html[lang=${language}]`).waitFor()
              await page.getByRole("table").first().waitFor()
              await assertFitsPhone(page)
            }
            await page.goto("/projects/shop")
            await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor()
          }
          await page.evaluate(`localStorage.setItem("svc.language", "en")`)
          await page.goto("/projects/shop/tasks")

          await page.setViewportSize({ width: 390, height: 800 })
          await rows.first().waitFor()
          await assertAccessible(page, "tasks on a phone")
          assert.isAtMost(await page.locator("html").evaluate(({ scrollWidth }) => scrollWidth), 390)
          await page.setViewportSize({ width: 1280, height: 800 })
        })
        yield* steps

        // the session ends while the page is open: the person signs in and is where they were
        yield* Effect.promise(async () => {
          await page.goto("/projects/shop/workers")
          await page.getByRole("table").waitFor()
          await page.context().clearCookies({ name: "svc_session" })
          await page.getByText("Your session has ended.").waitFor()
          await signIn(page, email, password)
          await page.waitForURL(/\/projects\/shop\/workers$/)
        })

        // it ends while a form is open, and no read of the page finds it out first
        yield* Effect.promise(async () => {
          await page.goto("/account?tab=keys")
          await page.getByRole("button", { name: "Pause updates" }).click()
          await page.getByRole("button", { name: "Create an API key" }).first().click()
          await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("deploy")
          await page.context().clearCookies({ name: "svc_session" })
          await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click()
          await page.getByText("Your session has ended.").waitFor()
          await signIn(page, email, password)
          await page.waitForURL(/\/account\?tab=keys$/)
          await page.getByRole("button", { name: "Resume updates" }).click()
        })

        // a viewer sees no button that the API would refuse
        const account = yield* Effect.promise(inviteViewer)
        const viewer = yield* visit(chrome, url)
        yield* Effect.promise(async () => {
          await viewer.page.goto("/projects/shop/tasks?q=state%3Afailure")
          await signIn(viewer.page, account.email, account.password)
          await viewer.page.getByRole("row").getByRole("link").first().click()
          await viewer.page.getByRole("region", { name: "Exception" }).waitFor()
          assert.strictEqual(await viewer.page.getByRole("button", { name: "Retry" }).count(), 0)
        })
        assert.deepStrictEqual([...complaints, ...viewer.complaints], [])
      })
  )
})
