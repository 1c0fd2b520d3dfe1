import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import type { Page } from "playwright-core"
import { makePurgeToken } from "../../../src/domain/commands/PurgeToken.ts"
import { signingKey } from "../../../src/protocol/Signing.ts"
import { connectAgent, event, helloPayload, type TestAgent } from "../../agent.ts"
import { has } from "../../needs.ts"
import { assertAccessible, browser, inspect, openByPalette, signIn, visit, waitUntil } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

const worker = "w1@box"
const health = {
  "celery.queue_depths": JSON.stringify({ "box.mail": 7 }),
  "celery.worker_details": JSON.stringify({
    [worker]: {
      stats: { pid: 4711, pool: { "max-concurrency": 3 }, total: {} },
      active: [],
      active_queues: [{ name: "box.mail" }],
      registered: ["shop.pay"],
      conf: { task_time_limit: null }
    }
  })
}

/** The command that the agent gets for what is done on the page; the agent sends its result, and the notice has the outcome. */
const assertCommand = async (
  page: Page,
  agent: TestAgent,
  action: string,
  parameters: Readonly<Record<string, unknown>>,
  error: string | null = null
) => {
  const command = await agent.command(action)
  for (const [name, value] of Object.entries(parameters)) {
    assert.deepStrictEqual({ ...command.target, ...command.parameters }[name], value, `${action}: ${name}`)
  }
  agent.sendResult(command, error === null ? { status: "success", result: {} } : { status: "failed", error })
  const notices = page.getByRole("region", { name: "Notices" })
  await notices.getByText(error === null ? /^Completed\./ : `Failed. ${error}`).waitFor()
  await notices.getByRole("button", { name: "Close" }).first().click()
}

const assertFitsPhone = async (page: Page, path: string) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(path)
  await page.getByRole("heading", { level: 1 }).waitFor()
  assert.isAtMost(await page.locator("html").evaluate(({ scrollWidth }) => scrollWidth), 390, path)
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** The agent connected a moment ago. */
const knownUptime = /^Connected for [\d.]+% of the .+ that are known/

const ready = await has("chromium-headless-shell")

