import { Command } from "@effect/cli"
import { lazyHandler } from "../Load.ts"

const rotate = Command.make("rotate", {}, lazyHandler(() => import("../programs/metrics-token-rotate.ts"))).pipe(
  Command.withDescription("Make a new one; brains take it when they are started again.")
)

export const metricsToken = Command.make("metrics-token", {}, lazyHandler(() => import("../programs/metrics-token.ts"))).pipe(
  Command.withDescription("Print the bearer token of /metrics."),
  Command.withSubcommands([rotate])
)
