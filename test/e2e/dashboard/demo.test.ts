import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { temporaryHome } from "../../databases.ts"
import { has } from "../../needs.ts"
import { freePort } from "../../ports.ts"
import { until } from "../../until.ts"
import { startProgram } from "../childProgram.ts"
import { assertFitsPhone, browser, confirm, press, signIn, visit, waitUntil } from "./browser.ts"
import { email } from "./shop.ts"

describe.skipIf(!(await has("chromium-headless-shell")))("the demo in the dashboard", () => {
  it.scopedLive(
    "shows two engines, an open alert, its message, an approval that waits and a rule's past",
    () =>
      Effect.gen(function*() {
        const home = yield* temporaryHome
        const port = yield* freePort
        const args = [inject("program"), "serve", "--demo", "--port", String(port)]
        const env = { PATH: process.env.PATH ?? "", HOME: home }
        const { log } = yield* startProgram(process.execPath, args, { env })
        const printed = yield* until(Effect.sync(log), (text) => text.includes("the shop is open"))
        const password = /password (\S+)/.exec(printed)?.[1] ?? ""
        const receiver = /messages +(http:\S+\/),/.exec(printed)?.[1] ?? ""
        const { complaints, page } = yield* visit(yield* browser, `http://127.0.0.1:${port}`)

        // the line says where, each link leads there
        yield* Effect.promise(async () => {
          await page.goto("/projects/shop")
          await signIn(page, email, password)
          const guide = page.getByRole("region", { name: "This demo" })
          await guide.getByRole("link", { name: "retry many tasks at once" }).click()
          await page.getByRole("link", { name: /payment\.charge/ }).first().waitFor()
          await page.goBack()

          await guide.getByRole("link", { name: "see what is wrong now" }).click()
          const alert = page.getByRole("region", { name: /^Needs acknowledgement/ })
          await alert.getByText(/catalog\.import_supplier/).first().waitFor()
          await page.goBack()

          await guide.getByRole("link", { name: "try a rule on past tasks" }).click()
          await page.getByRole("heading", { level: 1, name: "Retry declined payments" }).waitFor()
          await page.getByRole("region", { name: "Backtest" }).getByRole("link", { name: "payment.charge" }).first()
            .waitFor()
          await page.goBack()

          // Mara asks for a purge, and it is done once it is approved
          await guide.getByRole("link", { name: "decide what Mara asks for" }).click()
          await page.getByRole("link", { name: /^Purge the queue newsletter/ }).click()
          await press(page, "Approve")
          await confirm(page, "Approve")
          await page.getByText("Approved and completed").waitFor()
          await page.goto("/projects/shop/queues")
          const queue = page.getByRole("row").filter({ hasText: "newsletter" })
          await queue.getByText("media-queue").waitFor()
          await waitUntil(async () => await queue.getByRole("cell").nth(2).innerText() === "0")
          await page.getByRole("row").filter({ hasText: "effect-queue" }).first().waitFor()

          // the channel's message has arrived
          await page.goto(receiver)
          await page.getByText("catalog.import_supplier").first().waitFor()

          await page.goto("/projects/shop")
          await guide.waitFor()
          await assertFitsPhone(page)
          await press(page, "Dismiss")
          await guide.waitFor({ state: "detached" })
          await page.reload()
          await page.getByRole("region", { name: "Needs attention" }).waitFor()
          assert.strictEqual(await guide.count(), 0)
        })
        assert.deepStrictEqual(complaints, [])
      })
  )
})