describe.skipIf(!ready)("queues, workers, agents and the palette", () => {
  it.scopedLive(
    "are operated, from an agent's set-up to its deletion, and by keyboard alone",
    () =>
      Effect.gen(function*() {
        const { call, inviteViewer, password, url } = yield* shopOn("SQLite")
        const chrome = yield* browser
        const { complaints, page } = yield* visit(chrome, url)

        // the assistant: an engine, a name, the lines with the secrets, and the first event
        const secrets = yield* Effect.promise(async () => {
          await page.goto("/projects/shop/agents")
          await signIn(page, email, password)
          await page.getByRole("link", { name: "New agent" }).click()
          await page.getByText("RQ", { exact: true }).click()
          await page.waitForURL(/engine=rq/)
          await page.getByText("Celery", { exact: true }).click()
          assert.strictEqual(await page.getByLabel("Agent name").inputValue(), "celery")
          await page.getByLabel("Agent name").fill("box")
          await page.getByRole("button", { name: "Create agent" }).click()
          await page.getByText("Waiting for the agent to connect").waitFor()
          await assertAccessible(page, "lines of a new agent")
          const copied = page.locator("pre[data-step=environment]")
          const style = "getComputedStyle(document.querySelector('pre[data-step=environment]'))"
          assert.strictEqual(await page.evaluate(`${style}.fontVariantLigatures`), "none")
          const lines = await copied.innerText()
          const valueOf = (name: string) => new RegExp(`^export ${name}=(\\S+)$`, "m").exec(lines)?.[1] ?? ""
          assert.strictEqual(valueOf("Z4J_BRAIN_URL"), url)
          await page.getByRole("button", { name: "Docker" }).click()
          await copied.getByText(`-e Z4J_TOKEN=${valueOf("Z4J_TOKEN")}`).waitFor()
          await page.getByRole("button", { name: "Kubernetes" }).click()
          await copied.getByText(`--from-literal=Z4J_TOKEN=${valueOf("Z4J_TOKEN")}`).waitFor()
          return { base: url, token: valueOf("Z4J_TOKEN"), hmac_secret: valueOf("Z4J_HMAC_SECRET") }
        })
        const agent = yield* Effect.acquireRelease(
          Effect.promise(() => {
            const { capabilities } = helloPayload()
            const celery = [...capabilities.celery, "pause_queue", "resume_queue"]
            return connectAgent({ ...secrets, hello: { capabilities: { celery } } })
          }),
          ({ ws }) => Effect.sync(() => ws.terminate())
        )
        yield* Effect.promise(() => page.getByText("Connected from").waitFor())
        // a worker is offline 30 s after the last heartbeat that names it
        yield* Effect.sync(() => agent.heartbeat(health)).pipe(
          Effect.repeat(Schedule.spaced("5 seconds")),
          Effect.forkScoped
        )
        yield* Effect.promise(async () => {
          const data = { task_name: "shop.pay", queue: "box.mail", worker, args: [], kwargs: {} }
          await agent.sendEvents([
            event({ task_id: "waits-0001", data }),
            event({ task_id: "runs-0001", data }),
            event({ task_id: "runs-0001", kind: "task.started", data })
          ])
          await page.getByText("The first event has arrived").waitFor()

          // a purge: the depth is shown, the name typed, and the agent gets the token of this depth
          await page.getByRole("link", { name: "Queues" }).click()
          const row = page.getByRole("row").filter({ hasText: "box.mail" })
          await row.getByText(worker).waitFor()
          await row.getByRole("cell", { name: "7", exact: true }).waitFor()
          await row.getByRole("button", { name: "Purge box.mail" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByText("7 messages are waiting.").waitFor()
          const purge = dialog.getByRole("button", { name: "Purge" })
          assert.isTrue(await purge.isDisabled())
          await dialog.getByLabel("Type box.mail to confirm").fill("box.mail")
          await purge.click()
          const key = signingKey(Buffer.from(secrets.hmac_secret, "base64url"))
          await assertCommand(page, agent, "purge_queue", { confirm_token: makePurgeToken(key, "box.mail", 7) })
          await assertAccessible(page, "queues")

          // the queue's own page: its target, and a pause that says why and until when
          await row.getByRole("link", { name: "box.mail" }).click()
          await page.getByText("too little data for a forecast").waitFor()
          const tasksLink = page.getByRole("main").getByRole("link", { name: "Tasks", exact: true })
          await tasksLink.waitFor()
          await page.getByRole("link", { name: "7", exact: true }).click()
          await page.getByRole("row").filter({ hasText: "waits-0001" }).waitFor()
          await page.goBack()
          await page.getByRole("button", { name: "Target" }).click()
          await dialog.getByLabel("Start within").fill("30 s")
          await dialog.getByRole("button", { name: "Set target" }).click()
          await page.getByText("target 30 s").waitFor()
          await page.getByRole("button", { name: "Pause", exact: true }).click()
          await dialog.getByLabel("Reason").fill("The bank is down")
          await dialog.getByRole("button", { name: "Pause", exact: true }).click()
          await assertCommand(page, agent, "pause_queue", { queue: "box.mail" })
          await page.getByRole("status").filter({ hasText: "Paused · The bank is down" }).waitFor()
          await inspect(page, "a queue")
          await page.getByRole("button", { name: "Resume", exact: true }).click()
          await assertCommand(page, agent, "resume_queue", { queue: "box.mail" })
          await page.getByRole("button", { name: "Pause", exact: true }).waitFor()

          // dead letters open on the engine that has them, and say so of one that has none
          await page.goto("/projects/shop/dead-letters")
          await page.getByRole("button", { name: "Requeue" }).first().waitFor()
          await page.getByLabel("Engine").selectOption("celery")
          await page.getByText("The agents of celery cannot list dead letters").waitFor()
          await page.getByRole("link", { name: "Show failed tasks" }).waitFor()
          await inspect(page, "dead letters of an engine without them")
          await page.goto("/projects/shop/queues")
          await row.getByText(worker).waitFor()

          // what was not seen for a week is faded, last, and can be hidden
          await page.route(/\/api\/v1\/projects\/shop\/queues/, async (route) => {
            const rows = await (await route.fetch()).json() as Array<{ readonly name: string }>
            await route.fulfill({
              json: rows.map((one) => one.name === "mail" ? { ...one, last_seen_at: "2020-01-01T00:00:00Z" } : one)
            })
          })
          await page.reload()
          await page.getByText("1 not seen for 7 days").waitFor()
          assert.match(await page.getByRole("row").last().innerText(), /^mail\b/)
          await page.getByRole("button", { name: "Hide" }).click()
          await page.waitForURL(/old=hidden/)
          await page.getByRole("link", { name: "mail", exact: true }).first().waitFor({ state: "detached" })
          await page.unrouteAll({ behavior: "ignoreErrors" })

          // a worker: what it runs, what its settings risk, and each command that its agent offers
          await page.getByRole("link", { name: "Workers" }).click()
          await page.getByRole("link", { name: worker }).click()
          await page.getByRole("region", { name: "Running tasks" }).getByText("runs-0001").waitFor()
          await page.getByText("Tasks have no time limit").waitFor()
          await assertAccessible(page, "worker")
          const commands = [
            {
              button: "Add slots",
              fields: { Slots: "2" },
              action: "pool_grow",
              parameters: { worker_name: worker }
            },
            { button: "Remove slots", fields: {}, action: "pool_shrink", parameters: { worker_name: worker } },
            { button: "Add a queue", fields: { Queue: "slow" }, action: "add_consumer", parameters: { queue: "slow" } },
            { button: "Remove a queue", fields: {}, action: "cancel_consumer", parameters: { queue: "box.mail" } },
            {
              button: "Set rate limit",
              fields: { "Task name": "shop.pay", "Rate limit": "10/m" },
              action: "rate_limit",
              parameters: { task_name: "shop.pay", rate: "10/m" }
            }
          ]
          for (const { action, button, fields, parameters } of commands) {
            await page.getByRole("main").getByRole("button", { name: button }).click()
            for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value)
            await dialog.getByRole("button", { name: button }).click()
            await assertCommand(page, agent, action, parameters)
          }
          await page.getByRole("main").getByRole("button", { name: "Restart" }).click()
          await dialog.getByRole("button", { name: "Restart" }).click()
          await assertCommand(page, agent, "restart_worker", { worker_name: worker }, "no supervisor")

          await page.goto("/projects/shop/workers?tab=processes")
          await page.getByRole("row").filter({ hasText: "box" }).first().waitFor()
          await assertAccessible(page, "agent processes")

          // the palette: a page, a part of a task's id, and what is open or selected
          await page.keyboard.press("Control+k")
          await page.getByRole("combobox", { name: "Go to or run" }).waitFor()
          await page.getByRole("option", { name: "Overview" }).waitFor()
          await assertAccessible(page, "palette")
          await page.keyboard.press("Escape")
          await openByPalette(page, "queues", "Queues")
          await openByPalette(page, "box.mail", "box.mail")
          await page.waitForURL(/\/queues\/celery\/box\.mail$/)
          await openByPalette(page, worker, worker)
          await openByPalette(page, "dead let", "Dead letters")
          // single tasks are found last, and come after their name
          await page.keyboard.press("Control+k")
          await page.getByRole("combobox", { name: "Go to or run" }).waitFor()
          await page.keyboard.type("payment.charge")
          await page.getByRole("group", { name: "Tasks", exact: true }).getByRole("option").first().waitFor()
          await page.keyboard.press("Enter")
          await page.waitForURL(/\/names\/payment\.charge$/)
          await openByPalette(page, "aits-00", "waits-0001", "shop.pay")
          await page.keyboard.press("Control+k")
          await page.keyboard.type("cancel")
          await page.getByRole("option", { name: "Cancel task: shop.pay", selected: true }).waitFor()
          await page.keyboard.press("Enter")
          await dialog.getByRole("heading", { name: "Cancel shop.pay?" }).waitFor()
          await page.keyboard.press("Enter")
          await assertCommand(page, agent, "cancel_task", { task_id: "waits-0001" })

          // g and a letter; the list of keys; no key fires while a person types
          await page.keyboard.press("g")
          await page.keyboard.press("t")
          await page.getByRole("heading", { name: "Tasks" }).waitFor()
          await page.keyboard.press("?")
          await dialog.getByText("Select the task").waitFor()
          await assertAccessible(page, "keys")
          await page.keyboard.press("Escape")
          await page.keyboard.press("/")
          await page.keyboard.type("gw?")
          await page.waitForURL(/q=gw/)
          assert.strictEqual(await page.getByRole("dialog").count(), 0)
          await page.getByRole("combobox", { name: "Filter tasks" }).fill("engine:celery")
          await page.waitForURL(/celery/)
          await page.getByRole("link", { name: "shop.pay" }).first().waitFor()
          await page.getByRole("heading", { name: "Tasks" }).click()
          await page.keyboard.press("j")
          await page.locator("a:focus").waitFor()
          await page.keyboard.press("x")
          await page.keyboard.press("Control+k")
          await page.getByRole("option", { name: "Retry: 1 task", selected: true }).waitFor()
          await page.keyboard.press("Escape")

          // of 206 queues the rows on screen are in the page, deepest first; the address keeps the filter and the order
          const depths = Object.fromEntries(Array.from({ length: 206 }, (_, index) => [`bulk.${index}`, index + 1000]))
          agent.heartbeat({ ...health, "celery.queue_depths": JSON.stringify(depths) })
          await page.goto("/projects/shop/queues")
          const list = page.getByRole("table", { name: "Queues" })
          const rows = list.locator("[data-rows] > *")
          await waitUntil(async () => Number(await list.getAttribute("aria-rowcount")) > 206)
          assert.include(await rows.first().innerText(), "bulk.205")
          assert.isBelow(await rows.count(), 60)
          const main = page.getByRole("main")
          assert.strictEqual(await main.evaluate(({ clientHeight, scrollHeight }) => scrollHeight - clientHeight), 0)
          await list.getByRole("button", { name: "Queue", exact: true }).click()
          await page.waitForURL(/sort=name/)
          await page.getByLabel("Find a queue").fill("bulk.20 celery")
          await page.waitForURL(/text=bulk/)
          await page.reload()
          await waitUntil(async () => await list.getAttribute("aria-rowcount") === "8")
          const found = await rows.getByRole("link").filter({ hasText: /^bulk/ }).allInnerTexts()
          assert.deepStrictEqual(found, [20, 200, 201, 202, 203, 204, 205].map((index) => `bulk.${index}`))
          await inspect(page, "filtered queues")

          // messages that no agent reported as tasks lead to no empty list of tasks, and the queue says what they are
          await rows.getByRole("link", { name: "bulk.205" }).click()
          await page.getByText("1,205 messages in the broker; no agent reported them as tasks").waitFor()
          await page.waitForLoadState("networkidle")
          assert.strictEqual(await tasksLink.count(), 0)
          assert.strictEqual(await page.getByRole("link", { name: "1,205" }).count(), 0)

          // a refusal is explained; then the agent is deleted, its name typed
          agent.signed("heartbeat", {}, { hmac: "0".repeat(64) })
          await agent.closed
          await page.goto("/projects/shop/agents")
          await page.getByRole("row").filter({ hasText: "box" }).getByText(knownUptime).waitFor()
          await page.getByRole("link", { name: "box", exact: true }).click()
          await page.getByRole("region", { name: "Last 24 hours" }).getByText(knownUptime).waitFor()
          await page.getByText("Set the HMAC secret that was shown with this token").waitFor()
          await assertAccessible(page, "agent")
          await page.getByRole("button", { name: "Delete" }).click()
          await dialog.getByLabel("Type box to confirm").fill("box")
          await dialog.getByRole("button", { name: "Delete" }).click()
          await page.getByRole("link", { name: "shop", exact: true }).waitFor()
          const names = (await call("GET", "/projects/shop/agents")).map(({ name }: { readonly name: string }) => name)
          assert.deepStrictEqual(names, ["shop"])

          for (const path of ["queues", "workers", "workers?tab=processes", "agents", "agents/new"]) {
            await assertFitsPhone(page, `/projects/shop/${path}`)
          }
        })

        // a viewer sees no button that the API would refuse
        const viewer = yield* visit(chrome, url)
        yield* Effect.promise(async () => {
          const person = await inviteViewer()
          await viewer.page.goto("/projects/shop/queues?text=mail")
          await signIn(viewer.page, person.email, person.password)
          await viewer.page.getByRole("row").filter({ hasText: "mail" }).first().waitFor()
          assert.strictEqual(await viewer.page.getByRole("button", { name: /Purge/ }).count(), 0)
          await viewer.page.goto("/projects/shop/workers")
          await viewer.page.getByRole("link", { name: "mail", exact: true }).click()
          await viewer.page.getByRole("region", { name: "Running tasks" }).waitFor()
          assert.strictEqual(await viewer.page.getByRole("button", { name: "Add slots" }).count(), 0)
          await viewer.page.goto("/projects/shop/agents")
          await viewer.page.getByRole("link", { name: "shop", exact: true }).waitFor()
          assert.strictEqual(await viewer.page.getByRole("link", { name: "New agent" }).count(), 0)
          await viewer.page.goto("/projects/shop/agents/new")
          await viewer.page.getByText("Only admins create agents").waitFor()
        })
        assert.deepStrictEqual([...complaints, ...viewer.complaints], [])
      })
  )
})
