import { Command, Options } from "@effect/cli"
import { Console, Effect } from "effect"
import { version } from "../../domain/kernel/Version.ts"
import { bindCommands, define } from "../program/Group.ts"
import { flag, integer, json, optionalInteger, optionalText, text } from "../program/Options.ts"
import { holdYoungGeneration } from "../program/StartupHeap.ts"

export const serveDefinitions = {
  serve: define("Run the brain.", {
    host: optionalText("host", "Address to listen on (SVC_HOST)."),
    port: optionalInteger("port", "Port to listen on (SVC_PORT)."),
    workers: optionalInteger(
      "workers",
      "Server processes on the port; more than one needs PostgreSQL (SVC_WORKERS)."
    ),
    demo: flag("demo", "Run a demo shop on data of its own, in the folder SVC_HOME with -demo at its end.")
  })
}

export const serve = bindCommands(serveDefinitions, () => import("./handlers/serve.ts")).serve.pipe(
  Command.transformHandler((run) => Effect.zipRight(holdYoungGeneration, run))
)

export const checkDefinitions = {
  check: define("Check that svc serve would start: settings, home folder, native packages, database, port and keys.", {
    json
  }),
  doctor: define("Run check, and warn about settings, files, limits and missing backups that will cause trouble.", {})
}

export const { check, doctor } = bindCommands(checkDefinitions, () => import("./handlers/check.ts"))

export const statusDefinitions = {
  status: define(
    "Show whether the brain runs and is ready, its database, agents and tasks: this machine's, or that at SVC_URL.",
    {
      rows: flag("rows", "Also list the rows of each table."),
      json
    }
  )
}

export const { status } = bindCommands(statusDefinitions, () => import("./handlers/status.ts"))

export const printVersion = Command.make(
  "version",
  { json },
  ({ json }) => Console.log(json ? JSON.stringify({ version }) : version)
).pipe(Command.withDescription("Print the version."))

export const bundleDefinitions = {
  "support-bundle": define(
    "Write versions, settings, health, sizes and log lines into one archive, without secrets.",
    {
      output: text("output", "Path of a new .tar.gz file, readable by its owner only.").pipe(Options.withAlias("o")),
      log: optionalText(
        "log",
        "The brain's log: a file, or - for standard input, such as journalctl -u svc -o cat."
      ),
      logLines: integer("log-lines", "The last lines of the log to include.", 1000)
    }
  )
}

export const { "support-bundle": supportBundle } = bindCommands(
  bundleDefinitions,
  () => import("./handlers/support-bundle.ts")
)
