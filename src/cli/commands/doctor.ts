import { Command } from "@effect/cli"
import { lazily } from "../Load.ts"

export const doctor = Command.make("doctor", {}, lazily(() => import("../programs/doctor.ts"))).pipe(
  Command.withDescription("Run check, and warn of what will hurt later.")
)
