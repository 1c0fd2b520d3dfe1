import type { Schemas } from "../api/client.ts"

export type Deploy = Schemas["Deploy"]

export const dayMillis = 86_400_000

/** The last of the deploys, the newest of which is first, within the day before a failure. */
export const findDeployBefore = (deploys: ReadonlyArray<Deploy>, failedAt: string): Deploy | undefined => {
  const before = deploys.find(({ at }) => Date.parse(at) < Date.parse(failedAt))
  return before !== undefined && Date.parse(failedAt) - Date.parse(before.at) <= dayMillis ? before : undefined
}
