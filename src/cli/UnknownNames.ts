import { declared } from "../services/Settings.ts"
import { deprecated } from "../services/Settings/Deprecated.ts"
import { clientDeclared } from "./ClientSettings.ts"
import { closest } from "./Closest.ts"

const all = [...Object.values(declared), ...Object.values(clientDeclared)]

/** What the brain or its command line reads; of a secret also the name of the file that holds it. */
const known: ReadonlySet<string> = new Set(all.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])))

/** Read by the tests, the demo and the benchmarks. */
const ours = /^SVC_(TEST|FUZZ|BENCH|DEMO)_/

/** Variables of the environment that look like settings and are none, each with the name that was probably meant. Never a value. */
export const unknownNames = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.keys(environment)
    .filter((name) => name.startsWith("SVC_") && !known.has(name) && !ours.test(name) && !deprecated.has(name))
    .sort()
    .map((name) => {
      const meant = closest(name, known)
      return meant === undefined ? name : `${name} (did you mean ${meant}?)`
    })

/** Deprecated names that the environment still has. */
export const deprecatedNames = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.keys(environment).filter((name) => deprecated.has(name)).sort()
