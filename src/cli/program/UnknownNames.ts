import { schedulerProgramDeclared } from "../../scheduler/Settings.ts"
import { settingDefinitions } from "../../services/kernel/Settings.ts"
import { deprecatedSettings } from "../../services/kernel/Settings/Deprecated.ts"
import { clientDeclared } from "./ClientSettings.ts"
import { findClosest } from "./Closest.ts"

const all = [
  ...Object.values(settingDefinitions),
  ...Object.values(clientDeclared),
  ...Object.values(schedulerProgramDeclared)
]

/** The names that the brain, its command line or svc-scheduler reads. A secret also has a name with _FILE. */
const known: ReadonlySet<string> = new Set(
  all.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]))
)

/** Read by the tests, the demo and the benchmarks. */
const ownPrefixes = /^SVC_(TEST|FUZZ|BENCH|DEMO)_/

/**
 * Environment variables named like settings that are not settings, each with the closest name. Never a value, which may
 * be a secret.
 */
export const listUnknownNames = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) =>
      name.startsWith("SVC_") && !known.has(name) && !ownPrefixes.test(name) && !deprecatedSettings.has(name)
    )
    .sort()
    .map((name) => {
      const meant = findClosest(name, known)
      return meant === undefined ? name : `${name} (did you mean ${meant}?)`
    })

/** Deprecated names in the environment. */
export const listDeprecatedNames = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.keys(environment).filter((name) => deprecatedSettings.has(name)).sort()
