import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { ask, enrolled, nextCode, wrongCode } from "../http/mfa.ts"
import { freshUser, password, proxied, signedIn } from "../http/people.ts"
import { has } from "../needs.ts"
import { assertRefused, ok } from "./remote.ts"
import { onTerminal, svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const hasTerminal = await has("script")

/** A user, and a home of their own. */
const person = Effect.gen(function*() {
  const user = yield* freshUser({ isAdmin: true })
  const settings = { SVC_HOME: yield* temporaryHome, SVC_URL: yield* baseUrl }
  const login = svcHere(["login", "--email", user.email, "--password-stdin"], settings, { input: `${password}\n` })
  const keys = Effect.gen(function*() {
    const headers = yield* signedIn(user)
    return (yield* request("GET", "/api-keys", { headers })).json as ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly scopes: ReadonlyArray<string>
      readonly revoked_at: string | null
      readonly expires_at: string | null
    }>
  })
  return { user, settings, file: join(settings.SVC_HOME, "login.json"), login, keys }
})

layer(serverOn("SQLite"), { excludeTestServices: true })("svc login", (it) => {
  it.scoped("makes a key, keeps it for its owner only, and leaves no session", () =>
    Effect.gen(function*() {
      const { file, keys, login, settings, user } = yield* person
      const { code, stderr, stdout } = yield* login
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, `of ${user.email}, valid until 20`)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const kept = JSON.parse(readFileSync(file, "utf8"))
      assert.strictEqual(kept.url, settings.SVC_URL)
      assert.notInclude(stdout + stderr, kept.api_key)
      const [key] = yield* keys
      assert.strictEqual(key?.id, kept.key.id)
      assert.include(key?.name, "svc login on ")
      assert.isFalse(key?.scopes.includes("admin:*"))
      assert.isNotNull(key?.expires_at)
      const sessions = yield* request("GET", "/auth/sessions", { headers: yield* signedIn(user) })
      assert.lengthOf(
        sessions.json.filter((one: { is_current: boolean; user_agent_at_issue: string | null }) =>
          one.user_agent_at_issue === "node" && !one.is_current
        ),
        1,
        "that of the keys above"
      )

      assert.strictEqual(
        (yield* svc(["agents", "list", "--project", "default"], { SVC_HOME: settings.SVC_HOME })).code,
        1,
        "no project default here"
      )
      for (
        const command of [["commands", "list"], ["schedules", "list"], ["misfires"], ["tasks", "list"], [
          "rules",
          "list"
        ]]
      ) {
        const result = yield* svcHere([...command, "--project", "default"], { SVC_HOME: settings.SVC_HOME })
        assert.notInclude(result.stderr, "lacks the scope", command.join(" "))
      }
      assert.strictEqual(
        (yield* request("GET", "/users", { token: kept.api_key })).status,
        403,
        "has the scopes it needs and no more"
      )
    }))

  it.scoped("a second login revokes the key of the first; logout revokes its own", () =>
    Effect.gen(function*() {
      const { file, keys, login, settings } = yield* person
      yield* login
      const first = JSON.parse(readFileSync(file, "utf8")).key.id
      yield* login
      const second = JSON.parse(readFileSync(file, "utf8")).key.id
      const byId = new Map((yield* keys).map((key) => [key.id, key.revoked_at]))
      assert.isNotNull(byId.get(first))
      assert.isNull(byId.get(second))
      assert.match((yield* svcHere(["logout"], settings)).stdout, new RegExp(`\\(${second}\\) is revoked\n$`))
      assert.isFalse(existsSync(file))
      assert.isNotNull((yield* keys).find(({ id }) => id === second)?.revoked_at)
      assert.include((yield* svcHere(["logout"], settings)).stdout, "no login in")
      assertRefused(yield* svcHere(["agents", "list"], settings), "no API key: run svc login, or set SVC_API_KEY")
    }))

  it.scoped("logs out of a brain that is away, and says that the key is still valid", () =>
    Effect.gen(function*() {
      const { file, login, settings } = yield* person
      yield* login
      writeFileSync(file, readFileSync(file, "utf8").replace(settings.SVC_URL, "http://127.0.0.1:9"))
      const { code, stdout } = yield* svcHere(["logout"], settings)
      assert.strictEqual(code, 0)
      assert.match(
        stdout,
        /could not be revoked and is valid until 20[^\n]*: the brain at http:\/\/127\.0\.0\.1:9 cannot be reached/
      )
      assert.isFalse(existsSync(file))
    }))

  it.scoped("whoami names the account, its projects and the key; api-keys creates, lists and revokes", () =>
    Effect.gen(function*() {
      const { keys, login, settings, user } = yield* person
      assertRefused(yield* svcHere(["whoami"], settings), "no API key")
      yield* login
      const me = ok(yield* svcHere(["whoami"], settings))
      assert.match(me, new RegExp(`^email +${user.email}\n`))
      assert.include(me, "global admin")
      assert.include(me, "svc login (")

      const { slug } = yield* freshProject()
      assertRefused(
        yield* svcHere(["api-keys", "create", "ci", "--password-stdin"], settings, { input: `${password}\n` }),
        "give --scope",
        2
      )
      const create = (...args: ReadonlyArray<string>) =>
        svcHere(["api-keys", "create", "--password-stdin", ...args], settings, { input: `${password}\n` })
      const created = ok(yield* create("ci", "--scope", "tasks:read", "--scope", "queues:read", "--project", slug))
      const token = /\n(svk_\S+)\n$/.exec(created)?.[1] ?? ""
      const bound = { SVC_HOME: settings.SVC_HOME, SVC_URL: settings.SVC_URL, SVC_API_KEY: token, SVC_PROJECT: slug }
      ok(yield* svcHere(["tasks", "list"], bound))
      assertRefused(yield* svcHere(["agents", "list"], bound), "lacks the scope agents:read")
      const preset = JSON.parse(
        ok(yield* create("deploys", "--preset", "ci-deploys", "--scope", "home:read", "--json"))
      )
      assert.deepStrictEqual(preset.scopes, ["deploys:read", "deploys:write", "home:read"])
      assertRefused(yield* create("odd", "--scope", "nonsense"), "scopes.0: is not a scope")

      const listed = ok(yield* svcHere(["api-keys", "list"], settings))
      assert.match(listed, new RegExp(`^NAME (.*\n)+ci +active +${slug} +tasks:read,queues:read `))
      assert.notInclude(listed, token)
      assertRefused(yield* svcHere(["api-keys", "revoke", "ci"], settings), "add --yes", 2)
      assertRefused(yield* svcHere(["api-keys", "revoke", "cj", "--yes"], settings), "no such API key: cj")
      assert.include(ok(yield* svcHere(["api-keys", "revoke", "ci", "--yes"], settings)), "revoked the API key ci")
      assert.isNotNull((yield* keys).find(({ name }) => name === "ci")?.revoked_at)
      assertRefused(yield* svcHere(["tasks", "list"], bound), "does not accept the API key")
    }))

  it.scoped("says so when the former key cannot be revoked, because it belongs to another person", () =>
    Effect.gen(function*() {
      const { file, login, settings } = yield* person
      yield* login
      const first = JSON.parse(readFileSync(file, "utf8")).key.id
      const other = yield* freshUser({ isAdmin: true })
      const { code, stderr } = yield* svcHere(["login", "--email", other.email, "--password-stdin"], settings, {
        input: `${password}\n`
      })
      assert.strictEqual(code, 0, stderr)
      assert.match(stderr, new RegExp(`"svc login on .*" \\(${first}\\) .* could not be revoked`))
    }))

  it.scoped("the kept key goes to no other brain", () =>
    Effect.gen(function*() {
      const { login, settings } = yield* person
      yield* login
      assertRefused(
        yield* svcHere(["agents", "list"], { ...settings, SVC_URL: "http://127.0.0.1:9" }),
        /^svc: SVC_URL is http:\/\/127.0.0.1:9, but svc login has a key for http/
      )
    }))

  it.scoped("refuses a wrong password, and a key that the brain does not know", () =>
    Effect.gen(function*() {
      const { file, settings, user } = yield* person
      assertRefused(
        yield* svcHere(["login", "--email", user.email, "--password-stdin"], settings, { input: "not this one\n" }),
        "the password is wrong"
      )
      assertRefused(
        yield* svcHere(["login", "--api-key-stdin"], settings, { input: "svk_nobody\n" }),
        "does not accept the API key from standard input"
      )
      assert.isFalse(existsSync(file))
    }))

  it.scoped("keeps a key that there is", () =>
    Effect.gen(function*() {
      const { file, settings } = yield* person
      const { token } = yield* freshKey({ isAdmin: true, scopes: ["agents:read"] })
      assert.strictEqual((yield* svcHere(["login", "--api-key-stdin"], settings, { input: `${token}\n` })).code, 0)
      assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8")), {
        url: settings.SVC_URL,
        api_key: token,
        key: null
      })
      assert.include((yield* svcHere(["logout"], settings)).stdout, "stays valid")
    }))

  it.scoped.each(
    [
      [[], "--email"],
      [["--email", "ann@example.com", "--api-key-stdin"], "--email"],
      [["--email", "ann@example.com"], "--password-stdin"],
      [["--email", "ann@example.com", "--password-stdin", "--expires-in-days", "0"], "expires-in-days"]
    ] as const
  )("refuses %j", ([args, part]) =>
    Effect.gen(function*() {
      const { settings } = yield* person
      assertRefused(yield* svcHere(["login", ...args], settings, { input: "x\n" }), part, 2)
    }))

  it.scoped("sends nothing by plain http to another machine, unless an option allows it", () =>
    Effect.gen(function*() {
      const { settings, user } = yield* person
      const elsewhere = (...args: ReadonlyArray<string>) =>
        svcHere(["login", "--url", "http://nowhere.invalid", ...args], settings, { input: `${password}\n` })
      assertRefused(yield* elsewhere("--email", user.email, "--password-stdin"), "plain http to another machine")
      assertRefused(yield* elsewhere("--api-key-stdin"), "plain http to another machine")
      assertRefused(
        yield* elsewhere("--email", user.email, "--password-stdin", "--allow-insecure"),
        "its host name cannot be found"
      )
    }))

  it.scoped("refuses an address that is none, and says what is kept when it cannot be read", () =>
    Effect.gen(function*() {
      const { file, settings } = yield* person
      assertRefused(
        yield* svcHere(["login", "--url", "ftp://x", "--api-key-stdin"], settings),
        "--url must be the brain's address"
      )
      assertRefused(
        yield* svcHere(["agents", "list"], { ...settings, SVC_URL: "http://ann:hidden@x" }),
        "SVC_URL must be the brain's address"
      )
      writeFileSync(file, `{"api_key":"svk_hidden"`)
      const { SVC_HOME } = settings
      const result = yield* svcHere(["agents", "list"], { SVC_HOME })
      assertRefused(result, "login.json is not what svc login writes; run svc login again")
      assert.notInclude(result.stderr, "hidden")
    }))

  it.scoped.skipIf(!hasTerminal)(
    "asks for the password on a terminal, and does not show it",
    () =>
      Effect.gen(function*() {
        const { file, settings, user } = yield* person
        const { code, shown } = yield* onTerminal(["login", "--email", user.email], settings, {
          prompt: "Password of",
          typed: `${password}\r`
        })
        assert.strictEqual(code, 0, shown)
        assert.notInclude(shown, password)
        assert.isTrue(existsSync(file))
      })
  )
})

