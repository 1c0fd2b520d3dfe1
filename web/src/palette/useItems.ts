import { queryOptions, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { agentsQuery } from "../agents/agents.ts"
import { api, unwrap } from "../api/client.ts"
import { rulesQuery } from "../automation/queries.ts"
import { listGroups } from "../failures/queries.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { goLetters, goStroke } from "../keys/keys.ts"
import { namesQuery } from "../names/queries.ts"
import { schedulesQuery } from "../schedules/queries.ts"
import { useCan } from "../session/permissions.ts"
import { meQuery } from "../session/session.ts"
import { useProjectPages } from "../shell/Navigation.tsx"
import { projectsQuery } from "../shell/projects.ts"
import { searchTasks } from "../tasks/readTasks.ts"
import { usePaused } from "../ui/usePaused.ts"
import { workersQuery } from "../workers/workers.ts"
import { type ContextAction, readContextActions } from "./contextActions.ts"
import { selectMatches } from "./fuzzy.ts"

export type Group =
  | "actions"
  | "pages"
  | "names"
  | "failures"
  | "projects"
  | "schedules"
  | "rules"
  | "queues"
  | "workers"
  | "agents"
  | "tasks"

export interface Item {
  readonly id: string
  readonly group: Group
  readonly title: string
  /** Beside the title, such as the keys of a page or the id of a task. */
  readonly hint?: string
  readonly run: () => void
}

/** Searching for tasks begins with so many characters, once typing pauses. */
const minSearch = 4
const maxTasks = 8
/** Tasks that are found, of which those with the text in their id are shown first. */
const maxFound = 50
const maxOfGroup = 8

const queuesQuery = (slug: string) =>
  queryOptions({
    queryKey: ["queues", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/queues", { params: { path: { slug } } }))
  })

/** The groups that failed last. */
const failuresQuery = (slug: string) =>
  queryOptions({
    queryKey: ["palette", "failures", slug],
    queryFn: async () => (await listGroups(slug, {}, null)).items
  })

/** Tasks whose id holds what was typed, before those that match otherwise. A search that typing overtakes is aborted. */
const useFoundTasks = (slug: string | undefined, typed: string) => {
  const text = usePaused(typed.trim())
  const found = useQuery({
    queryKey: ["palette", "tasks", slug, text],
    enabled: slug !== undefined && text.length >= minSearch,
    queryFn: ({ signal }) => searchTasks(slug ?? "", text, maxFound, signal),
    gcTime: 0
  })
  const hasId = ({ task_id }: { readonly task_id: string }) => task_id.toLowerCase().includes(text.toLowerCase())
  const { searchedTo = null, tasks = [] } = typed.trim() === text ? found.data ?? {} : {}
  return {
    tasks: tasks.toSorted((a, b) => Number(hasId(b)) - Number(hasId(a))).slice(0, maxTasks),
    searchedTo,
    isSearching: found.isFetching || typed.trim() !== text
  }
}

const useNamed = (slug: string | undefined) => {
  const enabled = slug !== undefined
  const name = slug ?? ""
  return {
    names: useQuery({ ...namesQuery(name), enabled }).data ?? [],
    agents: useQuery({ ...agentsQuery(name), enabled }).data ?? [],
    workers: useQuery({ ...workersQuery(name), enabled }).data ?? [],
    queues: useQuery({ ...queuesQuery(name), enabled }).data ?? [],
    schedules: useQuery({ ...schedulesQuery(name), enabled }).data?.schedules ?? [],
    rules: useQuery({ ...rulesQuery(name), enabled }).data ?? [],
    failures: useQuery({ ...failuresQuery(name), enabled }).data ?? []
  }
}

type ProjectPage = `/projects/$slug/${
  | "dead-letters"
  | "bulk-retries"
  | "bulk-jobs"
  | "schedules/import"
  | "agents/new"}`
type OwnPage = "/inbox" | "/account/notifications" | "/activity"

/** Pages of a project and of the person that have no entry in the navigation. */
const useFurtherPages = (slug: string | undefined) => {
  const texts = useTexts()
  const navigate = useNavigate()
  const isAdmin = useCan(slug ?? "", "admin")
  const pageOfProject = (to: ProjectPage, title: string) => ({
    id: to,
    title,
    run: () => void navigate({ to, params: { slug: slug ?? "" } })
  })
  const page = (to: OwnPage, title: string) => ({ id: to, title, run: () => void navigate({ to }) })
  return [
    ...(slug === undefined ? [] : [
      pageOfProject("/projects/$slug/dead-letters", texts.deadLetters.title),
      pageOfProject("/projects/$slug/bulk-retries", texts.bulkRetries.title),
      pageOfProject("/projects/$slug/bulk-jobs", texts.bulkJobs.title),
      ...(isAdmin
        ? [
          pageOfProject("/projects/$slug/schedules/import", texts.schedules.import.title),
          pageOfProject("/projects/$slug/agents/new", texts.agents.create)
        ]
        : [])
    ]),
    page("/inbox", texts.inbox.title),
    page("/account/notifications", texts.ownNotifications.title),
    page("/activity", texts.activity.ofAll)
  ]
}

/** What the palette offers for what was typed, group by group. */
export const useItems = (slug: string | undefined, typed: string) => {
  const { nav, palette: texts } = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const pages = useProjectPages(slug)
  const furtherPages = useFurtherPages(slug)
  const named = useNamed(slug)
  const { data: projects = [] } = useQuery(projectsQuery)
  const { data: me } = useQuery(meQuery)
  const { isSearching, searchedTo, tasks } = useFoundTasks(slug, typed)
  // what was selected or open when the palette was opened
  const [actions] = useState<ReadonlyArray<ContextAction>>(readContextActions)
  const project = { slug: slug ?? "" }

  const groups: Readonly<Record<Group, ReadonlyArray<Omit<Item, "group">>>> = {
    actions,
    pages: [
      ...pages.map(({ name, to }) => ({
        id: to,
        title: nav[name],
        hint: `${goStroke} ${goLetters[name]}`,
        run: () => void navigate({ to, params: project })
      })),
      ...furtherPages,
      { id: "home", title: nav.allProjects, run: () => void navigate({ to: "/" }) },
      { id: "account", title: nav.account, run: () => void navigate({ to: "/account" }) },
      ...(me?.is_admin === true
        ? [
          { id: "users", title: nav.users, run: () => void navigate({ to: "/users" }) },
          { id: "system", title: nav.system, run: () => void navigate({ to: "/system" }) }
        ]
        : [])
    ],
    names: named.names.map((name) => ({
      id: name,
      title: name,
      run: () => void navigate({ to: "/projects/$slug/names/$name", params: { ...project, name } })
    })),
    failures: named.failures.map(({ fingerprint, sample_exception, sample_task_name }) => ({
      id: fingerprint,
      title: [sample_task_name, sample_exception].filter((text) => text !== null).join(": ") || fingerprint,
      run: () => void navigate({ to: "/projects/$slug/failures/$fingerprint", params: { ...project, fingerprint } })
    })),
    projects: projects.filter((one) => one.slug !== slug).map(({ id, name, slug }) => ({
      id,
      title: name,
      hint: slug,
      run: () => void navigate({ to: "/projects/$slug", params: { slug } })
    })),
    schedules: named.schedules.map(({ id, name }) => ({
      id,
      title: name,
      run: () => void navigate({ to: "/projects/$slug/schedules/$scheduleId", params: { ...project, scheduleId: id } })
    })),
    rules: named.rules.map(({ id, name }) => ({
      id,
      title: name,
      run: () => void navigate({ to: "/projects/$slug/automation/$ruleId", params: { ...project, ruleId: id } })
    })),
    queues: named.queues.map(({ engine, id, name }) => ({
      id,
      title: name,
      hint: engine,
      run: () =>
        void navigate({ to: "/projects/$slug/queues/$engine/$queue", params: { ...project, engine, queue: name } })
    })),
    workers: named.workers.map(({ engine, id, name }) => ({
      id,
      title: name,
      hint: engine,
      run: () => void navigate({ to: "/projects/$slug/workers/$workerId", params: { ...project, workerId: id } })
    })),
    agents: named.agents.map(({ id, name }) => ({
      id,
      title: name,
      run: () => void navigate({ to: "/projects/$slug/agents/$agentId", params: { ...project, agentId: id } })
    })),
    // last, since they are found later than the rest: what is chosen stays where it is
    tasks: tasks.map(({ engine, id, name, task_id }) => ({
      id,
      title: name,
      hint: task_id,
      run: () =>
        void navigate({
          to: "/projects/$slug/tasks/$engine/$taskId",
          params: { ...project, engine, taskId: task_id }
        })
    }))
  }
  const hasTyped = typed.trim() !== ""
  const items = (Object.entries(groups) as ReadonlyArray<[Group, ReadonlyArray<Omit<Item, "group">>]>) // its keys
    .filter(([group]) => hasTyped || group === "actions" || group === "pages" || group === "projects")
    .flatMap(([group, all]): ReadonlyArray<Item> =>
      (group === "tasks" ? all : selectMatches(typed, all, hasTyped ? maxOfGroup : all.length))
        .map((item) => ({ ...item, group }))
    )
  const isLong = typed.trim().length >= minSearch
  return {
    items,
    isSearching: slug !== undefined && isLong && isSearching,
    /** Why tasks, or older ones, are not searched. */
    limit: !hasTyped
      ? null
      : slug === undefined
      ? texts.noProject
      : !isLong
      ? texts.tooShort
      : searchedTo === null
      ? null
      : texts.searchedBack(format.dateTime(Date.parse(searchedTo)))
  }
}
