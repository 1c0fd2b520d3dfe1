import { api, type Schemas, unwrap } from "../api/client.ts"
import { type Command, useCommand } from "../commands/following.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useAct } from "../ui/useAct.ts"
import { type Operation, useOperationNotice } from "./operations.ts"
import { schedulesKey } from "./queries.ts"
import type { Schedule } from "./states.ts"

/** What one click does; where another scheduler owns the schedule, its agent is asked to. */
export type Act = "enable" | "disable" | "pause" | "resume"

interface Answer {
  readonly data?: Schedule | Schemas["ExternalScheduleControlOperation"]
  readonly error?: unknown
  readonly response: Response
}

const request = (slug: string, act: Act | "trigger", scheduleId: string): Promise<Answer> => {
  const options = { params: { path: { slug, schedule_id: scheduleId } } }
  switch (act) {
    case "enable":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/enable", options)
    case "disable":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/disable", options)
    case "pause":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/pause", options)
    case "resume":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/resume", options)
    case "trigger":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/trigger", options)
  }
}

/** Runs an act; of an operation that its agent carries out, follows it until its outcome. */
const useRequest = (slug: string) => {
  const { schedules: { actNotices } } = useTexts()
  const follow = useOperationNotice(slug)
  return async (act: Act | "trigger", { id, name }: Pick<Schedule, "id" | "name">): Promise<Response> => {
    const answer = await request(slug, act, id)
    const body = await unwrap(Promise.resolve(answer))
    if ("operation" in body) void follow(actNotices[act](name), body)
    return answer.response
  }
}

/** Enables, disables, pauses or resumes a schedule. */
export const useScheduleAct = (slug: string) => {
  const run = useRequest(slug)
  return useAct(
    schedulesKey(slug),
    ({ act, schedule }: { readonly act: Act; readonly schedule: Schedule }) => run(act, schedule)
  )
}

/** Submits a schedule's task now, and follows its command, which the answer's `Location` names. */
export const useTrigger = (slug: string) => {
  const { schedules: { actNotices } } = useTexts()
  const run = useRequest(slug)
  const followCommand = useCommand(slug)
  return async (schedule: Pick<Schedule, "id" | "name">): Promise<void> => {
    const response = await run("trigger", schedule)
    const commandId = /\/commands\/([^/]+)$/.exec(response.headers.get("location") ?? "")?.[1]
    if (commandId === undefined) return
    await followCommand(actNotices.trigger(schedule.name), (): Promise<Command> =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/commands/{command_id}", {
          params: { path: { slug, command_id: commandId } }
        })
      ))
  }
}

/** Deletes a schedule; the answer is whether it is deleted already, and not by an agent that was asked to. */
export const useDelete = (slug: string) => {
  const { schedules: { actNotices } } = useTexts()
  const follow = useOperationNotice(slug)
  return async ({ id, name }: Schedule): Promise<boolean> => {
    const answer = await api.DELETE("/api/v1/projects/{slug}/schedules/{schedule_id}", {
      params: { path: { slug, schedule_id: id } }
    })
    const body = await unwrap(Promise.resolve(answer))
    if (answer.response.status === 204) return true
    void follow(actNotices.delete(name), body as Operation) // the body of 202; 204 has none
    return false
  }
}
