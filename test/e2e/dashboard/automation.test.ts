import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { connected, event } from "../../agent.ts"
import { has } from "../../needs.ts"
import { browser, inspect, openByPalette, signIn, visit, waitUntil } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

const rules = "/projects/shop/automation/rules"

describe.skipIf(!(await has("chromium-headless-shell")))(
  "automation, approvals, activity and audit in the dashboard",
  () => {
    it.scopedLive("create, hold, approve and prove what rules do", () =>
      Effect.gen(function*() {
        const { call, invite, password, send, url } = yield* shopOn("PostgreSQL", {
          SVC_APPROVAL_DECIDER_DAYS: "0" // Ada has just come
        })
        const chrome = yield* browser
        const { complaints, page } = yield* visit(chrome, url)

        // a rule from its form, tried on the past before it is saved
        const ruleId = yield* Effect.promise(async () => {
          await page.goto("/projects/shop/automation")
          await signIn(page, email, password)
          await page.getByText("No rules yet").waitFor()
          await page.getByRole("link", { name: "New rule" }).click()
          await page.getByLabel("Name", { exact: true }).fill("Retry declined cards")
          await page.getByLabel("Task name", { exact: true }).fill("payment.*")
          await page.getByLabel("On the task", { exact: true }).selectOption("retry")
          await page.getByLabel("Add a condition").selectOption("runtime")
          await page.getByLabel("Run time: At least").fill("5")
          await page.getByLabel("Run time: At most").fill("1")
          await page.getByText("min_ms must not be above max_ms").first().waitFor()
          await page.getByLabel("Run time: At most").fill("10 min")
          const past = page.getByRole("region", { name: "Backtest" })
          await past.getByRole("link", { name: "payment.charge" }).first().waitFor()
          await past.getByLabel("Days", { exact: true }).selectOption("30")
          await page.waitForURL(/days=30/)
          await inspect(page, "the editor of a rule")
          await page.getByRole("button", { name: "Save the rule" }).click()
          await page.getByRole("heading", { name: "Retry declined cards" }).waitFor()
          const { items } = await call("GET", rules)
          assert.deepInclude(items[0], {
            name: "Retry declined cards",
            trigger: "task.failed",
            conditions: { task_name: "payment.*", runtime: { min_ms: 5, max_ms: 600_000 } },
            actions: [{ type: "retry", max_retries: 3 }, { type: "notify", channel_ids: [], in_app: true }],
            dry_run: true
          })
          await page.getByRole("button", { name: "End dry run" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "End dry run" }).click()
          await page.getByText("Active", { exact: true }).waitFor()
          await page.getByRole("dialog").waitFor({ state: "detached" })
          assert.isFalse((await call("GET", `${rules}/${items[0].id}`)).dry_run)
          return String(items[0].id)
        })

        // the kill switch says what it does, and does it
        yield* Effect.promise(async () => {
          await openByPalette(page, "retry declined", "Retry declined cards")
          await page.getByRole("link", { name: "All rules" }).click()
          await page.getByText("the name matches “payment.*”").waitFor()
          await inspect(page, "the rules")
          await page.getByRole("button", { name: "Stop all rules" }).click()
          await page.getByRole("dialog").getByText("No rule acts until").waitFor()
          await page.getByRole("dialog").getByRole("button", { name: "Stop all rules" }).click()
          await page.getByText("Automation is stopped for this project").waitFor()
          assert.isFalse((await call("GET", "/projects/shop/automation/settings")).automation_enabled)
          await page.getByRole("button", { name: "Start all rules" }).click()
          await page.getByText("Automation is on for this project.").waitFor()
        })

        // a task that waits for as long as the test needs one to cancel
        const { hmac_secret, token } = yield* Effect.promise(() =>
          call("POST", "/projects/shop/agents", { name: "box" })
        )
        const agent = yield* connected({ base: url, token, hmac_secret })
        yield* Effect.promise(() =>
          agent.sendEvents([event({ kind: "task.received", data: { task_name: "box.wait", queue: "box" } })])
        )

        // a change that waits leads to its approval; another admin decides
        const ada = yield* visit(chrome, url)
        yield* Effect.promise(async () => {
          const admin = await invite("Ada", "admin")
          await call("PATCH", "/projects/shop", {
            approvals: { purge: true, bulk_over: 0, destructive_rules: true }
          })
          await page.getByRole("button", { name: "Disable: Retry declined cards" }).click()
          await page.getByText("Waiting for approval", { exact: true }).waitFor()
          await page.getByRole("button", { name: "Show the approval" }).click()
          await page.getByText("You requested this, so another admin decides.").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Approve", exact: true }).count(), 0)

          await ada.page.goto("/projects/shop/approvals")
          await signIn(ada.page, admin.email, admin.password)
          await ada.page.getByRole("link", { name: "1 waiting for you" }).waitFor()
          await ada.page.getByRole("link", { name: /Change the rule/ }).click()
          await ada.page.getByRole("region", { name: "Request" }).getByText("is_enabled:").waitFor()
          await inspect(ada.page, "the approvals")
          await ada.page.getByRole("button", { name: "Approve", exact: true }).click()
          await ada.page.getByRole("dialog").getByRole("button", { name: "Approve" }).click()
          await ada.page.getByText("Approved and completed").waitFor()
          assert.isFalse((await call("GET", `${rules}/${ruleId}`)).is_enabled)

          const refusal = await send("PATCH", `${rules}/${ruleId}`, { is_enabled: true })
          assert.strictEqual(refusal.json.code, "approval_required")
          const id = String(refusal.json.details.approval_id)
          await ada.page.goto(`/projects/shop/approvals?id=${id}`)
          await ada.page.getByRole("button", { name: "Reject", exact: true }).click()
          await ada.page.getByLabel("Reason (optional)").fill("Not today")
          await ada.page.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
          await ada.page.getByText("Not today").waitFor()
          const { reason, status } = await call("GET", `/projects/shop/approvals/${id}`)
          assert.deepStrictEqual({ reason, status }, { reason: "Not today", status: "rejected" })

          // so does the cancellation of all that match
          await page.goto("/projects/shop/tasks")
          await page.getByRole("checkbox", { name: "Select all loaded tasks" }).check()
          const bar = page.getByRole("region", { name: "Selected" })
          await bar.getByRole("button", { name: /^Select all (?:[\d,]+ )?matching tasks?$/ }).click()
          await bar.getByRole("button", { name: "Cancel tasks" }).click()
          const cancel = page.getByRole("dialog").getByRole("button", { name: "Cancel tasks" })
          await waitUntil(() => cancel.isEnabled())
          await cancel.click()
          await page.getByRole("alert").getByText("Waiting for approval").waitFor()
          assert.strictEqual(await cancel.count(), 0) // it is requested, and cannot be sent again
          await inspect(page, "a cancellation that waits")
          await page.getByRole("dialog").getByRole("link", { name: "Show the approval" }).click()
          await page.getByText("Cancellation of many tasks").waitFor()
        })

        // the feed: filters in the address, and new rows behind a button
        yield* Effect.promise(async () => {
          await ada.page.clock.install()
          await ada.page.goto("/projects/shop/activity")
          const machines = ada.page.getByRole("switch", { name: "Machine events" })
          await ada.page.getByRole("table").getByText(/created rule Retry declined cards/).waitFor()
          assert.strictEqual(await ada.page.getByText("task.failed", { exact: true }).count(), 0)
          await machines.check()
          await ada.page.waitForURL(/machines=true/)
          await ada.page.getByText("task.failed", { exact: true }).first().waitFor() // some task of the shop fails each minute
          await machines.uncheck()
          await ada.page.getByLabel("Actions").selectOption("approval.")
          await ada.page.waitForURL(/prefix=approval\./)
          const feed = ada.page.getByRole("table")
          await feed.getByText(/^Ada rejected approval/).waitFor()
          assert.strictEqual(await feed.getByText(/created rule/).count(), 0)
          await feed.getByRole("button", { name: "Ada" }).first().click()
          await ada.page.waitForURL(/person=/)
          await feed.getByText(/requested approval/).first().waitFor({ state: "detached" })
          await inspect(ada.page, "the activity")
          await ada.page.getByLabel("User", { exact: true }).selectOption("")
          await feed.getByText(/requested approval/).first().waitFor()
          await send("PATCH", `${rules}/${ruleId}`, { is_enabled: true })
          await ada.page.clock.fastForward(16_000) // the feed is read every 15 s
          await ada.page.getByRole("button", { name: "1 new" }).click()
          await ada.page.getByRole("button", { name: "1 new" }).waitFor({ state: "detached" })
          assert.strictEqual(await feed.getByText(/requested approval/).count(), 4)
        })

        // the audit log: a row with its metadata, the integrity, and a file
        const auditor = yield* visit(chrome, url)
        yield* Effect.promise(async () => {
          await auditor.page.goto("/projects/shop/audit?prefix=automation.")
          const auda = await invite("Auda", "auditor")
          await signIn(auditor.page, auda.email, auda.password)
          const { page: log } = auditor
          await log.getByRole("region", { name: "Integrity of the log" }).getByText("Intact").waitFor()
          await log.getByRole("button", { name: "Details: automation.rule.created" }).click()
          await log.getByRole("region", { name: "Metadata" }).getByText("\"Retry declined cards\"").waitFor()
          await log.getByRole("button", { name: "Verify all entries" }).click()
          await log.getByText(/^Intact: all \d+ entries\./).waitFor()
          await inspect(log, "the audit log")
          await log.getByRole("button", { name: "Export", exact: true }).click()
          await log.getByRole("dialog").getByText("Action: automation.").waitFor()
          await log.getByRole("button", { name: "Start export" }).click()
          const [download] = await Promise.all([
            log.waitForEvent("download"),
            log.getByRole("link", { name: "Download" }).click()
          ])
          const file = readFileSync(await download.path(), "utf8")
          assert.include(file, "automation.rule.created")
          assert.notInclude(file, "approval.requested")
          await inspect(log, "the exports")
        })

        // a viewer reads rules and activity, and nothing that the API would refuse
        const viewer = yield* visit(chrome, url)
        yield* Effect.promise(async () => {
          await viewer.page.goto(`/projects/shop/automation/${ruleId}`)
          const vera = await invite("Vera", "viewer")
          await signIn(viewer.page, vera.email, vera.password)
          await viewer.page.getByText("You can view this rule.").waitFor()
          assert.strictEqual(await viewer.page.getByRole("button", { name: /Save|Delete|Enable|dry run/ }).count(), 0)
          assert.strictEqual(await viewer.page.getByRole("region", { name: "Backtest" }).count(), 0)
          await viewer.page.getByRole("link", { name: "All rules" }).click()
          await viewer.page.getByText("Automation is on for this project.").waitFor()
          assert.strictEqual(await viewer.page.getByRole("button", { name: /Stop|Enable/ }).count(), 0)
          assert.strictEqual(await viewer.page.getByRole("link", { name: /New rule|Approvals|Audit log/ }).count(), 0)
          await viewer.page.goto("/activity")
          await viewer.page.getByRole("table").waitFor()
        })

        // deleting asks for the name
        yield* Effect.promise(async () => {
          await page.goto(`/projects/shop/automation/${ruleId}`)
          await page.getByRole("button", { name: "Delete" }).click()
          await page.getByLabel("Type Retry declined cards to confirm").fill("Retry declined cards")
          await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
          await page.getByText("No rules yet").waitFor()
          assert.deepStrictEqual((await call("GET", rules)).items, [])
        })
        assert.deepStrictEqual([...complaints, ...ada.complaints, ...auditor.complaints, ...viewer.complaints], [])
      }))
  }
)
