import { Effect } from "effect"
import { join } from "node:path"
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core"
import { launchChromium } from "../test/chromium.ts"
import { builtPart } from "./brain.ts"
import { cpuSecondsOf } from "./cpu.ts"
import { ingestClient, sending } from "./ingest/sending.ts"
import { percentile } from "./percentile.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { siteWithTasks } from "./scale/site.ts"

/**
 * The dashboard in Chromium over a project with nine tenths of `tasks` tasks: milliseconds until the list of tasks is on
 * screen, the first visit on a slow connection, frames a second of a scroll of `seconds` seconds, the time from a key or click to the next paint, what open overviews
 * cost the brain in percent of a core, and, with `rate` live changes a second, the frames of a scroll and the heap of the
 * open list during `live` seconds. `bareFrames` are the frames of an empty page in the same browser.
 * `npx vite-node bench/dashboard.ts sqlite|postgresql [tasks=1000000] [seconds=30] [rate=200] [tabs=10] [live=60]`
 */
const { database, live, rate, seconds, tabs, tasks } = databaseAndNumbersOf("dashboard", {
  tasks: 1_000_000,
  seconds: 30,
  rate: 200,
  tabs: 10,
  live: 60
})

/** Of the heap during the live changes, beside the one before them. */
const heapSamples = 6

const size = { width: 1280, height: 800 }
const list = "/projects/bench/tasks"

const browser = Effect.acquireRelease(
  Effect.promise(launchChromium),
  (browser) => Effect.promise(() => browser.close())
)

const signIn = async (chrome: Browser, url: string) => {
  const context = await chrome.newContext({ baseURL: url, viewport: size })
  const page = await context.newPage()
  await page.goto("/")
  await page.getByLabel("E-mail address").fill("admin@example.com")
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("main").filter({ hasNotText: "E-mail address" }).waitFor()
  return { context, page }
}

/** Milliseconds from the navigation to the first row, of loads with a warm cache. */
const timeLoads = async (page: Page, loads: number) => {
  const millis: Array<number> = []
  for (let load = 0; load < loads; load++) {
    await page.goto("about:blank")
    await page.goto(list, { waitUntil: "commit" })
    await page.locator("[data-task]").first().waitFor()
    millis.push(await page.evaluate(() => performance.now()))
  }
  return millis
}

/** A slow phone connection: 400 kbit/s each way, and 400 ms of latency. */
const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

/**
 * The first visit of the overview on a slow connection, without a cache: milliseconds until something is painted and until
 * its charts are drawn, and what was loaded until then.
 */
const timeFirstVisit = async (chrome: Browser, signedIn: BrowserContext, baseURL: string) => {
  const context = await chrome.newContext({ baseURL, viewport: size, storageState: await signedIn.storageState() })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send("Network.enable")
  await session.send("Network.emulateNetworkConditions", slow)
  const loaded = { requests: 0, bytes: 0 }
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    loaded.requests++
    loaded.bytes += encodedDataLength
  })
  await page.goto("/projects/bench", { waitUntil: "commit" })
  await page.locator("canvas").first().waitFor({ timeout: 120_000 })
  const drawnMillis = Math.round(await page.evaluate(() => performance.now()))
  const [paint] = await page.evaluate(() =>
    performance.getEntriesByName("first-contentful-paint").map((entry) => entry.startTime)
  )
  const visit = { paintMillis: Math.round(paint ?? 0), drawnMillis, ...loaded }
  await context.close()
  return visit
}

interface Frames {
  readonly perSecond: number
  readonly longestMillis: number
}

/** Frames a second while each frame scrolls the list by some rows; without a list, those of the browser alone. */
const countFrames = (page: Page, durationMillis: number) =>
  page.evaluate<Frames>(`(async () => {
    const scroller = document.querySelector("[role=table]")?.parentElement
    const begun = performance.now()
    let frames = 0
    let longest = 0
    for (let before = begun; before - begun < ${durationMillis};) {
      const now = await new Promise(requestAnimationFrame)
      longest = Math.max(longest, now - before)
      before = now
      frames++
      scroller?.scrollBy(0, 40)
    }
    return { perSecond: Math.round(frames / ${durationMillis / 1000}), longestMillis: Math.round(longest) }
  })()`)

/** Keeps the duration of each key and click until its next paint, as the Event Timing API measures it. */
const observeInteractions = `
  globalThis.durations = []
  new PerformanceObserver((entries) => {
    for (const { duration, interactionId } of entries.getEntries()) if (interactionId > 0) durations.push(duration)
  }).observe({ type: "event", durationThreshold: 16, buffered: true })
`

