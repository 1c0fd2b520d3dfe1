import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { baseUrl, freshKey, freshProject, request } from "../brain.ts"
import { mailingServerOn, mailsTo, tokenIn } from "../mailbox.ts"
import { enrolled, nextCode, wrongCode } from "./mfa.ts"
import { openPage } from "./pageInBrowser.ts"
import { freshUser, login, password, proxied } from "./people.ts"

const open = (path: string) => Effect.flatMap(baseUrl, (base) => Effect.promise(() => openPage(base + path)))

const submit = (
  page: Effect.Effect.Success<ReturnType<typeof open>>,
  form: string,
  values: Record<string, string> = {}
) => Effect.promise(() => page.submit(form, values))

const better = "a quite different passphrase"

const invite = (email: string) =>
  Effect.gen(function*() {
    const project = yield* freshProject({ name: "The <b>shop" })
    const { token } = yield* freshKey({ isAdmin: true })
    const invitation = yield* request("POST", `/projects/${project.slug}/invitations`, {
      token,
      body: { email, role: "operator" }
    })
    return { project, path: String(invitation.json.accept_url_path) }
  })

describe("the pages that mailed links lead to", () => {
  layer(mailingServerOn("SQLite", proxied), { excludeTestServices: true })((it) => {
    it.effect("bring all they need, are not cached, and let nothing else run", () =>
      Effect.gen(function*() {
        for (const path of ["//reset-password?token=secret", "//invitation?token=secret"]) {
          const page = yield* request("GET", path)
          assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
          assert.strictEqual(page.headers.get("cache-control"), "no-store")
          assert.strictEqual(page.headers.get("referrer-policy"), "no-referrer")
          const policy = page.headers.get("content-security-policy") ?? ""
          assert.match(
            policy,
            /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'/
          )
          for (const tag of ["script", "style"]) {
            const inner = new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`).exec(page.text)?.[1] ?? ""
            assert.include(policy, `${tag}-src 'sha256-${createHash("sha256").update(inner).digest("base64")}'`)
          }
          assert.notInclude(page.text, "secret")
          assert.notMatch(page.text, /(src|href)="(https?:)?\/\//)
        }
      }))

    it.effect("a forgotten password: asks for the link, then for the new one", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const first = yield* open("/reset-password")
        assert.strictEqual(first.section(), "ask")
        yield* submit(first, "forgotten", { email: user.email })
        assert.strictEqual(first.section(), "asked")
        const [mail] = yield* mailsTo(user.email)
        const page = yield* open(`/reset-password?token=${mail === undefined ? "" : tokenIn(mail)}`)
        assert.match(page.shownUrl(), /\/reset-password$/, "the token has left the address bar")
        assert.strictEqual(page.section(), "set")
        yield* submit(page, "fresh", { password: better })
        assert.deepStrictEqual([page.section(), page.alertText()], ["done", ""])
        assert.include(page.html, "You can <a href=\"./\">sign in</a> with it now.")
        assert.deepStrictEqual(
          [page.isHidden("keys"), page.textOf("count")],
          [true, "0"],
          "there is no API key to think of"
        )
        assert.strictEqual((yield* login(user.email, { password: better })).status, 200)
        const late = yield* open("/reset-password?token=no-such-token")
        yield* submit(late, "fresh", { password: better })
        assert.match(late.alertText() ?? "", /^This link is not valid/)
      }))

    it.effect("an invitation: who is new makes an account", () =>
      Effect.gen(function*() {
        const { path, project } = yield* invite("page@example.com")
        const page = yield* open(path)
        assert.strictEqual(page.section(), "invited")
        assert.deepStrictEqual([page.text("project_name"), page.text("role"), page.text("email")], [
          "The <b>shop",
          "operator",
          "page@example.com"
        ])
        yield* submit(page, "join")
        assert.deepStrictEqual([page.section(), page.alertText()], ["new", ""])
        yield* submit(page, "account", { display_name: "A Guest", password })
        assert.include(page.shownUrl(), `/projects/${project.slug}`, "signed in, in the project")
        assert.isDefined(page.cookie("svc_session"))
        assert.strictEqual((yield* login("page@example.com")).status, 200)
        const used = yield* open(path)
        assert.match(used.alertText() ?? "", /^This invitation is not valid/)
        assert.match((yield* open("/invitation")).alertText() ?? "", /needs the link/)
      }))

    it.effect("an invitation: who has an account signs in", () =>
      Effect.gen(function*() {
        const user = yield* freshUser()
        const { path, project } = yield* invite(user.email)
        const page = yield* open(path)
        yield* submit(page, "join")
        assert.strictEqual(page.section(), "known")
        yield* submit(page, "login", { current: "not the password" })
        assert.match(page.alertText() ?? "", /password is wrong/)
        yield* submit(page, "login", { current: password })
        assert.include(page.shownUrl(), `/projects/${project.slug}`)
        const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
        const members = yield* request("GET", `/projects/${project.slug}/memberships`, { token })
        assert.include(members.json.map(({ user_id }: { user_id: string }) => user_id), user.id)
      }))

    it.effect("an invitation: who has a second factor gives a code of it", () =>
      Effect.gen(function*() {
        const user = yield* enrolled()
        const { path, project } = yield* invite(user.email)
        const page = yield* open(path)
        yield* submit(page, "join")
        yield* submit(page, "login", { current: password })
        assert.deepStrictEqual([page.section(), page.alertText()], ["second", ""])
        yield* submit(page, "factor", { code: yield* wrongCode(user.secret) })
        assert.match(page.alertText() ?? "", /code is wrong/)
        yield* submit(page, "factor", { code: (yield* nextCode(user)).replace(/^.../, "$& ") })
        assert.include(page.shownUrl(), `/projects/${project.slug}`)
      }))
  })
})
