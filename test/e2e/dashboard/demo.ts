/**
 * The demo on the PostgreSQL database that a test names, because `svc serve --demo` writes to its own SQLite file only.
 * Arguments: the port and the database's URL.
 */
import { Redacted } from "effect"
import { serveDemo } from "../../../src/cli/demo/Demo.ts"
import { runMain } from "../../../src/cli/program/RunMain.ts"

const [port, databaseUrl = ""] = process.argv.slice(2)
runMain({
  name: "demo",
  run: () => serveDemo({ port: Number(port), databaseUrl: Redacted.make(databaseUrl), databasePoolSize: 8 })
})
