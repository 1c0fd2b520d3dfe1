import { Command } from "@effect/cli"
import { lazily } from "../Load.ts"

const rotate = Command.make("rotate", {}, lazily(() => import("../programs/metrics-token-rotate.ts"))).pipe(
  Command.withDescription("Make a new one; brains take it when they are started again.")
)

export const metricsToken = Command.make("metrics-token", {}, lazily(() => import("../programs/metrics-token.ts"))).pipe(
  Command.withDescription("Print the bearer token of /metrics."),
  Command.withSubcommands([rotate])
)
