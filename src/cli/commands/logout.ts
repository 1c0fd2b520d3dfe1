import { Command } from "@effect/cli"
import { lazyHandler } from "../Load.ts"

export const logout = Command.make("logout", {}, lazyHandler(() => import("../programs/logout.ts"))).pipe(
  Command.withDescription("Revoke the API key that svc login created, and remove it from this machine.")
)
