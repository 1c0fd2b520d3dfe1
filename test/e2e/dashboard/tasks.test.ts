import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { has } from "../../needs.ts"
import { assertAccessible, assertFitsPhone, browser, signIn, visit, waitUntil } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

const ready = await has("chromium-headless-shell")

describe.skipIf(!ready)("the list of tasks on the dashboard", () => {
  it.scopedLive(
    "completes the filter, counts, exports, saves views, deletes and cancels all that match",
    () =>
      Effect.gen(function*() {
        const { call, password, url } = yield* shopOn("SQLite")
        const chrome = yield* browser
        const { complaints, page } = yield* visit(chrome, url, { viewport: { width: 1440, height: 900 } })
        const line = page.getByRole("combobox", { name: "Filter tasks" })
        const lineIs = (text: string) => waitUntil(async () => (await line.inputValue()) === text)
        const row = page.locator("[data-task]")
        yield* Effect.promise(async () => {
          // terms and values are offered, and typing continues behind the chosen one
          await page.goto("/projects/shop/tasks")
          await signIn(page, email, password)
          await row.first().waitFor()
          await page.keyboard.press("/")
          await page.keyboard.type("sta")
          await page.getByRole("option", { name: "state:" }).waitFor()
          assert.strictEqual(await line.getAttribute("aria-activedescendant"), null)
          await page.keyboard.press("ArrowDown")
          await page.keyboard.press("Enter")
          await page.keyboard.type("fail")
          await page.getByRole("option", { name: "failure" }).waitFor()
          await page.keyboard.press("ArrowDown")
          await page.keyboard.press("Enter")
          await page.keyboard.type("name:charge")
          await page.getByRole("option", { name: "payment.charge" }).waitFor()
          await assertAccessible(page, "completions")
          await page.keyboard.press("ArrowUp")
          await page.keyboard.press("Enter")
          await lineIs("state:failure name:=payment.charge ")
          await page.keyboard.press("Enter")
          await page.waitForURL(/q=state%3Afailure/)
          await waitUntil(async () => (await row.allInnerTexts()).every((text) => text.includes("payment.charge")))

          // a value in the middle of the line is chosen at the caret, and typing continues there
          await line.fill("state:fa name:=payment.charge queue:payments")
          await line.press("Home")
          for (const _ of "state:fa") await page.keyboard.press("ArrowRight")
          await page.getByRole("option", { name: "failure" }).waitFor()
          await page.keyboard.press("ArrowDown")
          await page.getByRole("option", { name: "failure", selected: true }).waitFor()
          await page.keyboard.press("Enter")
          await lineIs("state:failure name:=payment.charge queue:payments")
          await page.keyboard.type(",re")
          await page.getByRole("option", { name: "retry" }).click()
          await lineIs("state:failure,retry name:=payment.charge queue:payments")

          // what only the brain refuses is explained in its words
          await line.fill("name:( OR")
          await page.getByRole("alert").waitFor()
          await line.fill("(state:failure OR runtime:>2s) -name:mail.*")
          await page.getByRole("alert").waitFor({ state: "detached" })
          await row.first().waitFor()

          // while a term is wrong or not finished, the list is wider than the line: nothing acts on all that match
          const bulk = [
            page.getByRole("button", { name: "Export matching tasks" }),
            page.getByRole("button", { name: /^Select all (?:[\d,]+ )?matching tasks?$/ })
          ]
          const allLoaded = page.getByRole("checkbox", { name: "Select all loaded tasks" })
          await line.fill("name:=payment.charge")
          await page.waitForURL(/q=name/)
          await waitUntil(async () => (await row.allInnerTexts()).every((text) => text.includes("payment.charge")))
          await allLoaded.check()
          for (const invalidTerm of ["stat:failure", "state:failed", "state:", "\"card"]) {
            for (const button of bulk) await button.waitFor()
            await line.fill(`name:=payment.charge ${invalidTerm}`)
            for (const button of bulk) await button.waitFor({ state: "detached" })
            await line.fill("name:=payment.charge")
          }
          for (const button of bulk) await button.waitFor()
          await bulk[1]?.click()
          const matching = page.getByRole("region", { name: "Selected" }).getByText(/^All /)
          await matching.waitFor()
          await line.fill("name:=payment.charge stat:failure") // takes back what was selected of the narrower line
          await matching.waitFor({ state: "detached" })
          await line.fill("")
          await page.waitForURL(/tasks$/)

          // the counts beside the list change the filter
          await line.fill("")
          await page.waitForURL(/tasks$/)
          await page.getByRole("progressbar", { name: "Progress" }).first().waitFor() // of a row
          const facets = page.getByRole("complementary", { name: "Counts beside the list" })
          await facets.getByRole("region", { name: "Queue" }).getByRole("button", { name: /^payments/ }).click()
          await lineIs("queue:payments")
          await facets.getByRole("button", { name: /^Failed/ }).click()
          await lineIs("queue:payments state:failure")
          await facets.getByRole("region", { name: "Queue" }).getByRole("button", { name: /^payments/ }).click()
          await lineIs("state:failure")

          // chosen columns and the counts stay in this browser
          await page.getByRole("button", { name: "Columns and rows" }).click()
          await page.getByRole("checkbox", { name: "Priority" }).check()
          await page.getByRole("checkbox", { name: "Worker" }).uncheck()
          await page.getByRole("checkbox", { name: "Counts beside the list" }).uncheck()
          await page.reload()
          await page.getByRole("columnheader", { name: "Priority" }).waitFor()
          assert.strictEqual(await page.getByRole("columnheader", { name: "Worker" }).count(), 0)
          assert.strictEqual(await facets.count(), 0)

          // a saved view, for all members
          await page.getByRole("button", { name: "Saved views" }).click()
          await page.getByRole("button", { name: "Save this filter" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Name").fill("Failures")
          await dialog.getByLabel("Share with the project").check()
          await dialog.getByRole("button", { name: "Save" }).click()
          await dialog.waitFor({ state: "detached" })
          assert.containSubset(await call("GET", "/projects/shop/saved-views"), [
            { name: "Failures", filters: { query: "state:failure" }, is_shared: true }
          ])
          await line.fill("")
          await page.waitForURL(/tasks$/)
          await page.getByRole("button", { name: "Saved views" }).click()
          await page.getByRole("button", { name: /^Failures/ }).click()
          await lineIs("state:failure")
          await page.getByRole("button", { name: "Delete the view Failures" }).click()
          await dialog.getByRole("button", { name: "Delete" }).click()
          await dialog.waitFor({ state: "detached" })
          assert.deepStrictEqual(await call("GET", "/projects/shop/saved-views"), [])

          // a file of all that match, beyond the page that is loaded
          await line.fill("name:=stock.sync_warehouse")
          await page.waitForURL(/sync_warehouse/)
          await page.getByRole("button", { name: "Export matching tasks" }).click()
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("link", { name: "As JSON" }).click()
          ])
          const exported: ReadonlyArray<{ name: string }> = JSON.parse(readFileSync(await download.path(), "utf8"))
          assert.isAtLeast(exported.length, 90)
          assert.isTrue(exported.every(({ name }) => name === "stock.sync_warehouse"))

          // a job writes the same file in the background; its notice follows it and offers the file
          await page.getByRole("button", { name: "Export in the background…" }).click()
          await dialog.getByText(/^[\d,]+ matching tasks?$/).waitFor()
          await assertAccessible(page, "export in the background")
          await dialog.getByLabel("Format").selectOption("json")
          await dialog.getByRole("button", { name: "Start export" }).click()
          await dialog.waitFor({ state: "detached" })
          const notices = page.getByRole("region", { name: "Notices" })
          await notices.getByText("Export ready").waitFor()
          const [written] = await Promise.all([
            page.waitForEvent("download"),
            notices.getByRole("button", { name: "Download" }).click()
          ])
          const inFile: ReadonlyArray<{ name: string }> = JSON.parse(readFileSync(await written.path(), "utf8"))
          assert.isAtLeast(inFile.length, exported.length)
          assert.isTrue(inFile.every(({ name }) => name === "stock.sync_warehouse"))

          // a task is retried with other arguments, and its page shows the command, its audit rows and the tree
          await line.fill("name:=checkout.place_order state:success")
          await page.waitForURL(/place_order/)
          await waitUntil(async () => (await row.allInnerTexts()).every((text) => text.includes("place_order")))
          await row.first().getByRole("link").first().click() // older ones are of the history, which the engine does not hold
          const tree = page.getByRole("region", { name: "Tree" })
          await tree.getByRole("link", { name: "payment.charge" }).first().waitFor()
          await assertAccessible(page, "task with a tree")
          // the keyboard closes and opens the tree, and goes through its rows
          await tree.getByRole("link", { name: "checkout.place_order" }).focus()
          await page.keyboard.press("ArrowLeft")
          await tree.locator("[aria-level='2']").first().waitFor({ state: "detached" })
          await page.keyboard.press("ArrowRight")
          await tree.locator("[aria-level='2']").first().waitFor()
          await page.keyboard.press("ArrowDown")
          await tree.locator("[aria-level='2'] a:focus").waitFor()
          await tree.getByRole("button", { name: "Graph" }).click()
          await tree.getByRole("group", { name: "Graph" }).getByRole("link", { name: "payment.charge" }).first()
            .waitFor()
          await assertAccessible(page, "graph of a tree")
          await page.getByRole("button", { name: "Retry with other arguments" }).click()
          const named = dialog.getByLabel("Named arguments", { exact: true })
          const retry = dialog.getByRole("button", { name: "Retry" })
          assert.isTrue(await retry.isDisabled()) // nothing differs yet
          const values = JSON.parse(await named.inputValue())
          await named.fill("{\"customer\": ")
          await dialog.getByText("Enter a JSON object (max 64 KiB).").waitFor()
          assert.isTrue(await retry.isDisabled())
          await named.fill(JSON.stringify({ ...values, customer: 4242 }))
          await dialog.getByRole("insertion").getByText("\"customer\": 4242").waitFor()
          await dialog.getByRole("deletion").getByText(`"customer": ${values.customer}`).waitFor()
          await assertAccessible(page, "retry with other arguments")
          await retry.click()
          await dialog.waitFor({ state: "detached" })
          const commands = page.getByRole("region", { name: "Commands" })
          const taskId = page.url().split("/").at(-1) ?? ""
          const list = () => call("GET", `/projects/shop/commands?engine=effect-queue&task_id=${taskId}`)
          await waitUntil(async () => typeof (await list()).items[0]?.completed_at === "string")
          const { items: [command] } = await list()
          assert.deepInclude(command, { status: "completed", error: null })
          await commands.getByText("Completed", { exact: true }).waitFor()
          const { kwargs } = await call("GET", `/projects/shop/tasks/effect-queue/${command.result.new_task_id}`)
          assert.strictEqual(kwargs.customer, 4242)
          const facts = page.getByRole("region", { name: "Details" })
          await facts.getByRole("link", { name: command.result.new_task_id.slice(-8) }).click()
          await facts.getByRole("link", { name: taskId.slice(-8) }).click() // it is a retry of the first one
          await page.waitForURL(new RegExp(`${taskId}$`))

          // a place in the values is made searchable, for the tasks of this name
          await page.getByRole("button", { name: "Make kwargs.customer searchable for checkout.place_order" }).click()
          await page.getByRole("button", { name: "Stop indexing kwargs.customer for checkout.place_order" }).waitFor()

          // a fact leads on: to the page of the name, to the worker; of a failed task, to what fails like it
          await facts.getByRole("link", { name: "checkout.place_order" }).click()
          await page.waitForURL(/\/names\/checkout\.place_order/)
          await page.getByRole("heading", { level: 1, name: "checkout.place_order" }).waitFor()
          await page.goBack()
          await facts.getByRole("link", { name: "orders", exact: true }).last().click()
          await page.getByRole("heading", { level: 1, name: "orders" }).waitFor()
          const { items: [failed] } = await call(
            "GET",
            "/projects/shop/tasks?state=failure&name=payment.charge&limit=1"
          )
          await page.goto(`/projects/shop/tasks/effect-queue/${failed.task_id}`)
          await facts.getByRole("link", { name: /^[\d,]+ fails? like this$/ }).click()
          await page.waitForURL(/failures\/[0-9a-f]{16}$/)
          await page.getByRole("button", { name: "Retry all" }).waitFor()
          await page.goto(`/projects/shop/tasks/effect-queue/${taskId}`)

          // what it wrote while it ran, by text
          const log = page.getByRole("region", { name: "Logs" })
          await log.getByText("checkout.place_order begins").waitFor()
          await assertAccessible(page, "logs")
          await page.setViewportSize({ width: 390, height: 800 })
          const header = await log.getByRole("heading", { name: "Logs" }).locator("..").boundingBox()
          assert.isAtMost(header?.height ?? Infinity, 80, "the header has more than two lines")
          await page.setViewportSize({ width: 1280, height: 800 })
          await log.getByRole("searchbox", { name: "Search in the logs" }).fill("DONE")
          await log.getByText("checkout.place_order begins").waitFor({ state: "detached" })
          await log.getByText("done").waitFor()
          await log.getByLabel("Level").selectOption("warning")
          await log.getByText("No lines match.").waitFor()

          // a part that cannot be read says so, and names its request
          const refusal = { code: "forbidden", detail: "The tree is refused.", request_id: "request-7" }
          await page.route(/\/tree$/, (route) => route.fulfill({ status: 403, json: refusal }))
          await page.reload()
          await tree.getByText("The tree is refused.").waitFor()
          await tree.getByText("request-7").waitFor()
          await page.unroute(/\/tree$/)
          await tree.getByRole("button", { name: "Try again" }).click()
          await tree.getByRole("link", { name: "payment.charge" }).first().waitFor()
          await commands.getByRole("link", { name: "Audit log entries" }).click()
          await page.getByText("command.issued").waitFor()
          assert.strictEqual(new URL(page.url()).searchParams.get("target"), command.id)
          await page.getByRole("button", { name: /Show all/ }).click()
          await page.waitForURL(/audit$/)

          // the outcome that the commands are filtered by is a part of the address
          await page.goto("/projects/shop/commands")
          await page.getByLabel("Outcome").selectOption("completed")
          await page.waitForURL(/status=completed/)
          await page.reload()
          const retried = page.getByRole("row").filter({ hasText: taskId.slice(-8) }).filter({
            hasText: "Retry a task"
          })
          await retried.first().getByText(command.target_name, { exact: true }).waitFor()
          assert.strictEqual(await page.getByLabel("Outcome").inputValue(), "completed")
          await page.getByText("What the outcomes mean").click()
          await page.getByText("It may have executed the command.").waitFor()
          await assertAccessible(page, "commands")
          await page.goto("/projects/shop/tasks")

          // the loaded rows, then all that match, are selected and deleted
          const hourAgo = new Date(Date.now() - 3_600_000).toISOString() // an age would let further tasks match meanwhile
          await line.fill(`name:=mail.invoice until:${hourAgo}`)
          await page.waitForURL(/until/)
          await waitUntil(async () => (await row.allInnerTexts()).every((text) => text.includes("mail.invoice")))
          await page.getByRole("checkbox", { name: "Select all loaded tasks" }).check()
          const bar = page.getByRole("region", { name: "Selected" })
          await bar.getByRole("button", { name: /^Select all [\d,]+ matching tasks$/ }).click()
          const selectionText = await bar.getByText(/^All [\d,]+ matching tasks are selected$/).innerText()
          const count = /[\d,]+/.exec(selectionText)?.[0] ?? ""
          await assertAccessible(page, "selection")
          await bar.getByRole("button", { name: "Export" }).click()
          await dialog.getByText(`${count} matching tasks`, { exact: true }).waitFor()
          await dialog.getByRole("button", { name: "Cancel" }).click()
          await dialog.waitFor({ state: "detached" })
          await bar.getByRole("button", { name: "Delete" }).click()
          await dialog.getByRole("heading", { name: `Delete ${count} tasks?` }).waitFor()
          const submit = dialog.getByRole("button", { name: "Delete" })
          assert.isTrue(await submit.isDisabled())
          await dialog.getByRole("textbox").fill(count.replaceAll(",", ""))
          await submit.click()
          await page.getByText("Deletion finished").waitFor()
          await page.getByText("No tasks match").waitFor()
          await line.fill("name:=mail.invoice")
          await row.first().waitFor() // the tasks of the last hour stay

          // all that have not ended are cancelled by a job, which has a page
          await line.fill("")
          await page.waitForURL((address) => !address.searchParams.has("q"))
          await waitUntil(async () => (await row.allInnerTexts()).some((text) => !text.includes("mail.invoice")))
          await page.getByRole("checkbox", { name: "Select all loaded tasks" }).check()
          await bar.getByRole("button", { name: /^Select all (?:[\d,]+ )?matching tasks?$/ }).click()
          await bar.getByRole("button", { name: "Cancel tasks" }).click()
          const cancel = dialog.getByRole("button", { name: "Cancel tasks" })
          await dialog.getByText(/ unfinished tasks?$|^No matching task/).waitFor()
          await assertAccessible(page, "cancel all that match")
          await waitUntil(() => cancel.isEnabled()) // the shop has tasks that run at most moments
          await cancel.click()
          await page.getByRole("button", { name: "Show bulk jobs" }).last().click()
          await page.waitForURL(/bulk-jobs$/)
          const job = page.getByRole("row")
          await job.filter({ hasText: "name:=mail.invoice" }).filter({ hasText: "Completed" })
            .filter({ hasText: `${count} of ${count}` }).waitFor()
          await job.filter({ hasText: "Cancel" }).filter({ hasText: "Completed" }).waitFor()
          const files = page.getByRole("region", { name: "Exports" })
          await files.getByRole("row").filter({ hasText: "name:=stock.sync_warehouse" }).filter({ hasText: "JSON" })
            .getByRole("link", { name: "Download" }).waitFor()
          await assertAccessible(page, "bulk jobs")
          await assertFitsPhone(page)
          const file = files.getByRole("row").filter({ hasText: "name:=stock.sync_warehouse" })
          await file.getByRole("button", { name: "Delete" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
          await file.waitFor({ state: "detached" })
          const { items: jobs } = await call("GET", "/projects/shop/bulk-jobs")
          assert.deepStrictEqual(jobs.map(({ act }: { readonly act: string }) => act), ["cancel", "delete"])
          assert.deepStrictEqual(complaints, [])
        })
      })
  )
})
