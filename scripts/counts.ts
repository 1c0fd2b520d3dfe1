// Prints `<passed> <failed>` of a vitest JSON report; a file that could not even be collected counts as one failure.
import { readFileSync } from "node:fs"

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: ReadonlyArray<{ readonly status: string; readonly assertionResults: ReadonlyArray<unknown> }>
}

// the cast: vitest's JSON reporter wrote it
const report = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Report
const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
console.log(report.numPassedTests, report.numFailedTests + broken.length)
