import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { freshUser, proxied, sessionOf } from "./people.ts"

const names = { first_name: "Ada", last_name: "Lovelace", display_name: "Countess" }
const cleared = { first_name: null, last_name: null, display_name: null }

describe.each(laneEngines)("PATCH on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("keeps absent fields, clears with null, and keeps what cannot be null: projects, users, oneself, keys", () =>
      Effect.gen(function*() {
        const key = yield* freshKey({ isAdmin: true })
        const project = yield* freshProject({ description: "text", allowed_schedulers: ["celery"] })
        const user = yield* freshUser()
        const headers = yield* sessionOf(user.id)
        const created = yield* request("POST", "/api-keys", {
          headers,
          body: { name: "key", allowed_cidrs: ["10.0.0.0/8"] }
        })
        const places = [
          {
            path: `/projects/${project.slug}`,
            as: key,
            full: { description: "text", allowed_schedulers: ["celery"] },
            empty: { description: null, allowed_schedulers: null },
            fixed: ["slug", "name", "environment", "timezone", "default_scheduler_owner"]
          },
          {
            path: `/users/${user.id}`,
            as: key,
            full: names,
            empty: cleared,
            fixed: ["timezone", "is_admin", "is_active"]
          },
          { path: "/auth/me", as: { headers }, full: names, empty: cleared, fixed: ["timezone"] },
          {
            path: `/api-keys/${created.json.id}`,
            as: { headers },
            full: { allowed_cidrs: ["10.0.0.0/8"] },
            empty: { allowed_cidrs: null },
            fixed: []
          }
        ]
        for (const { as, empty, fixed, full, path } of places) {
          const patch = (body: object) => request("PATCH", path, { ...as, body })
          const before = yield* patch(full)
          assert.deepInclude(before.json, full, path)
          assert.deepInclude((yield* patch({})).json, full, `${path}: absent keeps`)
          const kept = yield* patch(Object.fromEntries(fixed.map((name) => [name, null])))
          assert.strictEqual(kept.status, 200, kept.text)
          for (const name of fixed) assert.deepStrictEqual(kept.json[name], before.json[name], `${path}: ${name}`)
          assert.deepInclude(kept.json, full, path)
          assert.deepInclude((yield* patch(empty)).json, empty, `${path}: null clears`)
        }
      }))
  })
})
