import { Effect } from "effect"
import { changing, sealAnew } from "../SecretKeys.ts"

export const run = () => Effect.provide(sealAnew, changing)
