/** Prints what `runChecks` finds with the driver that this Node.js gets. */
import { loadDrivers } from "../../src/sqlite/Driver.ts"
import { runChecks } from "./checks.ts"

const [first] = loadDrivers().found
if (first !== undefined) console.log(JSON.stringify({ driver: first[0], results: runChecks(first[1]) }))