/** What an API key of `svc login` says of itself. */
const keyIn = (file: string): string => JSON.parse(readFileSync(file, "utf8")).api_key

layer(serverOn("SQLite", { ...proxied, mfaVerificationRate: 100 }), { excludeTestServices: true })(
  "svc login with a second factor",
  (it) => {
    const makeLogin = Effect.gen(function*() {
      const user = yield* enrolled()
      const settings = { SVC_HOME: yield* temporaryHome, SVC_URL: yield* baseUrl }
      return {
        user,
        settings,
        file: join(settings.SVC_HOME, "login.json"),
        args: ["login", "--email", user.email, "--password-stdin"]
      }
    })

    it.scoped("takes a code, or a recovery code, on the line after the password", () =>
      Effect.gen(function*() {
        const { args, file, settings, user } = yield* makeLogin
        for (const code of [yield* nextCode(user), user.codes[0]]) {
          const { code: exit, stderr } = yield* svcHere([...args, "--code-stdin"], settings, {
            input: `${password}\n${code}\n`
          })
          assert.strictEqual(exit, 0, stderr)
          assert.strictEqual(
            (yield* request("GET", "/activity", { token: keyIn(file) })).status,
            403,
            "a key, without audit:read"
          )
        }
        const sessions = yield* ask(user.browser, "GET", "/auth/sessions")
        assert.lengthOf(sessions.json, 1, "it leaves no session behind")
      }))

    it.scoped("says how to get in without one, and what is wrong with one, and keeps nothing", () =>
      Effect.gen(function*() {
        const { args, file, settings, user } = yield* makeLogin
        assertRefused(yield* svcHere(args, settings, { input: `${password}\n` }), "with --code-stdin")
        const invalidCode = yield* wrongCode(user.secret)
        assertRefused(
          yield* svcHere([...args, "--code-stdin"], settings, { input: `${password}\n${invalidCode}\n` }),
          "The code is wrong"
        )
        assertRefused(
          yield* svcHere([...args, "--code-stdin"], settings, { input: `${password}\n123\n` }),
          "code must have at least 6 characters",
          2
        )
        assertRefused(
          yield* svcHere([...args, "--code-stdin"], settings, { input: `${password}\n` }),
          "give the password, then the code"
        )
        assertRefused(
          yield* svcHere(["login", "--email", user.email, "--code-stdin"], settings),
          "goes with --email and --password-stdin",
          2
        )
        assert.isFalse(existsSync(file))
        assert.lengthOf((yield* ask(user.browser, "GET", "/auth/sessions")).json, 1)
      }))

    it.scoped.skipIf(!hasTerminal)("asks for the code on a terminal", () =>
      Effect.gen(function*() {
        const { file, settings, user } = yield* makeLogin
        const { code, shown } = yield* onTerminal(["login", "--email", user.email], settings, {
          prompt: "Password of",
          typed: `${password}\r`,
          next: [{ prompt: "Code of your authenticator app", typed: `${yield* nextCode(user)}\r` }]
        })
        assert.strictEqual(code, 0, shown)
        assert.isTrue(existsSync(file))
      }))
  }
)

layer(serverOn("SQLite", { mfaEnforceForAll: true, mfaEnrollmentGraceDays: 0 }), { excludeTestServices: true })(
  "svc login past the deadline",
  (it) => {
    it.scoped("says that a second factor must be enrolled first", () =>
      Effect.gen(function*() {
        const { file, login } = yield* person
        assertRefused(yield* login, "enrol one over the API (docs/mfa.md shows how), then sign in again")
        assert.isFalse(existsSync(file))
      }))
  }
)
