import { Command, Options } from "@effect/cli"
import { Console, Effect } from "effect"
import { version } from "../../domain/kernel/Version.ts"
import { lazyHandlers } from "../program/Load.ts"
import { json } from "../program/Options.ts"
import { holdYoungGeneration } from "../program/StartupHeap.ts"

const serving = lazyHandlers(() => import("./handlers/serve.ts"))
const checking = lazyHandlers(() => import("./handlers/check.ts"))
const reporting = lazyHandlers(() => import("./handlers/status.ts"))

const bundling = lazyHandlers(() => import("./handlers/support-bundle.ts"))

const host = Options.text("host").pipe(Options.withDescription("Address to listen on (SVC_HOST)."), Options.optional)
const port = Options.integer("port").pipe(Options.withDescription("Port to listen on (SVC_PORT)."), Options.optional)
const workers = Options.integer("workers").pipe(
  Options.withDescription("Server processes on the port; more than one needs PostgreSQL (SVC_WORKERS)."),
  Options.optional
)
const demo = Options.boolean("demo").pipe(
  Options.withDescription("Run a demo shop on data of its own, in the folder SVC_HOME with -demo at its end.")
)

const runServe = serving((module) => module.serve)

export const serve = Command.make(
  "serve",
  { host, port, workers, demo },
  (options) => Effect.zipRight(holdYoungGeneration, runServe(options))
).pipe(
  Command.withDescription("Run the brain.")
)

export const check = Command.make("check", { json }, checking((module) => module.check)).pipe(
  Command.withDescription(
    "Check that svc serve would start: settings, home folder, native packages, database, port and keys."
  )
)

export const doctor = Command.make("doctor", {}, checking((module) => module.doctor)).pipe(
  Command.withDescription(
    "Run check, and warn about settings, files, limits and missing backups that will cause trouble."
  )
)

const rows = Options.boolean("rows").pipe(Options.withDescription("Also list the rows of each table."))

export const status = Command.make("status", { rows, json }, reporting((module) => module.status)).pipe(
  Command.withDescription("Show whether the brain runs and is ready, its database and last backup, agents and tasks.")
)

export const printVersion = Command.make(
  "version",
  { json },
  ({ json }) => Console.log(json ? JSON.stringify({ version }) : version)
).pipe(Command.withDescription("Print the version."))

export const supportBundle = Command.make("support-bundle", {
  output: Options.text("output").pipe(
    Options.withAlias("o"),
    Options.withDescription("Path of a new .tar.gz file, readable by its owner only.")
  ),
  log: Options.text("log").pipe(
    Options.withDescription("The brain's log: a file, or - for standard input, such as journalctl -u svc -o cat."),
    Options.optional
  ),
  logLines: Options.integer("log-lines").pipe(
    Options.withDescription("The last lines of the log to include."),
    Options.withDefault(1000)
  )
}, bundling((module) => module.writeBundle)).pipe(
  Command.withDescription("Write versions, settings, health, sizes and log lines into one archive, without secrets.")
)
