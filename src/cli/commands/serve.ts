import { Command, Options } from "@effect/cli"
import { lazyHandler } from "../Load.ts"

const host = Options.text("host").pipe(Options.withDescription("Address to listen on (SVC_HOST)."), Options.optional)
const port = Options.integer("port").pipe(Options.withDescription("Port to listen on (SVC_PORT)."), Options.optional)
const workers = Options.integer("workers").pipe(
  Options.withDescription("Server processes on the port; more than one needs PostgreSQL (SVC_WORKERS)."),
  Options.optional
)
const demo = Options.boolean("demo").pipe(
  Options.withDescription("Show a small shop at work, in a folder of its own: SVC_HOME with -demo at its end.")
)

export const serve = Command.make("serve", { host, port, workers, demo }, lazyHandler(() => import("../programs/serve.ts"))).pipe(
  Command.withDescription("Run the brain.")
)