/** Types, moves, selects and filters as a person does; the durations that the browser reports for each interaction. */
const timeInteractions = async (page: Page, rounds: number) => {
  await page.evaluate(observeInteractions)
  const line = page.getByRole("combobox", { name: "Filter tasks" })
  for (let round = 0; round < rounds; round++) {
    await line.click()
    await page.keyboard.type("state:fail", { delay: 60 })
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.waitForURL(/state/)
    await page.locator("[data-task]").first().waitFor()
    await page.getByRole("heading", { level: 1 }).click()
    for (let key = 0; key < 10; key++) await page.keyboard.press(key % 3 === 2 ? "x" : "j", { delay: 60 })
    await page.getByRole("button", { name: "All states" }).click()
    await page.waitForURL(/tasks$/)
    await page.locator("[data-task]").first().waitFor()
  }
  return page.evaluate<ReadonlyArray<number>>("durations")
}

const heapMiB = async (session: CDPSession) => {
  await session.send("HeapProfiler.collectGarbage")
  const { usedSize } = await session.send("Runtime.getHeapUsage")
  return Number((usedSize / 1_048_576).toFixed(1))
}

/** The brain's CPU time in percent of a core, over `seconds`. */
const measureLoad = (pid: number) =>
  Effect.gen(function*() {
    const before = cpuSecondsOf(pid)
    yield* Effect.sleep(`${seconds} seconds`)
    return Number(((cpuSecondsOf(pid) - before) / seconds * 100).toFixed(2))
  })

report(Effect.gen(function*() {
  const folder = yield* builtPart("program")
  const client = yield* ingestClient
  const { credentials, site } = yield* siteWithTasks(join(folder, "cli/svc.js"), database, tasks, false)
  const brain = yield* site.brain
  const chrome = yield* browser
  const { context, page } = yield* Effect.promise(() => signIn(chrome, brain.url))

  const loads = yield* Effect.promise(() => timeLoads(page, 10))
  const slowVisit = yield* Effect.promise(() => timeFirstVisit(chrome, context, brain.url))
  const bareFrames = yield* Effect.promise(async () => {
    const bare = await context.newPage()
    const frames = await countFrames(bare, 5000)
    await bare.close()
    return frames
  })
  const frames = yield* Effect.promise(() => countFrames(page, seconds * 1000))
  const interactions = yield* Effect.promise(async () => {
    await page.goto(list)
    await page.locator("[data-task]").first().waitFor()
    return timeInteractions(page, 5)
  })

  yield* Effect.promise(() => page.goto("about:blank"))
  const idle = yield* measureLoad(brain.pid())
  const session = yield* Effect.promise(() => context.newCDPSession(page))
  const storageState = yield* Effect.promise(() => context.storageState())
  /** Each in a profile of its own: a profile opens at most six connections to a host, and a page's stream takes one. */
  const openOverviews = (count: number) =>
    Effect.promise(async () => {
      for (let tab = 0; tab < count; tab++) {
        const profile = await chrome.newContext({ baseURL: brain.url, viewport: size, storageState })
        await (await profile.newPage()).goto("/projects/bench")
      }
    })
  yield* openOverviews(1)
  yield* Effect.sleep("5 seconds") // the first load is no cost of an open tab
  const oneTab = yield* measureLoad(brain.pid())
  yield* openOverviews(tabs - 1)
  yield* Effect.sleep("10 seconds")
  const allTabs = yield* measureLoad(brain.pid())
  yield* Effect.promise(async () => {
    for (const profile of chrome.contexts()) if (profile !== context) await profile.close()
  })

  yield* Effect.promise(() => page.goto(list))
  const job = { tasks: rate * (seconds + live + 60), warmUpTasks: rate, eventsPerFrame: 3, inFlight: 64, rate }
  yield* sending(client, { url: brain.url, agents: credentials, ...job })
  const liveFrames = yield* Effect.promise(() => countFrames(page, seconds * 1000))
  yield* Effect.promise(() => page.goto(list)) // without the pages that the scroll has loaded
  yield* Effect.sleep("10 seconds")
  const heap = Effect.promise(() => heapMiB(session))
  const heaps = [
    yield* heap,
    ...(yield* Effect.replicateEffect(Effect.delay(heap, `${live / heapSamples} seconds`), heapSamples))
  ]
  return {
    bench: "dashboard",
    database,
    tasks,
    firstRowMillis: { p50: Math.round(percentile(loads, 50)), max: Math.round(Math.max(...loads)) },
    slowVisit,
    bareFrames,
    frames,
    interactions: { count: interactions.length, p75: percentile(interactions, 75), max: Math.max(...interactions) },
    brainPercent: { idle, oneTab, tabs, allTabs },
    live: { rate, frames: liveFrames, seconds: live, heaps }
  }
}))
