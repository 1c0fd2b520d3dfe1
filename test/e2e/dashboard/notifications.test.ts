import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { connected, event } from "../../agent.ts"
import { bodyOf } from "../../bodies.ts"
import { has } from "../../needs.ts"
import { portOf } from "../../ports.ts"
import {
  assertAccessible,
  assertFitsPhone,
  browser,
  confirm,
  inspect,
  press,
  signIn,
  visit,
  waitUntil
} from "./browser.ts"
import { email, shopOn } from "./shop.ts"

/** A webhook's receiver that sends `response`, and is too busy for the first message about `busyFor`. */
const makeReceiver = Effect.gen(function*() {
  const receiver = { response: [200, "thanks"] as readonly [number, string], busyFor: "", received: 0, url: "" }
  const port = yield* portOf(createServer((message, response) =>
    void bodyOf(message).then((body) => {
      receiver.received += 1
      const isBusy = receiver.busyFor !== "" && body.includes(receiver.busyFor)
      if (isBusy) receiver.busyFor = ""
      const [status, text] = isBusy ? [503, "too busy"] : receiver.response
      response.writeHead(status, { "content-type": "text/plain" }).end(text)
    })
  ))
  receiver.url = `http://127.0.0.1:${port}/hook`
  return receiver
})

const notifications = "/projects/shop/notifications"

/** Keeps the browser's notifications of a page: Chromium without a window shows none. */
const recordNotifications = `
  window.shown = []
  window.Notification = class extends Notification {
    constructor(title, options) {
      super(title, options)
      window.shown.push(this)
    }
  }`

