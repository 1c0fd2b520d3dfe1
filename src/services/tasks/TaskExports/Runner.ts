import { Effect, Layer, Schema } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { taskFields } from "../../../domain/tasks/Task.ts"
import { toTaskFilter } from "../../../domain/tasks/Task/Filter.ts"
import { taskExports } from "../../audit/ExportJobs/Kinds.ts"
import type { JobRow } from "../../audit/ExportJobs/Row.ts"
import { makeExportRunner, runExports } from "../../audit/ExportJobs/Runner.ts"
import { Xlsx } from "../../kernel/Export/Xlsx.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { TaskExport } from "../Export.ts"
import { TasksRepo } from "../Repo.ts"
import { Scans } from "../Scans.ts"
import { TaskSearch } from "../Search.ts"
import { StoredFilters } from "../TaskExports.ts"

const decodeFilters = Schema.decodeUnknown(StoredFilters)

/** Writes the files of exports of tasks, and deletes old ones. */
export class TaskExportRunner extends Effect.Service<TaskExportRunner>()("svc/TaskExportRunner", {
  effect: Effect.gen(function*() {
    const files = yield* TaskExport
    const settings = yield* Settings

    const makeFile = Effect.fnUntraced(function*(job: JobRow) {
      const { fields, ...terms } = yield* decodeFilters(job.filters)
      return yield* files.exportFile(
        job.project_id,
        toTaskFilter(terms, job.created_at),
        job.format,
        fields ?? taskFields,
        job.shows_hidden === 1,
        // ids have the time of arrival and stay; received_at is the agents' time and may change while the file is written
        { before: Ids.maxIdAt(Timestamp.toEpochMillis(job.created_at)), most: settings.tasksExportJobMaxRows }
      )
    })

    return yield* makeExportRunner(taskExports, makeFile)
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide(TaskExport.layer),
    Layer.provide([TaskSearch.layer, TasksRepo.layer, Xlsx.layer]),
    Layer.provide(Scans.layer)
  )

  static readonly layerLoop = runExports(taskExports, this).pipe(Layer.provide(this.layer))
}
