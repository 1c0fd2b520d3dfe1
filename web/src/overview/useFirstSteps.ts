import { useQuery } from "@tanstack/react-query"
import { useCallback, useEffect } from "react"
import { agentsQuery } from "../agents/agents.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useNow } from "../format/now.ts"
import { defaultsOfProject, ownSubscriptions } from "../notifications/subscriptions/subscriptionOwner.ts"
import { invitationsQuery, membersQuery } from "../people/members.ts"
import { factorQuery } from "../secondFactor/secondFactor.ts"
import { useCan } from "../session/permissions.ts"
import { meQuery } from "../session/session.ts"
import { useProject } from "../shell/useProject.ts"
import { readTasks } from "../tasks/readTasks.ts"
import { useStored } from "../ui/useStored.ts"

const refetchMillis = 5_000

export type StepName = "connect" | "task" | "subscribe" | "invite" | "factor"

export interface FirstStep {
  readonly name: StepName
  /** Undefined while it is read. */
  readonly isDone: boolean | undefined
  readonly to: string
  readonly search?: object
}

/** The steps of a person in a project, as they are now. Only admins connect agents and invite people. */
const useSteps = (slug: string, isShown: boolean, hasTasks: boolean): ReadonlyArray<FirstStep> => {
  const { data: me } = useQuery(meQuery)
  const { project } = useProject(slug)
  const isAdmin = useCan(slug, "admin")
  const isMember = me?.memberships.some(({ project_slug }) => project_slug === slug) === true
  const now = useNow()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const reading = { enabled: isShown, refetchInterval }
  const readingOfAdmins = { enabled: isShown && isAdmin, refetchInterval }
  const agents = useQuery({ ...agentsQuery(slug), ...readingOfAdmins })
  // a global admin who is no member has no subscriptions of their own, and sees to those of the project
  const owner = isMember ? ownSubscriptions : defaultsOfProject(slug)
  const subscriptions = useQuery({ queryKey: owner.key, queryFn: owner.list, ...reading })
  const members = useQuery({ ...membersQuery(slug), ...readingOfAdmins })
  const invitations = useQuery({ ...invitationsQuery(slug), ...readingOfAdmins })
  const factor = useQuery({ ...factorQuery, ...reading })
  const hasOthers = members.data?.some(({ user_id }) => user_id !== me?.id)
  const hasInvited = invitations.data?.some(({ accepted_at, expires_at, revoked_at }) =>
    accepted_at === null && revoked_at === null && Date.parse(expires_at) > now
  )
  const steps: ReadonlyArray<FirstStep | false> = [
    isAdmin && {
      name: "connect",
      isDone: agents.data?.some(({ last_connect_at }) => last_connect_at !== null),
      to: "/projects/$slug/agents/new"
    },
    { name: "task", isDone: hasTasks, to: "/projects/$slug/tasks" },
    {
      name: "subscribe",
      isDone: subscriptions.data?.some(({ project_id }) => project_id === project?.id),
      ...(isMember
        ? { to: "/account/notifications" }
        : { to: "/projects/$slug/notifications", search: { part: "defaults" } })
    },
    isAdmin && { name: "invite", isDone: hasOthers === true || hasInvited, to: "/projects/$slug/people" },
    {
      name: "factor",
      isDone: factor.data?.enrolled,
      to: "/second-factor",
      search: { to: `/projects/${slug}` }
    }
  ]
  return steps.filter((step) => step !== false)
}

/**
 * How far a person is with the first steps of a project, which begin on a page of this hook while the project has no task.
 * The browser keeps it: it is about what one person still wants to see, and elsewhere an empty project shows them again.
 */
export const useProgress = (slug: string) => {
  const { data: me } = useQuery(meQuery)
  const { project } = useProject(slug)
  const [progress, store] = useStored(`svc.firstSteps.${me?.id ?? ""}.${project?.id ?? ""}`)
  const isPossible = project !== undefined && progress !== "ended"
  const refetchInterval = useRefetchInterval(refetchMillis)
  const first = useQuery({
    queryKey: ["first-task", slug],
    queryFn: ({ signal }) => readTasks(slug, { limit: 1 }, signal),
    enabled: isPossible,
    staleTime: ({ state: { data } }) => (data?.length ? Infinity : 0),
    refetchInterval: ({ state: { data } }) => (data?.length ? false : refetchInterval)
  })
  const isEmpty = isPossible && first.data?.length === 0
  const begins = isEmpty && progress === null
  useEffect(() => {
    if (begins) store("begun")
  }, [begins, store])
  return {
    isReading: isPossible && first.isPending,
    isEmpty,
    isShown: isEmpty || (isPossible && first.data !== undefined && progress === "begun"),
    end: useCallback(() => store("ended"), [store])
  }
}

/** The first steps in a project that has no task yet, until they are done or dismissed. */
export const useFirstSteps = (slug: string) => {
  const { end, isEmpty, isReading, isShown } = useProgress(slug)
  const steps = useSteps(slug, isShown, !isEmpty)
  const isDone = isShown && steps.every((step) => step.isDone === true)
  useEffect(() => {
    if (isDone) end()
  }, [isDone, end])
  return {
    /** Whether the project may have no tasks, and so nothing to chart. */
    isReading,
    isEmpty,
    steps: isShown ? steps : [],
    dismiss: end
  }
}
