/**
 * The two lanes of the tests. `npm test` and `.ci/run` run the fast one, `npm run test:full` and `.ci/full` all files. The
 * patterns are those of `path.matchesGlob`; each test file matches one of them (`test/Lanes.test.ts`).
 */
export type Lane = "fast" | "full"

/** But for those of `fullOnly`. */
export const fast: ReadonlyArray<string> = [
  "test/*.test.ts",
  "test/{agent,cli,domain,examples,gateway,grpc,http,layers,protocol,scheduler,services,sqlite,web}/**/*.test.ts",
  "test/e2e/{bullmq,celery,commands-fire,ingest-faults}.test.ts",
  "test/e2e/dashboard.test.ts",
  "test/e2e/dashboard/*.test.ts"
]

/** Fault storms, whole processes that the fast lane starts elsewhere too, the dashboard's pages beyond its journeys,
 * and what measures processor time. */
export const fullOnly: ReadonlyArray<string> = [
  "test/deploy/*.test.ts",
  "test/e2e/{agent,automation,backup,commands,notification,scheduler,schedules}-faults.test.ts",
  "test/e2e/{audit-adversary,audit-exports,bulk-retry,schedule-control,scheduler,scheduler-program}.test.ts",
  "test/e2e/{bullmq-schedules,celery-lost-events,celery-pools,celery-schedules,celery-shutdown,python-engines}.test.ts",
  "test/e2e/{disk-full,failover,large-values,leader,outage,replicas,rolling-restart,runtimes,upgrade}.test.ts",
  "test/e2e/{hostile-readers,hostile-receivers,hostile-sockets,reverse-proxies}.test.ts",
  "test/e2e/dashboard/{addresses,automation,connection,demo,engines,failures,keyboard,names,notifications,overview,people,schedules,session,taskList}.test.ts",
  "test/cli/{Demo,Secrets,Upgrade}.test.ts",
  "test/domain/HostileText.test.ts",
  "test/grpc/{Outages,Programs}.test.ts",
  "test/services/alerting/Notifications/Storm.test.ts",
  "test/services/operations/Backup/OlderArchive.test.ts",
  "test/services/schedules/Threads.test.ts",
  "test/services/tasks/Ingest/HostileFields.test.ts"
]
