// Prints `<passed> <failed>` of a vitest JSON report; a file that could not even be collected counts as one failure.
import { readFileSync } from "node:fs"

const report = JSON.parse(readFileSync(process.argv[2], "utf8"))
const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
console.log(report.numPassedTests, report.numFailedTests + broken.length)
