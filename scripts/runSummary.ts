// A vitest reporter: names each test that was run a second time, so that a retry hides nothing, and the slowest files.
import { relative } from "node:path"

const slowestFiles = 20

export default class RunSummary {
  #tests = []

  onTestCaseResult(test) {
    const { retryCount = 0 } = test.diagnostic() ?? {}
    if (retryCount > 0) this.#tests.push({ test, retryCount })
  }

  onTestRunEnd(modules) {
    for (const { test, retryCount } of this.#tests) {
      console.log(
        `RETRIED x${retryCount}, ${test.result().state}: ${
          relative(process.cwd(), test.module.moduleId)
        } > ${test.fullName}`
      )
      for (const error of test.result().errors ?? []) console.log(`  ${error.message}`)
    }
    const seconds = (module) =>
      Object.entries(module.diagnostic()).reduce(
        (sum, [part, value]) => part.endsWith("Duration") || part === "duration" ? sum + value : sum,
        0
      ) / 1000
    const slowest = modules.map((module) => ({ file: relative(process.cwd(), module.moduleId), took: seconds(module) }))
      .sort((one, other) => other.took - one.took).slice(0, slowestFiles)
    console.log(`The ${slowest.length} slowest test files, with their imports:`)
    for (const { file, took } of slowest) console.log(`${took.toFixed(0).padStart(6)} s  ${file}`)
  }
}
