import { defineConfig } from "vitest/config"
import { TestOrder } from "./scripts/testOrder.ts"
import { fast, fullOnly, type Lane } from "./test/lanes.ts"

const ci = process.env.CI === "true"

const patternsOf: Readonly<Record<Lane, ReadonlyArray<string>>> = { fast, full: [...fast, ...fullOnly] }

// `vitest run` runs the fast lane, `vitest run --mode full` all tests
export default defineConfig(({ mode }) => {
  const lane = mode === "full" ? "full" : "fast"
  return {
    test: {
      include: [...patternsOf[lane]],
      provide: { lane },
      globalSetup: ["test/globalSetup.ts"],
      setupFiles: ["test/setup.ts"],
      isolate: false, // a process loads the sources once, not once a file: half the processor time of most files
      sequence: { sequencer: TestOrder },
      // .ci/run sums the counts of this report with those of its other checks
      reporters: ci ? ["default", "json", "./scripts/runSummary.mjs"] : ["default"],
      outputFile: { json: "node_modules/.cache/vitest.json" },
      // CI runs a failed test once more and names it ("RETRIED"): a bug to look at, but not one that stops all work.
      // At home the first failure counts.
      retry: ci ? 1 : 0,
      silent: "passed-only", // what a test logs is printed with its failure
      testTimeout: 120_000,
      hookTimeout: 120_000,
      maxWorkers: 4, // for two cores: some tests wait for processes, disks and timers
      // As many: the pool ends an idle worker above the least number, and without isolation ends some a second time at the
      // end of the run, which loses the report ("Terminating worker thread").
      minWorkers: 4
    }
  }
})
