import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config"
import { TestOrder } from "./scripts/testOrder.ts"
import { fast, fullOnly, type Lane } from "./test/lanes.ts"

const ci = process.env.CI === "true"

/** Options of a project. Those of the run are below. */
const project = {
  setupFiles: ["test/setup.ts"],
  isolate: false, // a process loads the sources once, not once a file: half the processor time of most files
  // CI runs a failed test once more and names it ("RETRIED"): a bug to look at, but not one that stops all work.
  // At home the first failure counts.
  retry: ci ? 1 : 0
} satisfies TestProjectInlineConfiguration["test"]

/**
 * Against tests that hang, and for none that is slow: the full lane repeats property tests ten times, and a journey through
 * the dashboard takes minutes on a busy machine.
 */
const timeout = 900_000

/**
 * Measures regular expressions, which V8 optimizes less in a process that has compiled many, as one does that ran other
 * files. Isolated, it has a process of its own.
 */
const alone = "test/domain/HostileText.test.ts"

const projectsOf: Readonly<Record<Lane, ReadonlyArray<TestProjectInlineConfiguration["test"]>>> = {
  fast: [{ name: "svc", include: [...fast], exclude: [...fullOnly], provide: { lane: "fast", bullmq: 6 } }],
  full: [
    { name: "svc", include: [...fast, ...fullOnly], exclude: [alone], provide: { lane: "full", bullmq: 6 } },
    { name: "alone", include: [alone], isolate: true, provide: { lane: "full", bullmq: 6 } },
    // The adapter's tests once more with BullMQ 5 in the place of 6, for the adapter and for the tests.
    {
      name: "BullMQ 5",
      include: ["test/agent/engines/bullmq/*.test.ts"],
      alias: [{ find: /^bullmq$/, replacement: "bullmq-5" }],
      provide: { lane: "full", bullmq: 5 }
    }
  ]
}

// `vitest run` runs the fast lane, `vitest run --mode full` all tests
export default defineConfig(({ mode }) => {
  const lane = mode === "full" ? "full" : "fast"
  return {
    test: {
      projects: projectsOf[lane].map((one) => ({
        test: { ...project, testTimeout: timeout, hookTimeout: timeout, ...one }
      })),
      provide: { lane },
      globalSetup: ["test/globalSetup.ts"], // of the run: the projects have none of their own
      isolate: false,
      sequence: { sequencer: TestOrder },
      // .ci/run sums the counts of this report with those of its other checks
      reporters: ci ? ["default", "json", "./scripts/runSummary.ts"] : ["default"],
      outputFile: { json: "node_modules/.cache/vitest.json" },
      silent: "passed-only", // what a test logs is printed with its failure
      // a larger young generation: a test run lives on short objects, whose collection is a tenth of its processor time
      poolOptions: { forks: { execArgv: ["--max-semi-space-size=64"] } },
      maxWorkers: 5, // for two cores: many tests wait for processes and timers
      // As many: the pool ends an idle worker above the least number, and without isolation ends some a second time at the
      // end of the run, which loses the report ("Terminating worker thread").
      minWorkers: 5
    }
  }
})
