import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** From the list that `.ci/run` prints after the tests (scripts/runSummary.mjs). */
const longest = [
  "test/e2e/backup-faults.test.ts",
  "test/e2e/scheduler-faults.test.ts",
  "test/e2e/commands-faults.test.ts",
  "test/e2e/scheduler-program.test.ts",
  "test/e2e/reverse-proxies.test.ts",
  "test/e2e/ingest-faults.test.ts",
  "test/e2e/upgrade.test.ts",
  "test/e2e/celery.test.ts",
  "test/e2e/celery-schedules.test.ts",
  "test/e2e/large-values.test.ts",
  "test/e2e/agent-faults.test.ts",
  "test/e2e/commands-fire.test.ts",
  "test/e2e/notification-faults.test.ts",
  "test/http/AccessTable.test.ts",
  "test/cli/Serve.test.ts",
  "test/cli/Reset.test.ts",
  "test/cli/Backup.test.ts",
  "test/cli/Database.test.ts",
  "test/http/Fuzz.test.ts",
  "test/cli/Demo.test.ts",
  "test/cli/Secrets.test.ts",
  "test/e2e/bullmq.test.ts",
  "test/http/LiveStreams.test.ts",
  "test/e2e/outage.test.ts"
]

/** The longest test files begin first, so that none of them runs alone at the end. Of all others, the largest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.indexOf(relative(process.cwd(), moduleId))
      return index === -1 ? longest.length : index
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}
