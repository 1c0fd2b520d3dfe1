import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { baseUrl, freshKey, serverOn } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { assertRefused, ok, visitor } from "./remote.ts"
import { svcHere } from "./svcHere.ts"

/** `svc` of a global admin. */
const globalAdmin = Effect.gen(function*() {
  const { token } = yield* freshKey({ isAdmin: true })
  const settings = { SVC_HOME: yield* temporaryHome, SVC_URL: yield* baseUrl, SVC_API_KEY: token }
  return (args: ReadonlyArray<string>, input = "") => svcHere(args, settings, { input })
})

layer(serverOn("SQLite"), { excludeTestServices: true })("people and projects on the command line", (it) => {
  it.scoped("creates, changes and deletes a project", () =>
    Effect.gen(function*() {
      const run = yield* globalAdmin
      assert.match(ok(yield* run(["projects", "create", "web-shop", "--name", "Web shop"])), /name +Web shop/)
      assertRefused(yield* run(["projects", "create", "web-shop"]), "web-shop")
      assert.match(ok(yield* run(["projects", "list"])), /web-shop +Web shop/)
      assertRefused(yield* run(["projects", "update", "web-shop"]), "name what to change", 2)
      ok(yield* run(["projects", "update", "web-shop", "--timezone", "Europe/Berlin"]))
      assert.match(ok(yield* run(["projects", "show", "web-shop"])), /timezone +Europe\/Berlin/)
      assert.match(ok(yield* run(["projects", "delete", "web-shop", "--yes"])), /^deleted the project web-shop/)
      assertRefused(yield* run(["projects", "show", "web-shop"]), "no such project")
    }))

  it.scoped("creates, promotes, disables and deletes an account", () =>
    Effect.gen(function*() {
      const run = yield* globalAdmin
      const created = yield* run(["users", "create", "ann@example.com", "--password-stdin"], "a long password\n")
      assert.match(ok(created), /^created the account ann@example.com/)
      assert.strictEqual(ok(yield* run(["users", "promote", "ann@example.com"])), "ann@example.com is a global admin\n")
      assert.match(ok(yield* run(["users", "list"])), /ann@example.com +\S+ +yes +active/)
      ok(yield* run(["users", "demote", "ann@example.com"]))
      ok(yield* run(["users", "disable", "ANN@example.com"]))
      assert.match(ok(yield* run(["users", "list"])), /ann@example.com +\S+ +- +inactive/)
      ok(yield* run(["users", "delete", "ann@example.com", "--yes"]))
      assertRefused(yield* run(["users", "enable", "ann@example.com"]), "no such user")
    }))

  it.scoped("shows who must have a second factor; who has none requires it of nobody", () =>
    Effect.gen(function*() {
      const run = yield* globalAdmin
      assert.match(ok(yield* run(["users", "second-factor"])), /^a second factor is required of nobody; /)
      assertRefused(yield* run(["users", "second-factor", "--require"]), "You have no second factor")
      assertRefused(yield* run(["users", "second-factor", "--require", "--optional"]), "exclude each other", 2)
      ok(yield* run(["users", "second-factor", "--optional"]))
    }))

  it.scoped("adds, changes and removes a member, and invites an address", () =>
    Effect.gen(function*() {
      const { run } = yield* visitor()
      const { email, user_id } = yield* freshKey()
      assert.strictEqual(ok(yield* run("members", "add", user_id, "--role", "viewer")), `${email} is viewer\n`)
      assert.strictEqual(ok(yield* run("members", "set-role", email, "--role", "operator")), `${email} is operator\n`)
      assert.match(ok(yield* run("members", "list")), new RegExp(`${email} +\\S+ +operator`))
      ok(yield* run("members", "remove", email, "--yes"))
      assertRefused(yield* run("members", "set-role", email, "--role", "viewer"), "no such member")
      const invited = ok(yield* run("invitations", "create", "new@example.com", "--role", "viewer"))
      assert.match(invited, /^http:\/\/\S+\/invitation\?token=\S+$/m)
      assert.match(ok(yield* run("invitations", "list")), /new@example.com +viewer +open/)
      ok(yield* run("invitations", "revoke", "new@example.com"))
      assert.match(ok(yield* run("invitations", "list")), /new@example.com +viewer +revoked/)
      assertRefused(yield* run("invitations", "revoke", "new@example.com"), "no such open invitation")
    }))

  it.scoped("plans, ends and deletes a maintenance window", () =>
    Effect.gen(function*() {
      const { run } = yield* visitor()
      assert.match(ok(yield* run("windows", "create", "upgrade", "--minutes", "30")), /^no message is sent until /)
      assert.match(ok(yield* run("windows", "list")), /upgrade +lasts/)
      assert.strictEqual(ok(yield* run("windows", "end", "upgrade")), "ended upgrade\n")
      assert.match(ok(yield* run("windows", "list")), /upgrade +ended/)
      assert.match(ok(yield* run("windows", "delete", "upgrade", "--yes")), /^deleted the window upgrade/)
      assertRefused(yield* run("windows", "end", "upgrade"), "no such window")
    }))
})
