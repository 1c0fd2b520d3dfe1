import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { generateSync } from "otplib"
import type { Page } from "playwright-core"
import { has } from "../../needs.ts"
import { makeReleaseFeed } from "../../releaseFeed.ts"
import { assertAccessible, browser, clickBeside, confirm, inspect, press, signIn, visit } from "./browser.ts"
import { email, shopOn } from "./shop.ts"

const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text })

const signOut = async (page: Page) => {
  await press(page, "Account and settings")
  await press(page, "Sign out")
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
}

/** What the authenticator app shows `later` half minutes from now. */
const codeOf = (secret: string, later = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + later * 30 })

const petra = { email: "petra@example.com", password: "correct horse battery" }

describe.skipIf(!(await has("chromium-headless-shell")))("people, accounts and the brain in the dashboard", () => {
  it.scopedLive(
    "an invited person joins, protects the account, and global admins run the brain",
    () =>
      Effect.gen(function*() {
        const feed = yield* makeReleaseFeed
        const { call, invite, password, url } = yield* shopOn("PostgreSQL", { SVC_RELEASES_URL: feed.url })
        const chrome = yield* browser
        const admin = yield* visit(chrome, url)
        const own = yield* visit(chrome, url)
        const other = yield* visit(chrome, url)

        // an invitation: its link is shown once, and a later one is revoked
        const link = yield* Effect.promise(async () => {
          const { page } = admin
          await page.goto("/projects/shop/people")
          await signIn(page, email, password)
          await page.getByText("No members yet").waitFor()
          await press(page, "Invite")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("E-mail address").fill(petra.email)
          await dialog.getByRole("radio", { name: /^Admin/ }).check()
          await assertAccessible(page, "an invitation")
          await dialog.getByRole("button", { name: "Invite" }).click()
          await dialog.getByRole("heading", { name: "petra@example.com is invited" }).waitFor()
          await dialog.getByText("This server cannot send e-mail.").waitFor()
          const shown = await dialog.locator("code").innerText()
          await clickBeside(page) // the link is shown once
          await confirm(page, "Done")
          await rowOf(page, petra.email).getByText("Pending").waitFor()

          await press(page, "Invite")
          await dialog.getByLabel("E-mail address").fill("nobody@example.com")
          await dialog.getByRole("button", { name: "Invite" }).click()
          await confirm(page, "Done")
          await press(page, "Revoke the invitation for nobody@example.com")
          await rowOf(page, "nobody@example.com").getByText("Revoked").waitFor()
          await inspect(page, "people")
          return shown
        })

        // from the link to the first sign-in
        yield* Effect.promise(async () => {
          const { page } = own
          await page.goto(link)
          await page.getByRole("heading", { name: "Join Shop" }).waitFor()
          await press(page, "Accept")
          await page.getByLabel("Name").fill("Petra")
          await page.getByLabel(/^Password \(/).fill(petra.password)
          await page.getByLabel("Show the password").check()
          assert.strictEqual(await page.getByLabel(/^Password \(/).getAttribute("type"), "text")
          await inspect(page, "accepting an invitation")
          await press(page, "Create the account and join")
          await page.waitForURL(/\/projects\/shop$/) // signed in
          await page.getByRole("link", { name: "People" }).click()
          await rowOf(page, "Petra").getByText("(you)").waitFor()
          await rowOf(page, petra.email).getByText("Accepted").waitFor()
        })

        // roles: another one applies from the next request on, and a removed member sees nothing
        const vera = yield* Effect.promise(() => invite("Vera", "viewer"))
        yield* Effect.promise(async () => {
          await other.page.goto("/projects/shop/tasks?q=state%3Afailure")
          await signIn(other.page, vera.email, vera.password)
          await other.page.getByRole("row").getByRole("link").first().waitFor()
          const retry = other.page.getByRole("button", { name: "Retry", exact: true })
          assert.strictEqual(await retry.count(), 0)
          const { page } = own
          await page.reload()
          await press(page, "Change the role of Vera")
          const dialog = page.getByRole("dialog")
          await dialog.getByRole("radio", { name: /^Operator/ }).check()
          await confirm(page, "Save")
          await rowOf(page, "Vera").getByText("Operator").waitFor()
          await other.page.reload()
          await retry.first().waitFor()
          await press(page, "Remove Vera from the project")
          await confirm(page, "Remove")
          await rowOf(page, "Vera").waitFor({ state: "detached" })
          await other.page.goto("/")
          await other.page.getByText("You aren't in any project yet").waitFor()
          await signOut(other.page)
        })

        // the profile, and a key that does what its scopes say until it is revoked
        yield* Effect.promise(async () => {
          const { page } = own
          await press(page, "Account and settings")
          await page.getByRole("link", { name: "Account", exact: true }).click()
          await page.getByLabel("Display name").fill("Petra P.")
          await press(page, "Save")
          await page.getByText("Saved.").waitFor()
          await page.getByRole("button", { name: "Account and settings" }).getByText("Petra P.").waitFor()
          await inspect(page, "profile")

          await press(page, "API keys")
          await page.getByText("No API keys").waitFor()
          await press(page, "Create an API key")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Name", { exact: true }).fill("reader")
          await dialog.getByRole("checkbox", { name: /^tasks:read/ }).check()
          assert.strictEqual(await dialog.getByRole("checkbox", { name: /^admin:/ }).count(), 0)
          await assertAccessible(page, "a new API key")
          await dialog.getByRole("button", { name: "Create", exact: true }).click()
          await dialog.getByText("The token is shown only once.").waitFor()
          const token = await dialog.locator("code").first().innerText()
          await confirm(page, "Done")
          const statusOf = async (method: string, path: string) =>
            (await fetch(`${url}/api/v1/projects/shop${path}`, {
              method,
              headers: { authorization: `Bearer ${token}` }
            }))
              .status
          assert.strictEqual(await statusOf("GET", "/tasks"), 200)
          assert.strictEqual(await statusOf("GET", "/queues"), 403)
          await page.reload()
          await rowOf(page, "reader").getByText("tasks:read").waitFor()
          assert.strictEqual(await rowOf(page, "reader").getByText("Never").count(), 0)
          await inspect(page, "API keys")
          await press(page, "Revoke reader")
          await confirm(page, "Revoke")
          await rowOf(page, "reader").getByText("Revoked").waitFor()
          assert.strictEqual(await statusOf("GET", "/tasks"), 401)
        })

        // a second factor: the app's code, recovery codes, and this browser trusted
        const { recoveryCodes, secret } = yield* Effect.promise(async () => {
          const { page } = own
          await press(page, "Security")
          await inspect(page, "security")
          await page.getByRole("link", { name: "Set up the second factor" }).click()
          await press(page, "Start")
          await page.getByRole("img", { name: "QR code for the authenticator app" }).waitFor()
          const secret = await page.locator("code").innerText()
          await inspect(page, "a second factor")
          await page.getByLabel("Code", { exact: true }).fill(codeOf(secret, 100))
          await press(page, "Continue")
          await page.getByRole("alert").getByRole("button", { name: "Copy: Request ID" }).waitFor()
          await page.getByLabel("Code", { exact: true }).fill(codeOf(secret))
          await press(page, "Continue")
          const codes = page.getByRole("list", { name: "Recovery codes" })
          await codes.waitFor()
          const recoveryCodes = await codes.getByRole("listitem").allInnerTexts()
          await inspect(page, "recovery codes")
          await press(page, "Continue")
          await page.getByText("Recovery codes left").waitFor()
          await press(page, "Trust this browser")
          await page.getByRole("list", { name: "Trusted browsers" }).getByText("(this browser)").waitFor()
          await inspect(page, "security with a second factor")
          return { recoveryCodes, secret }
        })
        assert.isAtLeast(recoveryCodes.length, 8)

        // a trusted browser signs in without a code, which is then asked for before something is destroyed
        yield* Effect.promise(async () => {
          const { page } = own
          await call("POST", "/projects/shop/agents", { name: "box" })
          await signOut(page)
          await signIn(page, petra.email, petra.password)
          await page.goto("/projects/shop/agents")
          await page.getByRole("link", { name: "box", exact: true }).click()
          await press(page, "Delete")
          await page.getByLabel("Type box to confirm").fill("box")
          await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
          const proof = page.getByRole("dialog", { name: "Confirm it's you" })
          await proof.getByLabel("Code").fill(codeOf(secret, 100))
          await proof.getByRole("button", { name: "Continue" }).click()
          await proof.getByRole("alert").waitFor()
          await assertAccessible(page, "a step-up")
          await proof.getByLabel("Code").fill(codeOf(secret, 1)) // the code of now is used
          await proof.getByRole("button", { name: "Continue" }).click()
          await page.getByRole("link", { name: "box", exact: true }).waitFor({ state: "detached" })
          await page.waitForURL(/\/agents$/)
          const agents: ReadonlyArray<{ readonly name: string }> = await call("GET", "/projects/shop/agents")
          assert.deepStrictEqual(agents.map(({ name }) => name), ["shop"])
        })

        // elsewhere a recovery code signs in, once; the session is ended from here
        yield* Effect.promise(async () => {
          const { page } = other
          const [first = "", second = ""] = recoveryCodes
          await page.goto("/account?tab=security")
          await signIn(page, petra.email, petra.password)
          await page.getByLabel("Code").fill(first)
          await inspect(page, "the sign-in's second step")
          await press(page, "Continue")
          await page.getByText(String(recoveryCodes.length - 1), { exact: true }).waitFor()

          await own.page.goto("/account?tab=sessions")
          await own.page.getByText("(this session)").waitFor()
          await inspect(own.page, "sessions")
          await press(own.page, "End the session from 127.0.0.1")
          await own.page.getByRole("button", { name: /^End the session/ }).waitFor({ state: "detached" })
          await page.reload()
          await page.getByRole("heading", { name: "Sign in" }).waitFor()
          await signIn(page, petra.email, petra.password)
          await page.getByLabel("Code").fill(first)
          await press(page, "Continue")
          await page.getByRole("alert").waitFor()
          await page.getByLabel("Code").fill(second)
          await press(page, "Continue")
          await page.waitForURL(/\/account/)
        })

        // new recovery codes void the old ones; a new password ends the other session and the trust
        const better = "staple battery horse correct"
        yield* Effect.promise(async () => {
          const { page } = own
          await press(page, "Security")
          await press(page, "New recovery codes")
          const dialog = page.getByRole("dialog")
          await dialog.getByRole("button", { name: "New recovery codes" }).click()
          const codes = dialog.getByRole("list", { name: "Recovery codes" })
          await codes.waitFor()
          const [fresh = "", another = ""] = await codes.getByRole("listitem").allInnerTexts()
          assert.notInclude(recoveryCodes, fresh)
          await confirm(page, "Done")
          await press(page, "Change password")
          await dialog.getByLabel("Current password").fill(petra.password)
          await dialog.getByLabel("New password", { exact: true }).fill("passwordpassword")
          await dialog.getByLabel("Repeat new password").fill("passwordpassword")
          await dialog.getByRole("button", { name: "Change password" }).click()
          await dialog.getByRole("alert").getByRole("button", { name: "Copy: Request ID" }).waitFor()
          await dialog.getByLabel("New password", { exact: true }).fill(better)
          await dialog.getByLabel("Repeat new password").fill(better)
          await assertAccessible(page, "a new password")
          await confirm(page, "Change password")
          await page.getByText("A trusted browser asks for no code").waitFor()
          await other.page.reload()
          await other.page.getByRole("heading", { name: "Sign in" }).waitFor()
          await signOut(page)
          await signIn(page, petra.email, better)
          await page.getByLabel("Code").fill(fresh)
          await press(page, "Continue")
          await page.getByRole("link", { name: "Shop", exact: true }).waitFor()
          await page.goto("/account?tab=security")
          await press(page, "Remove the second factor")
          await dialog.getByLabel("Password").fill(better)
          await dialog.getByLabel("Code").fill(another)
          await confirm(page, "Remove the second factor")
          await page.getByRole("link", { name: "Set up the second factor" }).waitFor()
        })

        // a global admin: every account, the brain's health, versions and settings; the project's settings
        yield* Effect.promise(async () => {
          const { page } = admin
          await page.goto("/projects/shop/settings")
          await page.getByLabel("Description").fill("A shop with people")
          await page.getByRole("region", { name: "General" }).getByRole("button", { name: "Save" }).click()
          await page.getByText("Saved.").waitFor()
          assert.strictEqual((await call("GET", "/projects/shop")).description, "A shop with people")
          await inspect(page, "settings of the project")

          await press(page, "Account and settings")
          await page.getByRole("link", { name: "Users" }).click()
          await rowOf(page, "Petra P.").waitFor()
          await press(page, "Create a user")
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("E-mail address").fill("uma@example.com")
          await dialog.getByLabel("Display name").fill("Uma")
          await dialog.getByLabel("Password").fill(petra.password)
          await assertAccessible(page, "a new user")
          await confirm(page, "Create")
          await rowOf(page, "Uma").getByText("Never").waitFor()
          await inspect(page, "users")
          await press(page, "Set password: Uma")
          await dialog.getByLabel("Password").fill(better)
          await confirm(page, "Set password")
          await other.page.goto("/")
          await signIn(other.page, "uma@example.com", better)
          await other.page.getByText("You aren't in any project yet").waitFor()
          await press(page, "Edit: Uma")
          await dialog.getByRole("checkbox", { name: "Active" }).uncheck()
          await confirm(page, "Save")
          await rowOf(page, "Uma").getByText("Inactive").waitFor()
          await other.page.reload()
          await other.page.getByRole("heading", { name: "Sign in" }).waitFor()
          await press(page, "Delete: Uma")
          await dialog.getByLabel("Type uma@example.com to confirm").fill("uma@example.com")
          await confirm(page, "Delete")
          await rowOf(page, "Uma").waitFor({ state: "detached" })

          await page.goto("/system")
          await rowOf(page, "Signed audit log").getByText("Healthy").waitFor()
          await inspect(page, "health of the brain")
          await press(page, "Versions")
          await page.getByText(/^PostgreSQL \d/).waitFor()
          await page.getByText("The release feed has not been read.").waitFor()
          await press(page, "Check for newer versions")
          await page.getByRole("region", { name: "Notices" }).getByText("(invalid_answer)").waitFor()
          feed.document = JSON.stringify({ version: "9.9.9", tarball: "svc-9.9.9.tgz", sha512: "0".repeat(128) })
          await press(page, "Check for newer versions")
          await rowOf(page, "9.9.9").getByText("A newer version exists").waitFor()
          await page.getByText("The release feed was read").waitFor()
          await inspect(page, "versions")
          await press(page, "Settings")
          await page.getByText("A second factor is optional").waitFor()
          await page.getByText("You need a second factor yourself first.").waitFor()
          await page.getByLabel("Filter settings").fill("database")
          await rowOf(page, "SVC_DATABASE_POOL_SIZE").getByText("Command line").waitFor()
          await page.waitForURL(/q=database/)
          await inspect(page, "settings in force")

          // neither page is for others
          await own.page.goto("/users")
          await own.page.getByRole("alert").waitFor()
          assert.strictEqual(await own.page.getByRole("button", { name: "Create a user" }).count(), 0)
          await press(own.page, "Account and settings")
          assert.strictEqual(await own.page.getByRole("link", { name: /^(Users|System)$/ }).count(), 0)
        })
        assert.deepStrictEqual([...admin.complaints, ...own.complaints, ...other.complaints], [])
      })
  )
})
