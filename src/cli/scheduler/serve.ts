import { Command } from "@effect/cli"
import { Effect } from "effect"
import { lazyHandlers } from "../program/Load.ts"
import { json } from "../program/Options.ts"
import { holdYoungGeneration } from "../program/StartupHeap.ts"

const serving = lazyHandlers(() => import("./handlers/serve.ts"))
const inspecting = lazyHandlers(() => import("./handlers/inspect.ts"))
const reporting = lazyHandlers(() => import("./handlers/status.ts"))

const runServe = serving((module) => module.serve)

export const serve = Command.make("serve", {}, (options) => Effect.zipRight(holdYoungGeneration, runServe(options)))
  .pipe(
    Command.withDescription("Fire the schedules of the brain until the process is stopped.")
  )

export const check = Command.make("check", { json }, inspecting((module) => module.check)).pipe(
  Command.withDescription("Check settings and certificate, and connect to the brain. Exit code 1: something fails.")
)

export const doctor = Command.make("doctor", {}, inspecting((module) => module.doctor)).pipe(
  Command.withDescription("Check each step from the home folder to the brain, and say what to do next.")
)

export const status = Command.make("status", { json }, reporting((module) => module.status)).pipe(
  Command.withDescription("Show whether it runs, fires or stands by, and what waits. Exit code 1: it does not run.")
)

export const info = Command.make("info", { json }, reporting((module) => module.info)).pipe(
  Command.withDescription("Print version, settings and folder of this scheduler.")
)

export const restart = Command.make("restart", {}, reporting((module) => module.restart)).pipe(
  Command.withDescription("Let the running scheduler read its certificate again and connect again.")
)
