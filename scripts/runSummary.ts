// A vitest reporter: names each test that was run a second time, so that a retry hides nothing, and the slowest files.
import { relative } from "node:path"
import type { Reporter, TestCase, TestModule } from "vitest/node"

const slowestFiles = 20

export default class RunSummary implements Reporter {
  readonly #retried: Array<{ readonly test: TestCase; readonly retryCount: number }> = []

  onTestCaseResult(test: TestCase) {
    const { retryCount = 0 } = test.diagnostic() ?? {}
    if (retryCount > 0) this.#retried.push({ test, retryCount })
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>) {
    for (const { test, retryCount } of this.#retried) {
      console.log(
        `RETRIED x${retryCount}, ${test.result().state}: ${
          relative(process.cwd(), test.module.moduleId)
        } > ${test.fullName}`
      )
      for (const error of test.result().errors ?? []) console.log(`  ${error.message}`)
    }
    const seconds = (module: TestModule) => {
      const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } = module
        .diagnostic()
      return (collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration) / 1000
    }
    const slowest = modules.map((module) => ({ file: relative(process.cwd(), module.moduleId), took: seconds(module) }))
      .sort((one, other) => other.took - one.took).slice(0, slowestFiles)
    console.log(`The ${slowest.length} slowest test files, with their imports:`)
    for (const { file, took } of slowest) console.log(`${took.toFixed(0).padStart(6)} s  ${file}`)
  }
}
