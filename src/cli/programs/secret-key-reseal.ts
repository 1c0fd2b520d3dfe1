import { Effect } from "effect"
import { layerSecretKeys, resealSecrets } from "../SecretKeys.ts"

export const run = () => Effect.provide(resealSecrets, layerSecretKeys)
