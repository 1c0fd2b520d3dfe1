import { Command } from "@effect/cli"
import { lazyHandler } from "../Load.ts"

export const doctor = Command.make("doctor", {}, lazyHandler(() => import("../programs/doctor.ts"))).pipe(
  Command.withDescription("Run check, and warn of what will hurt later.")
)
