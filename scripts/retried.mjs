// A vitest reporter: names each test that passed only at its second run, so that a retry hides nothing.
import { relative } from "node:path"

export default class Retried {
  #tests = []

  onTestCaseResult(test) {
    const { retryCount = 0 } = test.diagnostic() ?? {}
    if (retryCount > 0) this.#tests.push({ test, retryCount })
  }

  onTestRunEnd() {
    for (const { test, retryCount } of this.#tests) {
      console.log(`RETRIED x${retryCount}, ${test.result().state}: ${relative(process.cwd(), test.module.moduleId)} > ${test.fullName}`)
      for (const error of test.result().errors ?? []) console.log(`  ${error.message}`)
    }
  }
}