describe.skipIf(!(await has("chromium-headless-shell")))("notifications in the dashboard", () => {
  it.scopedLive(
    "from a tested channel to an alert that a person takes care of, also on a phone",
    () =>
      Effect.gen(function*() {
        const { call, invite, password, url } = yield* shopOn("SQLite", {
          SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "true",
          SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8:*"
        })
        const receiver = yield* makeReceiver
        const chrome = yield* browser
        const admin = yield* visit(chrome, url)
        const operator = yield* visit(chrome, url)
        const created = yield* Effect.promise(() => call("POST", "/projects/shop/agents", { name: "box" }))
        const agent = yield* connected({ base: url, token: created.token, hmac_secret: created.hmac_secret })
        const fail = (task_name: string) =>
          agent.sendEvents([event({ kind: "task.failed", data: { task_name, exception: `${task_name} is down` } })])

        // a channel is tried before and after it is saved, and shows what its receiver says
        yield* Effect.promise(async () => {
          const { page } = admin
          await page.goto(`${notifications}?part=channels`)
          await signIn(page, email, password)
          await page.getByText("No channels yet").waitFor()
          await press(page, "New channel")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Name", { exact: true }).fill("ops")
          await dialog.getByLabel("URL").fill(receiver.url)
          receiver.response = [422, "there is no such room"]
          await press(page, "Test these values")
          await dialog.getByText("The message was not accepted.").waitFor()
          await dialog.getByText("Status 422").first().waitFor()
          await dialog.getByText("there is no such room").first().waitFor()
          await assertAccessible(page, "a refused test of a channel")
          receiver.response = [200, "thanks"]
          await press(page, "Test these values")
          await dialog.getByText("The receiver accepted the message.").waitFor()
          await confirm(page, "Create")
          await press(page, "Test: ops")
          await dialog.getByText("The receiver accepted the message.").waitFor()
          await dialog.getByText("thanks", { exact: true }).waitFor()
          await confirm(page, "Close")
          assert.strictEqual(receiver.received, 3)
          await press(page, "Turn off: ops")
          await press(page, "Enable: ops")
          await page.getByRole("button", { name: "Turn off: ops" }).waitFor()
          await inspect(page, "channels")
        })

        // a default subscription, muted and not muted
        yield* Effect.promise(async () => {
          const { page } = admin
          await press(page, "Default subscriptions")
          await page.getByText("No subscriptions yet").waitFor()
          await press(page, "New subscription")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Task name (optional)").fill("box.*")
          await dialog.getByRole("checkbox", { name: "ops" }).check()
          await dialog.getByLabel("First message after").fill("0 s")
          await assertAccessible(page, "a new subscription")
          await confirm(page, "Create")
          const list = page.getByRole("list", { name: "Subscriptions" })
          await list.getByText("To: inbox, ops").waitFor()
          await press(page, "Mute")
          await confirm(page, "For 30 min")
          await list.getByText("Muted, ends").waitFor()
          await press(page, "Change mute")
          await confirm(page, "End mute")
          await list.getByText("Active", { exact: true }).waitFor()
          await inspect(page, "default subscriptions")
        })

        // a failure: the bell counts it live, and the inbox leads to the alert, which a person acknowledges
        const olga = yield* Effect.promise(() => invite("Olga", "operator"))
        yield* Effect.promise(async () => {
          const { page } = operator
          await page.addInitScript(recordNotifications)
          await page.goto("/account/notifications")
          await signIn(page, olga.email, olga.password)
          const browserSwitch = page.getByLabel("Show notifications in this browser")
          await page.context().grantPermissions(["clipboard-read"]) // denies all others
          await page.getByText("The browser blocks them.").waitFor()
          assert.isTrue(await browserSwitch.isDisabled())
          await page.context().grantPermissions(["notifications"])
          await browserSwitch.check()
          await inspect(page, "own notifications")
          await page.goto("/projects/shop/agents")
          await page.locator("[data-live=live]").waitFor()
          await fail("box.pay")
          await page.getByRole("link", { name: "Inbox, 1 unread" }).click()
          await page.getByText("box.pay is down").first().waitFor()
          await inspect(page, "inbox")
          await page.getByRole("list", { name: "Inbox" }).getByRole("link").click()
          await page.getByRole("region", { name: "Timeline" }).waitFor()
          await page.getByRole("link", { name: "Inbox", exact: true }).waitFor()
          await page.getByRole("link", { name: "1 fails like this" }).waitFor()
          await page.getByRole("button", { name: "Retry all" }).waitFor()
          await inspect(page, "alert")
          await press(page, "Acknowledge")
          await page.getByText("by you").first().waitFor()
          await press(page, "Undo acknowledgement")
          await page.getByRole("button", { name: "Acknowledge", exact: true }).waitFor()
          assert.strictEqual(await page.evaluate("shown.length"), 0) // the person saw it on the page
        })

        // on a phone: one alert is acknowledged, another one snoozed and woken; its message is tried again until it arrives
        receiver.busyFor = "box.refund"
        yield* Effect.promise(async () => {
          const { page } = operator
          await page.setViewportSize({ width: 390, height: 800 })
          await page.getByRole("link", { name: "All alerts" }).click()
          await fail("box.refund")
          const openAlerts = page.getByRole("region", { name: /^Needs acknowledgement/ })
          const row = (name: string) => page.getByRole("listitem").filter({ hasText: name })
          await openAlerts.filter({ hasText: "box.refund" }).waitFor()
          await openAlerts.filter({ hasText: "box.pay" }).waitFor()
          for (const button of await openAlerts.getByRole("button").all()) {
            assert.isAtLeast((await button.boundingBox())?.height ?? 0, 44) // WCAG 2.2, target size enhanced
          }
          await assertAccessible(page, "alerts on a phone")
          await row("box.refund").getByRole("button", { name: "Snooze" }).click()
          await assertAccessible(page, "a snooze on a phone")
          await confirm(page, "For 1 h")
          const snoozed = page.getByRole("region", { name: /^Snoozed/ })
          await snoozed.getByText(/^Snoozed until/).waitFor()
          await snoozed.getByRole("button", { name: "Change snooze" }).click()
          await confirm(page, "End snooze")
          await snoozed.waitFor({ state: "detached" })
          await row("box.pay").getByRole("button", { name: "Acknowledge" }).click()
          await page.getByRole("region", { name: /^Acknowledged/ }).getByText("box.pay").first().waitFor()
          await assertFitsPhone(page)
          assert.strictEqual(await page.getByRole("button", { name: "Channels" }).count(), 0)
        })
        yield* Effect.promise(async () => {
          const { page } = admin
          await press(page, "Deliveries")
          const refund = page.getByRole("row").filter({ hasText: "box.refund" })
          await refund.getByRole("button", { name: /Pending|Sent/ }).click()
          const dialog = page.getByRole("dialog")
          const attempts = dialog.getByRole("list", { name: "Attempts" }).getByRole("listitem")
          await attempts.filter({ hasText: "Attempt 1" }).filter({ hasText: "Status 503" }).getByText("too busy")
            .waitFor()
          await attempts.filter({ hasText: "Attempt 2" }).filter({ hasText: "Status 200" }).getByText("thanks")
            .waitFor()
          await dialog.getByText("Sent", { exact: true }).waitFor()
          await assertAccessible(page, "attempts at a delivery")
          const before = receiver.received
          await dialog.getByRole("button", { name: "Send again" }).click()
          await dialog.getByText("sent by").waitFor()
          await waitUntil(() => Promise.resolve(receiver.received > before))
          await confirm(page, "Close")
          await page.getByRole("row").filter({ hasText: "sent again" }).getByRole("button", { name: "Sent" }).waitFor()
          await page.getByLabel("Status").selectOption("failed")
          await page.getByText("No deliveries match").waitFor()
          await press(page, "Show all")
          await inspect(page, "deliveries")
          await press(page, "Delete log")
          await dialog.getByLabel("Which deliveries").selectOption("all")
          await dialog.getByLabel("Type shop to confirm").fill("shop")
          await confirm(page, "Delete log")
          await page.getByText(/^\d deliveries deleted$/).waitFor()
          await page.getByText("No deliveries yet").waitFor()
        })

        // maintenance windows: admins plan them, members see them
        yield* Effect.promise(async () => {
          const { page } = admin
          await press(page, "Maintenance windows")
          await press(page, "New window")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Name").fill("New disks")
          await assertAccessible(page, "a new maintenance window")
          await confirm(page, "Create")
          const row = page.getByRole("row").filter({ hasText: "New disks" })
          await row.getByText("Active").waitFor()
          await press(page, "Edit: New disks")
          await dialog.getByLabel("Name").fill("New disks and fans")
          await confirm(page, "Save")
          await row.getByText("New disks and fans").waitFor()
          await inspect(page, "maintenance windows")
          await operator.page.goto(`${notifications}?part=maintenance`)
          await operator.page.getByRole("row").filter({ hasText: "New disks and fans" }).waitFor()
          assert.strictEqual(
            await operator.page.getByRole("main").getByRole("button", { name: /New|Edit|Delete/ }).count(),
            0
          )
          await press(page, "Delete: New disks and fans")
          await confirm(page, "Delete")
          await page.getByText("No maintenance windows").waitFor()
        })

        // a person's own subscriptions and channels, and an inbox read at once
        yield* Effect.promise(async () => {
          const { page } = operator
          await page.setViewportSize({ width: 1280, height: 800 })
          await page.goto("/account/notifications?part=channels")
          await page.getByText("No channels yet").waitFor()
          // a new subscription begins with the project that the person came from
          const members = await call("GET", "/projects/shop/memberships")
          const { user_id } = members.find(({ user_email }: { readonly user_email: string }) =>
            user_email === olga.email
          )
          await call("POST", "/projects", { slug: "archive", name: "Archive" })
          await call("POST", "/projects/archive/memberships", { user_id, role: "operator" })
          for (const slug of ["archive", "shop"]) {
            await page.goto(`/projects/${slug}`)
            await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
            await press(page, "Account and settings")
            await page.getByRole("link", { name: "My notifications" }).click()
            await press(page, "New subscription")
            assert.strictEqual(await page.getByRole("dialog").getByLabel("Project").inputValue(), slug)
            await press(page, "Cancel")
          }
          await press(page, "New subscription")
          await page.getByRole("dialog").getByText("Only project admins see its channels.").first().waitFor()
          await page.getByLabel("Start from").selectOption("Night watch")
          await confirm(page, "Create")
          await page.getByText("To: inbox").waitFor()
          await page.getByText("Priorities: high, critical").waitFor()
          await page.getByText(/Sent only from 22:00 to 07:00/).waitFor()
          await press(page, "Edit")
          await page.getByRole("dialog").getByLabel("Send messages").selectOption("Except within these hours")
          await page.getByRole("dialog").getByRole("checkbox", { name: "Send critical messages" }).waitFor()
          await confirm(page, "Save")
          await page.getByText(/Not sent from 22:00 to 07:00/).waitFor()
          await inspect(page, "own subscriptions")
          await page.getByRole("link", { name: /^Inbox/ }).click()
          await press(page, "Mark all as read")
          await page.getByRole("link", { name: "Inbox", exact: true }).waitFor()
          await page.getByLabel("Unread only").check()
          await page.getByText("Nothing unread").waitFor()
        })

        // the browser's own notification, while the person looks at something else, leads to the alert
        yield* Effect.promise(async () => {
          const { page } = operator
          const isRead = page.waitForResponse((response) => response.url().includes("/user/notifications?"))
          await page.goto("/projects/shop/agents")
          await isRead
          await page.locator("[data-live=live]").waitFor()
          await page.evaluate("document.hasFocus = () => false")
          await fail("box.ship")
          await waitUntil(async () => await page.evaluate("shown.length") === 1)
          assert.match(String(await page.evaluate("shown[0].title")), /box\.ship/)
          await page.evaluate("shown[0].dispatchEvent(new Event('click'))")
          await page.getByRole("region", { name: "Timeline" }).waitFor()
          await page.getByText("box.ship is down").first().waitFor()
          await page.getByRole("link", { name: "Inbox", exact: true }).waitFor()
        })

        // of two tabs the one that had the focus last shows it; a focus while it had the lock already is no later claim
        yield* Effect.promise(async () => {
          const { page } = operator
          await page.evaluate("dispatchEvent(new Event('focus'))")
          const other = await page.context().newPage()
          await other.addInitScript(recordNotifications)
          const isRead = other.waitForResponse((response) => response.url().includes("/user/notifications?"))
          await other.goto("/projects/shop/agents")
          await isRead
          await other.locator("[data-live=live]").waitFor()
          await other.evaluate("document.hasFocus = () => false")
          await fail("box.late")
          await waitUntil(async () => await other.evaluate("shown.length") === 1)
          assert.strictEqual(await page.evaluate("shown.length"), 1) // of before

          // tabs that both say they have the focus, as embedded and automated ones do, take it once each
          const readHolder = () =>
            other.evaluate(
              "navigator.locks.query().then(({ held, pending }) => pending.length === 1 ? held[0].clientId : null)"
            )
          for (const tab of [page, other]) {
            const before = await readHolder()
            await tab.evaluate("document.hasFocus = () => true")
            await tab.evaluate("dispatchEvent(new Event('focus'))")
            await waitUntil(async () => ![before, null].includes(await readHolder()))
          }
        })
        assert.deepStrictEqual([...admin.complaints, ...operator.complaints], [])
      })
  )
})
