import { SqlError } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { describeError } from "../../src/cli/program/Explain.ts"

/** As the database's layer fails when no driver of SQLite can be loaded. */
const cannotOpen = (message: string) =>
  new SqlError.SqlError({
    message: "cannot open the SQLite file svc.db",
    cause: new Error(`node:sqlite: no such module; better-sqlite3: ${message.split("\n")[0]}`, {
      cause: new Error(message)
    })
  })

it("a native package of another Node.js is named with both ABI versions and what to do", () => {
  const message = "The module '/app/node_modules/better-sqlite3/build/Release/better_sqlite3.node'\n" +
    "was compiled against a different Node.js version using\nNODE_MODULE_VERSION 137. This version of Node.js requires\n" +
    "NODE_MODULE_VERSION 115. Please try re-compiling or re-installing\nthe module (for instance, using `npm rebuild`)."
  const text = describeError(cannotOpen(message))
  assert.include(text, "a native package was built for another Node.js")
  assert.include(text, `its ABI (NODE_MODULE_VERSION) is 137, and Node.js ${process.versions.node} has 115`)
  assert.include(text, "npm rebuild better-sqlite3 argon2")
  assert.include(text, "or use the Node.js that it was installed with")
})

it("a native package that was not built, and one that is not there, say what to do", () => {
  const unbuilt = describeError(
    cannotOpen("Could not locate the bindings file. Tried:\n → /app/build/better_sqlite3.node")
  )
  assert.match(unbuilt, /^a native package was installed without being built; run: npm rebuild /)
  const missing = describeError(
    cannotOpen("Cannot find module 'better-sqlite3'\nRequire stack:\n- /app/dist/cli/svc.js")
  )
  assert.match(
    missing,
    /^the native package better-sqlite3 is not installed, .*C\+\+ compiler.* Node\.js 22\.16 or later/
  )
})
