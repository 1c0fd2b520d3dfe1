/**
 * From starting `svc serve --demo` in an empty home to ready, and to its last day filled in with the shop open; from the
 * sign-in button, pressed at once when it is ready, and from opening the list in a new tab, to the first task on the screen
 * of Chromium. Medians of several starts, of the built program. Prints one line of JSON. Run: npx vite-node bench/demo.ts
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { launchChromium } from "../test/chromium.ts"
import { builtPart } from "./brain.ts"
import { median } from "./percentile.ts"
import { report } from "./run.ts"

const RUNS = 5

const list = "/projects/shop/tasks"

/** Seconds until the first task is on the screen, of a person who signs in, and of a tab that is opened afterwards. */
const timeFirstTask = async (chrome: Browser, baseURL: string, password: string) => {
  const context = await chrome.newContext({ baseURL })
  const page = await context.newPage()
  await page.goto(list)
  await page.getByLabel("E-mail address").fill("demo@example.com")
  await page.getByLabel("Password", { exact: true }).fill(password)
  const pressed = performance.now()
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.locator("[data-task]").first().waitFor()
  const signed_in_s = (performance.now() - pressed) / 1000
  const tab = await context.newPage()
  await tab.goto(list, { waitUntil: "commit" })
  await tab.locator("[data-task]").first().waitFor()
  const opened_s = (await tab.evaluate(() => performance.now())) / 1000
  await context.close()
  return { signed_in_s, opened_s }
}

const once = async (program: string, chrome: Browser) => {
  const home = mkdtempSync(join(tmpdir(), "svc-bench-"))
  const begin = performance.now()
  const demo = spawn(process.execPath, [program, "serve", "--demo", "--port", "0"], {
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = new Promise((resolve) => demo.on("exit", resolve))
  let said = ""
  demo.stderr.on("data", (text) => said += String(text))
  const saidSo = (words: string) =>
    new Promise<number>((resolve, reject) => {
      const look = () => {
        if (said.includes(words)) resolve((performance.now() - begin) / 1000)
      }
      demo.stderr.on("data", look)
      void ended.then(() => reject(new Error(`it did not start: ${said}`)))
    })
  const filled = saidSo("the shop is open")
  const ready_s = await saidSo("is ready")
  const url = /http:\/\/\S+:\d+/.exec(said)?.[0] ?? ""
  const { password } = JSON.parse(readFileSync(join(home, ".svc-demo/demo.json"), "utf8"))
  const firstTask = await timeFirstTask(chrome, url, password)
  const filled_s = await filled
  const stopping = performance.now()
  demo.kill("SIGTERM")
  await ended
  rmSync(home, { recursive: true, force: true })
  return {
    ready_s,
    filled_s,
    ...firstTask,
    stop_s: (performance.now() - stopping) / 1000,
    events: Number(/(\d+) events/.exec(said)?.[1])
  }
}

const rounded = (value: number): number => Number(value.toPrecision(3))

report(Effect.gen(function*() {
  const program = join(yield* builtPart("program"), "cli/svc.js")
  const runs: Array<Awaited<ReturnType<typeof once>>> = []
  const chrome = yield* Effect.acquireRelease(
    Effect.promise(launchChromium),
    (browser) => Effect.promise(() => browser.close())
  )
  for (let run = 0; run < RUNS; run++) runs.push(yield* Effect.promise(() => once(program, chrome)))
  return {
    bench: "demo",
    ready_s: rounded(median(runs.map(({ ready_s }) => ready_s))),
    filled_s: rounded(median(runs.map(({ filled_s }) => filled_s))),
    signed_in_task_s: rounded(median(runs.map(({ signed_in_s }) => signed_in_s))),
    opened_task_s: rounded(median(runs.map(({ opened_s }) => opened_s))),
    stop_s: rounded(median(runs.map(({ stop_s }) => stop_s))),
    events: runs[0]?.events
  }
}))
