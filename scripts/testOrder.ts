import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** From the list that `.ci/run` prints after the tests (scripts/runSummary.ts). */
const longest = [
  "test/e2e/dashboard.test.ts",
  "test/http/AccessStates.test.ts",
  "test/e2e/backup-faults.test.ts",
  "test/e2e/commands-faults.test.ts",
  "test/e2e/scheduler-faults.test.ts",
  "test/services/schedules/Threads.test.ts",
  "test/e2e/celery.test.ts",
  "test/e2e/agent-faults.test.ts",
  "test/e2e/large-values.test.ts",
  "test/e2e/celery-schedules.test.ts",
  "test/services/schedules/ExternalMisfires.test.ts",
  "test/e2e/notification-faults.test.ts",
  "test/services/commands/WaitingTasks.test.ts",
  "test/services/tasks/Search.test.ts",
  "test/cli/Serve.test.ts",
  "test/services/operations/Backup/OlderArchive.test.ts",
  "test/cli/Refusals.test.ts",
  "test/services/schedules/Outages.test.ts",
  "test/services/tasks/Ingest/Permutations.test.ts",
  "test/e2e/dashboard/people.test.ts",
  "test/e2e/dashboard/session.test.ts",
  "test/http/Fuzz.test.ts",
  "test/services/schedules/Fires.test.ts",
  "test/e2e/dashboard/automation.test.ts",
  "test/http/AccessTable.test.ts",
  "test/e2e/dashboard/tasks.test.ts",
  "test/services/tasks/Vacuum.test.ts",
  "test/services/agents/Presence.test.ts",
  "test/services/commands/Reconciliation.test.ts",
  "test/gateway/SchedulePublications.test.ts",
  "test/services/schedules/Clock.test.ts",
  "test/e2e/scheduler-program.test.ts",
  "test/e2e/reverse-proxies.test.ts",
  "test/e2e/runtimes.test.ts",
  "test/e2e/upgrade.test.ts",
  "test/cli/Demo.test.ts",
  "test/services/alerting/Notifications/Storm.test.ts",
  "test/e2e/commands-fire.test.ts",
  "test/services/schedules/Recovery.test.ts",
  "test/e2e/dashboard/engines.test.ts",
  "test/e2e/dashboard/schedules.test.ts",
  "test/agent/engines/effect-queue.test.ts",
  "test/services/commands/Replicas.test.ts",
  "test/services/operations/Backup/Archive.test.ts",
  "test/e2e/dashboard/addresses.test.ts",
  "test/e2e/dashboard/taskList.test.ts",
  "test/cli/Remote.test.ts",
  "test/services/alerting/Notifications/Alerts.test.ts",
  "test/services/audit/AuditForwarder.test.ts",
  "test/cli/Backup.test.ts",
  "test/services/commands/Dispatch.test.ts",
  "test/cli/StartChecks.test.ts",
  "test/agent/runtime/Fallback.test.ts",
  "test/e2e/dashboard/failures.test.ts",
  "test/e2e/ingest-faults.test.ts"
]

/** The folders of tests that start whole processes: brains, agents, workers and browsers. */
const startsProcesses = (path: string) => /^test\/(e2e|cli|deploy)\//.test(path)

/**
 * The longest test files begin first, so that none of them runs alone at the end; of all others, the largest. Files that
 * start processes are spread among those that do not: side by side they would wait for each other's processes until
 * their time is over.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const pathOf = ({ moduleId }: TestSpecification) => relative(process.cwd(), moduleId)
    const place = (file: TestSpecification) => {
      const index = longest.indexOf(pathOf(file))
      return index === -1 ? longest.length : index
    }
    const sorted = (await super.sort(files)).sort((one, other) => place(one) - place(other))
    const [starting, plain] = [true, false].map((starts) =>
      sorted.filter((file) => startsProcesses(pathOf(file)) === starts)
    )
    /** Where in the run a file is, from 0 to 1, among those of its kind. */
    const share = (kind: Array<TestSpecification> = []) =>
      kind.map((file, index) => ({ file, position: (index + 0.5) / kind.length }))
    return [...share(starting), ...share(plain)].sort((one, other) => one.position - other.position).map(({ file }) =>
      file
    )
  }
}
