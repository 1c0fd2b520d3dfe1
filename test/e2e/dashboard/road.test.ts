import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { generateSync } from "otplib"
import type { Page } from "playwright-core"
import { inject } from "vitest"
import * as EffectQueue from "../../../src/agent/engines/effect-queue/EffectQueue.ts"
import * as Agent from "../../../src/agent/runtime/Agent.ts"
import { fromEnvironment } from "../../../src/agent/runtime/Environment.ts"
import { temporaryHome } from "../../databases.ts"
import { has } from "../../needs.ts"
import { freePort } from "../../ports.ts"
import { until } from "../../until.ts"
import { startProgram } from "../childProgram.ts"
import { assertAccessible, assertFitsPhone, browser, confirm, inspect, press, visit, waitUntil } from "./browser.ts"

const desktop = { width: 1440, height: 900 }

/** A new server, and the link that it prints. */
const startServer = Effect.gen(function*() {
  const home = yield* temporaryHome
  const port = yield* freePort
  const args = [inject("program"), "serve", "--port", String(port)]
  const env = { PATH: process.env.PATH ?? "", HOME: home }
  const { log } = yield* startProgram(process.execPath, args, { env })
  const printed = yield* until(Effect.sync(log), (text) => text.includes("/setup?token="))
  return { home, url: `http://127.0.0.1:${port}`, link: /http\S+\/setup\?token=\S+/.exec(printed)?.[0] ?? "" }
})

/** An application with an Effect queue, whose agent has nothing but the variables of the copied lines. */
const startApplication = Effect.fnUntraced(function*(lines: string, home: string) {
  const variables = Object.fromEntries(
    [...lines.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name = "", value = ""]) => [name, value])
  )
  const store = yield* Layer.build(EffectQueue.layerMemory())
  const schema = Schema.TaggedStruct("mail.welcome", { customer: Schema.Int })
  const mail = yield* Effect.provide(EffectQueue.make({ name: "mail", schema }), store)
  yield* Agent.make({ ...fromEnvironment(variables), home, engines: [EffectQueue.engine([mail])] })
  yield* Effect.forkScoped(mail.run(() => Effect.void))
  yield* mail.offer({ _tag: "mail.welcome", customer: 7 })
})

/** Counts what a hand does: presses of the pointer on any page. */
const countPresses = async (page: Page) => {
  let presses = 0
  await page.exposeFunction("countPress", () => {
    presses += 1
  })
  await page.addInitScript("addEventListener('pointerdown', () => countPress(), true)")
  return () => presses
}

describe.skipIf(!(await has("chromium-headless-shell")))("the road in", () => {
  it.scopedLive(
    "leads from the printed link to the first task in five clicks and one copy, and on by first steps",
    () =>
      Effect.gen(function*() {
        const { home, link, url } = yield* startServer
        const { complaints, page } = yield* visit(yield* browser, url, {
          viewport: desktop,
          permissions: ["clipboard-read", "clipboard-write"]
        })
        const presses = yield* Effect.promise(() => countPresses(page))

        // the link, the account, the engine, the lines
        const lines = yield* Effect.promise(async () => {
          await page.goto(link)
          await page.getByLabel("E-mail address").fill("ada@example.com")
          await page.getByLabel(/^Password \(/).fill("correct horse battery")
          await press(page, "Create the account") // 1
          await page.waitForURL(/\/projects\/default\/agents\/new$/)
          await page.getByText("Effect queue", { exact: true }).click() // 2
          await press(page, "Create agent") // 3
          await page.getByRole("button", { name: "Copy: 1. Install and set the environment" }).click() // the copy
          const copied = await page.evaluate<string>("navigator.clipboard.readText()")
          assert.include(copied, `export SVC_AGENT_BRAIN_URL=${url}\n`)
          return copied
        })
        yield* startApplication(lines, home)
        yield* Effect.promise(async () => {
          const event = page.getByRole("link", { name: /^[0-9a-f-]{36}$/ })
          await event.waitFor()
          const box = await event.boundingBox()
          assert.isBelow((box?.y ?? Infinity) + (box?.height ?? 0), desktop.height, "seen without scrolling")
          await event.click() // 4
          await page.getByRole("heading", { level: 1, name: "mail.welcome" }).waitFor()
          assert.isAtMost(presses(), 5 + 1)
        })

        // what is done says so, and each further step leads on
        yield* Effect.promise(async () => {
          await page.goto("/projects/default")
          const steps = page.getByRole("region", { name: "First steps" })
          const step = (name: string) => steps.getByRole("listitem").filter({ hasText: name })
          await step("Connect an agent: Done").waitFor()
          await step("See a task: Done").waitFor()
          await page.getByRole("region", { name: "Completed tasks" }).waitFor() // the charts are there
          await inspect(page, "first steps")
          await steps.getByRole("link", { name: "Subscribe" }).click()
          await press(page, "New subscription")
          await confirm(page, "Create")
          await page.goto("/projects/default")
          await step("Subscribe to alerts: Done").waitFor()
          await steps.getByRole("link", { name: "Invite" }).click()
          await press(page, "Invite")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("E-mail address").fill("grace@example.com")
          await dialog.getByRole("button", { name: "Invite" }).click()
          await confirm(page, "Done")
          await page.goto("/projects/default")
          await step("Invite a colleague: Done").waitFor()
          await steps.getByRole("link", { name: "Set up" }).click()
          await press(page, "Start")
          const secret = await page.locator("code").innerText()
          await page.getByLabel("Code", { exact: true }).fill(generateSync({ secret }))
          await press(page, "Continue")
          await page.getByRole("list", { name: "Recovery codes" }).waitFor()
          await press(page, "Continue")
          await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
          await page.getByRole("region", { name: "Completed tasks" }).waitFor()
          await waitUntil(async () => (await steps.count()) === 0) // all are done
        })

        // an empty project has them in the place of its charts, until they are dismissed
        yield* Effect.promise(async () => {
          await page.goto("/")
          await press(page, "Create a project")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Name", { exact: true }).fill("Other")
          await confirm(page, "Create")
          await page.goto("/projects/other")
          const steps = page.getByRole("region", { name: "First steps" })
          await steps.getByRole("link", { name: "Connect" }).waitFor()
          assert.strictEqual(await page.getByText("No data in this window").count(), 0)
          await assertAccessible(page, "overview of an empty project")
          await assertFitsPhone(page)
          await steps.getByRole("link", { name: "Connect" }).click()
          await page.getByRole("button", { name: "Create agent" }).waitFor()
          await page.goBack()
          await press(page, "Dismiss")
          await page.getByText("No data in this window").first().waitFor()
          assert.strictEqual(await page.getByText("No data in this window").count(), 5)
          assert.strictEqual(await page.locator("canvas").count(), 0)
          await page.reload()
          await page.getByText("No data in this window").first().waitFor()
          assert.strictEqual(await steps.count(), 0)

          // empty lists lead to the agent
          for (const path of ["tasks", "queues", "workers", "workers?tab=processes", "schedules", "dead-letters"]) {
            await page.goto(`/projects/other/${path}`)
            await page.getByRole("link", { name: "New agent" }).waitFor()
          }
        })
        assert.deepStrictEqual(complaints, [])
      })
  )
})
