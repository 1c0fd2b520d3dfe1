/**
 * The demo without what waits for a person: with one engine, without channel, rule and policy, which tests bring themselves.
 * Arguments: the port, and the database's URL where it is not the demo's own SQLite file, which `svc serve --demo` always
 * writes to.
 */
import { Redacted } from "effect"
import { serveDemo } from "../../../src/cli/demo/Demo.ts"
import { runMain } from "../../../src/cli/program/RunMain.ts"

const [port, databaseUrl] = process.argv.slice(2)
const database = databaseUrl === undefined
  ? {}
  : { databaseUrl: Redacted.make(databaseUrl), databasePoolSize: 8 }
runMain({ name: "demo", run: () => serveDemo({ port: Number(port), ...database }, { isPlain: true }) })
