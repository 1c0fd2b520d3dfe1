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

/** A started demo; `waitFor` has the seconds from the start until it has printed the words. */
const startDemo = (program: string) => {
  const home = mkdtempSync(join(tmpdir(), "svc-bench-"))
  const begin = performance.now()
  const demo = spawn(process.execPath, [program, "serve", "--demo", "--port", "0"], {
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = new Promise((resolve) => demo.on("exit", resolve))
  let output = ""
  demo.stderr.on("data", (text) => output += String(text))
  return {
    output: () => output,
    password: () => JSON.parse(readFileSync(join(home, ".svc-demo/demo.json"), "utf8")).password as string, // the demo's own
    waitFor: (words: string) =>
      new Promise<number>((resolve, reject) => {
        const look = () => {
          if (output.includes(words)) resolve((performance.now() - begin) / 1000)
        }
        demo.stderr.on("data", look)
        void ended.then(() => reject(new Error(`it did not start: ${output}`)))
        look()
      }),
    stop: async () => {
      const stopping = performance.now()
      demo.kill("SIGTERM")
      await ended
      rmSync(home, { recursive: true, force: true })
      return (performance.now() - stopping) / 1000
    }
  }
}

/** What a running demo was used for, and the seconds of its stop. */
const withDemo = async <A extends object>(
  program: string,
  use: (demo: ReturnType<typeof startDemo>) => Promise<A>
) => {
  const demo = startDemo(program)
  const used = await use(demo).catch(async (cause: unknown) => {
    await demo.stop()
    throw cause
  })
  return { ...used, stop_s: await demo.stop() }
}

const timeStart = async ({ output, waitFor }: ReturnType<typeof startDemo>) => ({
  ready_s: await waitFor("is ready"),
  filled_s: await waitFor("the shop is open"),
  events: Number(/(\d+) events/.exec(output())?.[1])
})

/** In a run of its own, because the browser takes a core. */
const timeVisit = (chrome: Browser) => async ({ output, password, waitFor }: ReturnType<typeof startDemo>) => {
  await waitFor("is ready")
  return timeFirstTask(chrome, /http:\/\/\S+:\d+/.exec(output())?.[0] ?? "", password())
}

const rounded = (value: number): number => Number(value.toPrecision(3))

report(Effect.gen(function*() {
  const program = join(yield* builtPart("program"), "cli/svc.js")
  const chrome = yield* Effect.acquireRelease(
    Effect.promise(launchChromium),
    (browser) => Effect.promise(() => browser.close())
  )
  const starts: Array<Awaited<ReturnType<typeof timeStart>> & { readonly stop_s: number }> = []
  const visits: Array<Awaited<ReturnType<typeof timeFirstTask>>> = []
  for (let run = 0; run < RUNS; run++) {
    starts.push(yield* Effect.promise(() => withDemo(program, timeStart)))
    visits.push(yield* Effect.promise(() => withDemo(program, timeVisit(chrome))))
  }
  return {
    bench: "demo",
    ready_s: rounded(median(starts.map(({ ready_s }) => ready_s))),
    filled_s: rounded(median(starts.map(({ filled_s }) => filled_s))),
    signed_in_task_s: rounded(median(visits.map(({ signed_in_s }) => signed_in_s))),
    opened_task_s: rounded(median(visits.map(({ opened_s }) => opened_s))),
    stop_s: rounded(median(starts.map(({ stop_s }) => stop_s))),
    events: starts[0]?.events
  }
}))
