import { Command } from "@effect/cli"
import { Effect } from "effect"
import { bindCommands, define } from "../program/Group.ts"
import { json } from "../program/Options.ts"
import { holdYoungGeneration } from "../program/StartupHeap.ts"

export const serveDefinitions = { serve: define("Fire the schedules of the brain until the process is stopped.", {}) }

export const serve = bindCommands(serveDefinitions, () => import("./handlers/serve.ts")).serve.pipe(
  Command.transformHandler((run) => Effect.zipRight(holdYoungGeneration, run))
)

export const inspectDefinitions = {
  check: define("Check settings and certificate, and connect to the brain. Exit code 1: something fails.", { json }),
  doctor: define("Check each step from the home folder to the brain, and say what to do next.", {})
}

export const { check, doctor } = bindCommands(inspectDefinitions, () => import("./handlers/inspect.ts"))

export const statusDefinitions = {
  status: define("Show whether it runs, fires or stands by, and what waits. Exit code 1: it does not run.", { json }),
  info: define("Print version, settings and folder of this scheduler.", { json }),
  restart: define("Let the running scheduler read its certificate again and connect again.", {})
}

export const { info, restart, status } = bindCommands(statusDefinitions, () => import("./handlers/status.ts"))
